// --roots=stream-param for the driver API and libtorch.

// RUN: %check %s --roots=stream-param --torch

#include <cuda.h>
#include <cstdint>
#include <c10/cuda/CUDAStream.h>
#include <c10/cuda/CUDAException.h>
void a(CUstream s) { cuStreamSynchronize(s); }
  // CHECK-MESSAGES: :[[@LINE-1]]:22: warning: 'cuStreamSynchronize'
void b(c10::cuda::CUDAStream s) { s.synchronize(); }
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: 'c10::cuda::CUDAStream::synchronize'
void c(const c10::cuda::CUDAStream &s, void *p) {
  cudaMemsetAsync(p, 0, 4, s);
  cudaMemsetAsync(p, 0, 4, s.stream());
  cudaMemsetAsync(p, 0, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemsetAsync'
}
void d(c10::cuda::CUDAStream s) { C10_CUDA_CHECK(cudaStreamSynchronize(s)); }
  // CHECK-MESSAGES: :[[@LINE-1]]:50: warning: 'cudaStreamSynchronize'
void e(c10::cuda::CUDAStream s, void *p) {
  cudaMemsetAsync(p, 0, 4, c10::cuda::getDefaultCUDAStream());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemsetAsync'
}
