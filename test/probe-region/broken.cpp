// Calls that break the capture, and the part of the region that contains them.

// REQUIRES: gxx
// UNSUPPORTED: asan
// RUN: %python %S/Inputs/run.py %build %annotations %t.dir %s | FileCheck %s

#include "fake.h"
#include <cstdio>
#include <cudagraph/probe.h>

static int out;

static void attention(cudaStream_t s) {
  cudagraph::scoped_region part("attention");
  fakeAdd(&out, 1, s);
  {
    cudagraph::scoped_region part("workspace");
    fakeMalloc();
  }
}

static void layer(cudaStream_t s) {
  cudagraph::scoped_region part("layer");
  attention(s);
  cudagraph::scoped_region rest("mlp");
  fakeAdd(&out, 1, s);
}

static void show(const cudagraph::result &r) {
  std::fputs(r.text().c_str(), stdout);
  std::printf("out %d, left %d, ok %d\n", out, fakeLeft(), r.ok());
}

int main() {
  cudagraph::region region("model");
  region.buffer(&out, sizeof(out), "out");
  // CHECK: region 'model'
  // CHECK-NEXT: global: invalidated in 'layer/attention/workspace'; end: 901 CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
  // CHECK-NEXT: thread-local: invalidated in 'layer/attention/workspace'; end: 901
  // CHECK-NEXT: relaxed: replayed, 2 nodes
  // CHECK-NEXT: out 2, left 0, ok 0
  cudagraph::result r = cudagraph::probe(region, fakeStream(), layer);
  show(r);
  // CHECK-NEXT: 2 901 -1 layer/attention/workspace
  std::printf("%d %d %d %s\n", r.modes[0].status, r.modes[0].code("end"),
              r.modes[0].code("launch"), r.modes[0].broken_in.c_str());

  // The code that the body returns.
  // CHECK: global: invalidated; body: 900 CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED; end: 901
  // CHECK-NEXT: thread-local: invalidated; body: 900
  // CHECK-NEXT: relaxed: invalidated; body: 900
  // CHECK-NEXT: out 2, left 0, ok 0
  show(cudagraph::probe(region, fakeStream(),
                        [](cudaStream_t s) { return fakeWait(s); }));

  // A capture that the body itself ends.
  // CHECK: global: refused; end: 401
  // CHECK: out 2, left 0, ok 0
  show(cudagraph::probe(region, fakeStream(), [](cudaStream_t s) {
    CUgraph_st *g = nullptr;
    fakeMalloc();
    if (cuStreamEndCapture(s, &g) == 0)
      cuGraphDestroy(g);
  }));
}
