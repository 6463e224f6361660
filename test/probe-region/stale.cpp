// Replays that differ from the body: frozen arguments, work outside the graph,
// sources that no longer exist, and differences that a tolerance allows.

// REQUIRES: gxx
// UNSUPPORTED: asan
// RUN: %python %S/Inputs/run.py %build %annotations %t.dir %s | FileCheck %s

#include "fake.h"
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cudagraph/probe.h>

static int out[4];

static void show(const cudagraph::result &r) {
  std::fputs(r.text().c_str(), stdout);
  std::printf("out %d, left %d\n", out[0], fakeLeft());
}

int main() {
  auto region = [](const char *name) {
    return cudagraph::region(name).modes(2).buffer(out, sizeof(out), "out");
  };

  int learningRate = 1;
  auto step = [&](cudaStream_t s) { fakeAdd(&out[1], learningRate, s); };
  // CHECK: region 'frozen'
  // CHECK-NEXT: relaxed: differs, 1 node{{$}}
  // CHECK-NEXT: 'out': replay and eager run differ after changed inputs: 1 byte, the first at 4{{$}}
  show(cudagraph::probe(region("frozen")
                            .change_inputs([&] { learningRate = 7; })
                            .reset([&] { learningRate = 1; }),
                        fakeStream(), step));
  // CHECK-NEXT: out 0, left 0
  // CHECK-NEXT: 1 1
  std::printf("%d %d\n", learningRate, out[1]);

  // Each replay reads an input in a buffer; the body reads the restored input.
  static int in = 3;
  out[1] = 0;
  auto add = [](cudaStream_t s) { fakeCopy(&out[0], &in, 4, s); };
  auto next = [](cudaStream_t s) {
    static int value = 40;
    fakeCopy(&in, &value, 4, s);
  };
  // CHECK: region 'input'
  // CHECK-NEXT: relaxed: replayed, 1 node
  // CHECK-NEXT: out 3, left 0
  show(cudagraph::probe(
      region("input").buffer(&in, 4, "in").change_inputs(next), fakeStream(),
      add));

  // CHECK: region 'escaped'
  // CHECK-NEXT: relaxed: differs, 0 nodes
  // CHECK-NEXT: 'out': replay and eager run differ: 1 byte, the first at 0{{$}}
  // CHECK-NEXT: out 4, left 0
  show(cudagraph::probe(region("escaped"), fakeStream(),
                        [](cudaStream_t) { fakeEscape(&out[0], 1); }));

  // A counter on the host: eager runs also differ until it is reset.
  int steps = 0;
  auto count = [&](cudaStream_t s) { fakeAdd(&out[0], ++steps, s); };
  // CHECK: region 'counter'
  // CHECK-NEXT: relaxed: differs, 1 node
  // CHECK-NEXT: differ: 1 byte, the first at 0; so do two eager runs
  show(cudagraph::probe(region("counter"), fakeStream(), count));
  // CHECK: region 'counter'
  // CHECK-NEXT: relaxed: replayed
  steps = 0;
  show(cudagraph::probe(region("counter").reset([&] { steps = 0; }),
                        fakeStream(), count));

  // The source of a captured copy, overwritten by the next owner of the memory.
  static int reused;
  auto local = [](cudaStream_t s) {
    reused = 6;
    fakeCopy(&out[0], &reused, 4, s);
    if (s == fakeStream())
      reused += 1;
  };
  // CHECK: region 'dangling'
  // CHECK-NEXT: relaxed: differs, 1 node
  show(cudagraph::probe(region("dangling"), fakeStream(), local));

  // Two replays that differ: the buffer is not the whole state.
  static int hidden;
  auto state = [](cudaStream_t s) {
    fakeAdd(&hidden, 1, s);
    fakeCopy(&out[0], &hidden, 4, s);
  };
  // CHECK: region 'hidden'
  // CHECK: 'out': two replays differ: 1 byte, the first at 0
  show(cudagraph::probe(region("hidden"), fakeStream(), state));

  static float x[3];
  static float drift;
  auto noisy = [](cudaStream_t s) {
    drift += 1e-6f;
    static float values[3];
    values[0] = values[2] = 1 + drift;
    values[1] = NAN;
    fakeCopy(x, values, sizeof(x), s);
    if (std::isnan(drift))
      std::memset(values, 0, sizeof(values));
    values[2] += 1;
  };
  using cudagraph::tolerance;
  // CHECK: region 'close'
  // CHECK: 'x': replay and eager run differ: 1 element, the first at 8{{$}}
  show(cudagraph::probe(cudagraph::region("close").modes(0).buffer(
                            x, sizeof(x), "x", {tolerance::f32, 1e-4, 0}),
                        fakeStream(), noisy));
}
