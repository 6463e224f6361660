//===- Scene.cu - Builds a capture, makes a call, ends the capture --------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors of the preparation are reported as "setup"; such a row says nothing
// about the call and is left out of the result.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"
#include <cstdlib>
#include <thread>

namespace cudagraph::conformance {

const char *spelling(Relation R) {
  static const char *const Names[] = {
      "origin",     "joined", "other-blocking", "other-nonblocking", "legacy",
      "per-thread", "none"};
  return Names[static_cast<int>(R)];
}

const char *spelling(Kind K) {
  static const char *const Names[] = {"blocking", "non-blocking", "mixed"};
  return Names[static_cast<int>(K)];
}

const char *spelling(cudaStreamCaptureMode M) {
  static const char *const Names[] = {"global", "thread_local", "relaxed"};
  return Names[M];
}

Case &Case::streams() {
  Relations = {Relation::Origin,        Relation::Joined,
               Relation::OtherBlocking, Relation::OtherNonBlocking,
               Relation::Legacy,        Relation::PerThread};
  return *this;
}
Case &Case::on(std::vector<Relation> R) {
  Relations = std::move(R);
  return *this;
}
Case &Case::events() {
  streams();
  Relations.push_back(Relation::None);
  EventNamed = true;
  return *this;
}
Case &Case::fresh() {
  FreshProcess = true;
  return *this;
}
Case &Case::before(Action A) {
  Before = std::move(A);
  return *this;
}
Case &Case::inside(Action A) {
  Inside = std::move(A);
  return *this;
}
Case &Case::after(Action A) {
  After = std::move(A);
  return *this;
}

Case &Cases::add(std::string Call, std::string Form, Action Made) {
  All.emplace_back();
  All.back().Call = std::move(Call);
  All.back().Form = std::move(Form);
  All.back().Made = std::move(Made);
  return All.back();
}

/// Creates streams, events and memory. Returns the first error.
static int build(Scene &S) {
  auto Flags = [](bool NonBlocking) {
    return NonBlocking ? cudaStreamNonBlocking : cudaStreamDefault;
  };
  int E = 0;
  auto Try = [&](int Code) { E = E ? E : Code; };
  bool NonBlocking = S.Capturing != Kind::Blocking;
  Try(cudaStreamCreateWithFlags(&S.Origin, Flags(NonBlocking)));
  Try(cudaStreamCreateWithFlags(&S.Joined,
                                Flags(S.Capturing == Kind::NonBlocking)));
  Try(cudaStreamCreateWithFlags(&S.OtherBlocking, cudaStreamDefault));
  Try(cudaStreamCreateWithFlags(&S.OtherNonBlocking, cudaStreamNonBlocking));
  for (cudaEvent_t *Each : {&S.Event, &S.Outside, &S.Captured, &S.Fresh})
    Try(cudaEventCreate(Each));
  Try(cudaMalloc(&S.Device, S.Bytes));
  Try(cudaMalloc(&S.Device2, S.Bytes));
  Try(cudaMallocHost(&S.Pinned, S.Bytes));
  S.Host = static_cast<char *>(std::calloc(1, S.Bytes));
  S.Host2 = static_cast<char *>(std::calloc(1, S.Bytes));
  const cudaStream_t Streams[] = {S.Origin,         S.Joined,
                                  S.OtherBlocking,  S.OtherNonBlocking,
                                  cudaStreamLegacy, cudaStreamPerThread,
                                  nullptr};
  S.Stream = Streams[static_cast<int>(S.Where)];
  return E;
}

/// Frees what build() made. Errors are of no interest here.
static void wreck(Scene &S) {
  for (cudaEvent_t Each : {S.Outside, S.Captured, S.Fresh})
    cudaEventDestroy(Each);
  if (!S.OriginGone)
    cudaStreamDestroy(S.Origin);
  cudaFree(S.Device);
  cudaFree(S.Device2);
  cudaFreeHost(S.Pinned);
  std::free(S.Host);
  std::free(S.Host2);
}

/// The number of nodes that the capture on \p Stream has, or -1.
static long countNodes(cudaStream_t Stream, int *Status) {
  cudaStreamCaptureStatus Now = cudaStreamCaptureStatusNone;
  cudaGraph_t Graph = nullptr;
  size_t Count = 0;
  cudaError_t E = cudaStreamGetCaptureInfo(Stream, &Now, nullptr, &Graph);
  *Status = E ? -1 : static_cast<int>(Now);
  if (E || Now != cudaStreamCaptureStatusActive ||
      cudaGraphGetNodes(Graph, nullptr, &Count))
    return -1;
  return static_cast<long>(Count);
}

/// Begins the capture and brings it to the point before the call.
static int enter(const Case &C, Scene &S) {
  int E = 0;
  auto Try = [&](int Code) { E = E ? E : Code; };
  Try(cudaEventRecord(S.Outside, S.Origin));
  bool Inside = S.Where == Relation::Origin || S.Where == Relation::Joined;
  if (C.EventNamed && !Inside && S.Where != Relation::None)
    Try(cudaEventRecord(S.Event, S.Stream));
  if (C.Before)
    Try(C.Before(S));
  Try(cudaDeviceSynchronize());
  Try(cudaStreamBeginCapture(S.Origin, S.Mode));
  Try(cudaMemsetAsync(S.Device, 0, 64, S.Origin));
  Try(cudaEventRecord(S.Captured, S.Origin));
  if (S.Where == Relation::Joined || S.Capturing == Kind::Mixed) {
    Try(cudaStreamWaitEvent(S.Joined, S.Captured, 0));
    Try(cudaMemsetAsync(S.Device2, 0, 64, S.Joined));
  }
  if (C.EventNamed && Inside)
    Try(cudaEventRecord(S.Event, S.Stream));
  if (C.Inside)
    Try(C.Inside(S));
  return E;
}

bool play(const Case &C, cudaStreamCaptureMode Mode, Kind Capturing,
          Relation Where, bool OtherThread, const Sink &Write) {
  Scene S;
  S.Mode = Mode;
  S.Capturing = Capturing;
  S.Where = Where;
  auto Number = [&](const char *Key, long Value) {
    Write(Key, std::to_string(Value));
  };
  if (int E = build(S)) {
    Number("setup", E);
    return false;
  }
  int E = enter(C, S), Status = 0;
  if (E)
    Number("setup", E);
  long Before = countNodes(S.Origin, &Status);
  int Returned = 0;
  auto Call = [&] {
    cudaSetDevice(0); // a new thread has no context yet
    if (C.OfLibrary)
      Trace::start();
    Returned = C.Made(S);
    if (C.OfLibrary)
      Trace::stop();
  };
  if (OtherThread)
    std::thread(Call).join();
  else
    Call();
  Number("returned", Returned);
  if (C.OfLibrary) {
    Number("cuda_code", Trace::code());
    if (Trace::code())
      Write("cuda_call", Trace::call());
  }

  long After = -1;
  if (!S.OriginGone) {
    After = countNodes(S.Origin, &Status);
    Number("status", Status);
    if (After >= 0)
      Number("nodes", After - Before);
    bool Forked = S.Where == Relation::Joined || S.Capturing == Kind::Mixed;
    if (Forked && !S.JoinedGone) {
      cudaEventRecord(S.Fresh, S.Joined);
      cudaStreamWaitEvent(S.Origin, S.Fresh, 0);
    }
    cudaGraph_t Graph = nullptr;
    Number("end", cudaStreamEndCapture(S.Origin, &Graph));
    if (Graph)
      cudaGraphDestroy(Graph);
  }
  if (C.After)
    C.After(S);
  cudaGetLastError();
  wreck(S);
  cudaGetLastError();
  // A library keeps errors in a CUDA runtime of its own, out of reach.
  if (C.OfLibrary && (Returned || Status != cudaStreamCaptureStatusActive))
    return false;
  return cudaDeviceSynchronize() == cudaSuccess && E == 0;
}

} // namespace cudagraph::conformance
