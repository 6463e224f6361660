//===- regions.cu - cudagraph/probe.h on a GPU ----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints failed expectations; run_gpu.py checks the status.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include <cudagraph/probe.h>

using cudagraph::outcome;

static int Wrong;

static void expect(const cudagraph::result &R, outcome Global,
                   outcome Relaxed) {
  bool Fine = R.modes.size() == 3 && R.modes[0].outcome == Global &&
              R.modes[1].outcome == Global && R.modes[2].outcome == Relaxed;
  // Errors that the probe caused must not reach the program.
  Fine &= cudaGetLastError() == cudaSuccess;
  Wrong += !Fine;
  std::printf("%s: %s", Fine ? "as expected" : "WRONG", R.text().c_str());
}

static float first(Setup &S) {
  float Value;
  MUST(cudaMemcpy(&Value, S.Device, 4, cudaMemcpyDeviceToHost));
  return Value;
}

int main() {
  Setup S;
  float Ones[64];
  for (float &X : Ones)
    X = 1;
  MUST(cudaMemcpy(S.Device, Ones, 256, cudaMemcpyHostToDevice));
  auto Region = [&](const char *Name) {
    return cudagraph::region(Name).buffer(S.Device, 256, "x");
  };

  auto Step = [&](cudaStream_t Q) { scale<<<1, 64, 0, Q>>>(S.Device, 2); };
  expect(cudagraph::probe(Region("clean"), S.Stream, Step), outcome::replayed,
         outcome::replayed);
  Wrong += first(S) != 2;

  expect(cudagraph::probe(Region("allocates"), S.Stream,
                          [&](cudaStream_t Q) {
                            cudagraph::scoped_region Part("workspace");
                            void *P = nullptr;
                            cudaMalloc(&P, 64);
                            Step(Q);
                          }),
         outcome::invalidated, outcome::replayed);
  Wrong += first(S) != 4;

  expect(cudagraph::probe(Region("waits"), S.Stream,
                          [&](cudaStream_t Q) {
                            Step(Q);
                            return cudaStreamSynchronize(Q);
                          }),
         outcome::invalidated, outcome::invalidated);

  expect(cudagraph::probe(Region("escapes"), S.Stream,
                          [&](cudaStream_t) {
                            scale<<<1, 64>>>(S.Device, 2);
                            cudaStreamSynchronize(cudaStreamLegacy);
                          }),
         outcome::invalidated, outcome::differs);

  float Rate = 2;
  expect(cudagraph::probe(
             Region("frozen").change_inputs([&] { Rate = 3; }).reset([&] {
               Rate = 2;
             }),
             S.Stream,
             [&](cudaStream_t Q) { scale<<<1, 64, 0, Q>>>(S.Device, Rate); }),
         outcome::differs, outcome::differs);

  expect(cudagraph::probe(
             Region("legacy stream"), cudaStream_t(nullptr),
             [&](cudaStream_t Q) { scale<<<1, 64, 0, Q>>>(S.Device, 2); }),
         outcome::refused, outcome::refused);
  return Wrong != 0;
}
