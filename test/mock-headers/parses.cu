// The mock headers work as a toolkit: with the system's C++ library, as CUDA
// and as C++, with and without per-thread default streams, and in C. They also
// work with the bundled replacements for the C++ library and the C library.

// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror %s
// RUN: %clangxx -std=c++20 %mockflags -fsyntax-only -Wall -Werror %s
// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror -DCUDA_API_PER_THREAD_DEFAULT_STREAM %s
// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror -nostdinc++ -isystem %mock-std %s
// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror -nostdlibinc -isystem %mock-std -isystem %mock-c %s
// RUN: %clangxx -std=c++17 -x c++ -nostdlibinc -isystem %mock -isystem %mock-std -isystem %mock-c -fsyntax-only -Wall -Werror -DHOST_ONLY %s
// RUN: %clangxx -std=c++17 -x c++ -isystem %mock -fsyntax-only -Wall -Werror -DHOST_ONLY %s
// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Xclang -ast-dump -Xclang -ast-dump-filter=probe_ %s > %t.ast
// RUN: %FileCheck %s < %t.ast
// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Xclang -ast-dump -Xclang -ast-dump-filter=probe_ -DCUDA_API_PER_THREAD_DEFAULT_STREAM %s > %t.ptds.ast
// RUN: %FileCheck %s --check-prefix=PTDS < %t.ptds.ast
// RUN: echo '#include <cuda_runtime_api.h>' > %t.c
// RUN: echo '#include <cuda.h>' >> %t.c
// RUN: %clangxx -x c -std=c11 -isystem %mock -fsyntax-only -Wall -Werror %t.c

#include <cassert>
#include <cmath>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include <functional>
#include <memory>
#include <vector>

#ifndef HOST_ONLY
__constant__ float table[4];

__global__ void kernel(float *x, int n) {
  __shared__ float partial[32];
  extern __shared__ float more[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = expf(x[i]) * table[0] + sqrt(x[i]) + max(i, 3) + more[0];
  for (int o = 16; o; o /= 2)
    v += __shfl_down_sync(~0u, v, o);
  partial[threadIdx.x % 32] = v;
  __syncthreads();
  assert(n > 0);
  printf("%d\n", i);
  atomicAdd(x, partial[0]);
}

void probe_launches(cudaStream_t s, float *x) {
  // CHECK: CUDAKernelCallExpr
  // CHECK: DeclRefExpr {{.*}}'__cudaPushCallConfiguration'
  kernel<<<1, 2>>>(x, 3);
  kernel<<<dim3(1, 2), 2, 0, s>>>(x, 3);
  float host[4];
  cudaMemcpyToSymbol(table, host, sizeof(host));
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 3);
  cudaLaunchConfig_t config = {};
  cudaLaunchKernelEx(&config, kernel, x, 3);
  auto device = [=] __device__(int i) { return i; };
  (void)device;
}
#endif

static_assert(cudaErrorStreamCaptureUnsupported == 900, "");
static_assert(cudaErrorStreamCaptureWrongThread == 908, "");
static_assert(cudaStreamCaptureModeGlobal == 0, "");

void probe_host(cudaStream_t s, float *x) {
  int *p;
  // CHECK: DeclRefExpr {{.*}} 'cudaMalloc' {{.*}}FunctionTemplate
  cudaMalloc(&p, 4);
  cudaMallocAsync(&p, 4, s);
  // CHECK: DeclRefExpr {{.*}} 'cudaMemcpy'
  // PTDS: DeclRefExpr {{.*}} 'cudaMemcpy_ptds'
  cudaMemcpy(p, x, 4, cudaMemcpyDefault);
  // PTDS: DeclRefExpr {{.*}} 'cudaMemcpyAsync_ptsz'
  cudaMemcpyAsync(p, x, 4, cudaMemcpyDefault);
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaStreamEndCapture(s, &graph);
  cudaStreamSynchronize(cudaStreamLegacy);
  cudaStreamSynchronize(cudaStreamPerThread);
  CUdeviceptr d;
  // CHECK: DeclRefExpr {{.*}} 'cuMemAlloc_v2'
  cuMemAlloc(&d, 4);
  // CHECK: DeclRefExpr {{.*}} 'cuStreamBeginCapture_v2'
  // PTDS: DeclRefExpr {{.*}} 'cuStreamBeginCapture_v2_ptsz'
  cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
