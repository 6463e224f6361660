// Thrust host vectors whose allocator uses pinned memory.

// REQUIRES: cuda
// RUN: %check %s --cuda-include=%cuda-include --real-std

#include <thrust/host_vector.h>
#include <thrust/mr/allocator.h>
#include <thrust/system/cuda/memory_resource.h>

template <typename T>
using Pinned = thrust::host_vector<
    T, thrust::mr::stateless_resource_allocator<
           T, thrust::cuda::universal_host_pinned_memory_resource>>;

void allocates(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  Pinned<float> staging(1000);
  // CHECK-MESSAGES: :[[@LINE-1]]:17: warning: 'thrust::pinned_host_vector::host_vector' allocates pinned host memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode
  cudaStreamEndCapture(s, g);
}
void grows(Pinned<float> &staging, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  staging.resize(2000);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::pinned_host_vector::resize' may allocate pinned host memory while 's' (global mode) captures
  cudaStreamEndCapture(s, g);
}
// Legal: the vector is created before the capture, is empty, or is not pinned.
void legal(cudaStream_t s, cudaGraph_t *g) {
  Pinned<float> staging(1000);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  Pinned<float> empty;
  thrust::host_vector<float> paged(1000);
  cudaStreamEndCapture(s, g);
}
