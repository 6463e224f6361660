// The header compiles everywhere in both forms, which may be in one program,
// and the plain form costs nothing.

// RUN: %clangxx -std=c++17 %strict -fsyntax-only %s
// RUN: %clangxx -std=c++17 %strict -DCUDAGRAPH_PROBE -fsyntax-only %s
// RUN: %clangxx -std=c++17 %strict -D__CUDAGRAPH_TIDY__ -DCUDAGRAPH_PROBE -fsyntax-only %s
// RUN: %clangxx -std=c++20 %strict -DCUDAGRAPH_PROBE -fno-exceptions -fno-rtti -fsyntax-only %s
// RUN: %if gxx %{ g++ -std=c++17 %strict -fsyntax-only %s %}
// RUN: %if gxx %{ g++ -std=c++17 %strict -DCUDAGRAPH_PROBE -fsyntax-only %s %}
// RUN: %if gxx %{ g++ -std=c++20 %strict -DCUDAGRAPH_PROBE -fsyntax-only %s %}
// RUN: %if nvcc %{ nvcc -std=c++17 -x cu -I%annotations -c %s -o %t.o %}
// RUN: %if nvcc %{ nvcc -std=c++17 -x cu -I%annotations -DCUDAGRAPH_PROBE -c %s -o %t.o %}
// RUN: %if nvcc %{ nvcc -std=c++17 -x cu -I%annotations -DCUDAGRAPH_PROBE --default-stream per-thread -c %s -o %t.o %}

// RUN: %clangxx -std=c++17 -O2 -I%annotations -S -emit-llvm -o - %s | FileCheck %s

#include <cudagraph/probe.h>

#ifndef __CUDACC__
typedef struct CUstream_st *cudaStream_t;
#endif
void work(cudaStream_t stream);

// CHECK: define {{.*}}free
// CHECK-NOT: {{call|invoke|store}}
// CHECK: call {{.*}}work
// CHECK-NOT: {{call|invoke|store}}
// CHECK: ret void
void free(cudaStream_t stream, void *data) {
  cudagraph::region region("decode");
  region.modes(0, 1).buffer(data, 4, "data").change_inputs([] {});
  cudagraph::scoped_region part("part");
  cudagraph::probe(region, stream, work);
}

// A stream class such as c10::cuda::CUDAStream.
struct Wrapped {
  cudaStream_t it;
  cudaStream_t stream() const { return it; }
};

bool wrapped(cudaStream_t stream, double *data) {
  using cudagraph::tolerance;
  cudagraph::region region("wrapped");
  region.buffer(data, 8, "data", {tolerance::f64, 0, 1e-9})
      .change_inputs([](cudaStream_t s) { work(s); })
      .reset([] {})
      .report([](const cudagraph::result &r) { return r.ok(); })
      .keep_exceptions();
  return cudagraph::probe(region, Wrapped{stream},
                          [](Wrapped s) { work(s.stream()); })
      .ok();
}
