// The analysis treats a probe's body as a region, with and without the macro.

// RUN: not %driver %s -- -std=c++17 %mockflags -I%annotations | FileCheck %s
// RUN: not %driver %s -- -std=c++17 %mockflags -I%annotations -DCUDAGRAPH_PROBE | FileCheck %s

#include <cudagraph/probe.h>

void body(cudaStream_t stream) {
  cudaStreamSynchronize(stream);
}

void run(cudaStream_t stream) {
  cudaStreamSynchronize(stream);
  cudagraph::probe(cudagraph::region("decode"), stream, body);
  cudagraph::probe(cudagraph::region("lambda"), stream,
                   [](cudaStream_t s) { cudaStreamSynchronize(s); });
}

// CHECK-NOT: analysed.cpp:13
// CHECK: analysed.cpp:9:3: warning: {{.*}}cudagraph-sync-call
// CHECK: analysed.cpp:16:{{.*}} warning: {{.*}}cudagraph-sync-call
