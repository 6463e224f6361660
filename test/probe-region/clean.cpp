// A body that can be captured: each mode replays, and afterwards the state is
// the same as after one eager run.

// REQUIRES: gxx
// UNSUPPORTED: asan
// RUN: %python %S/Inputs/run.py %build %annotations %t.dir %s | FileCheck %s

#include "fake.h"
#include <cstdio>
#include <cudagraph/probe.h>

int main() {
  int in = 5, out = 1;
  cudagraph::region region("decode");
  region.buffer(&in, sizeof(in), "in").buffer(&out, sizeof(out), "out");
  auto step = [&](cudaStream_t s) {
    fakeAdd(&out, 2, s);
    return fakeCopy(&in, &out, 4, s);
  };
  cudagraph::result r = cudagraph::probe(region, fakeStream(), step);
  // CHECK: region 'decode'
  // CHECK-NEXT: {{^}}  global: replayed, 2 nodes{{$}}
  // CHECK-NEXT: {{^}}  thread-local: replayed, 2 nodes{{$}}
  // CHECK-NEXT: {{^}}  relaxed: replayed, 2 nodes{{$}}
  std::fputs(r.text().c_str(), stdout);
  // CHECK-NEXT: 1 3 2 3 3 0
  std::printf("%d %zu %d %d %d %d\n", r.ok(), r.modes.size(),
              r.modes[2].mode, in, out, fakeLeft());
  // CHECK-NEXT: begin 0 body 0 end 0 instantiate 0 launch 0 synchronize 0
  for (const cudagraph::step &s : r.modes[0].steps)
    std::printf("%s %d%s", s.name.c_str(), s.code,
                s.name == "synchronize" ? "\n" : " ");

  // Modes that run only on request, and no buffers.
  enum mode { global, threadLocal, relaxed };
  r = cudagraph::probe(cudagraph::region("one").modes(relaxed), fakeStream(),
                       [](cudaStream_t) {});
  // CHECK-NEXT: region 'one'
  // CHECK-NEXT: relaxed: replayed, 0 nodes
  std::fputs(r.text().c_str(), stdout);

  // On a capturing stream, and in another probe, the body is called once.
  int bodies = 0;
  auto count = [&](cudaStream_t) { ++bodies; };
  cuStreamBeginCapture_v2(fakeStream(), 0);
  r = cudagraph::probe(cudagraph::region("inner"), fakeStream(), count);
  CUgraph_st *graph;
  cuStreamEndCapture(fakeStream(), &graph);
  // CHECK-NEXT: region 'inner': the stream is already capturing
  // CHECK-NEXT: 0 0 1
  std::fputs(r.text().c_str(), stdout);
  std::printf("%d %zu %d\n", r.ok(), r.modes.size(), bodies);
  bool told = false;
  cudagraph::probe(
      cudagraph::region("outer").modes(0), fakeStream(), [&](cudaStream_t s) {
        auto tell = [&](const cudagraph::result &r) {
          if (!told)
            std::fputs(r.text().c_str(), stdout);
          told = true;
        };
        cudagraph::probe(cudagraph::region("inner").report(tell), s, count);
      });
  // CHECK-NEXT: region 'inner': called inside another probe
}
