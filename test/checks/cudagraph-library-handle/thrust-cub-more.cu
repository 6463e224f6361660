// Thrust and CUB of the toolkit: memory, what it is waited for, and algorithms
// with a stream of their own.

// REQUIRES: cuda
// RUN: %check %s --cuda-include=%cuda-include --real-std

#include <cub/cub.cuh>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/random.h>
#include <thrust/shuffle.h>
#include <thrust/unique.h>

using Vector = thrust::device_vector<float>;

struct Twice {
  __host__ __device__ float operator()(float x) const { return 2 * x; }
};
struct Less {
  __host__ __device__ bool operator()(float x, float y) const { return x < y; }
};

void algorithms(Vector &v, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  thrust::unique_count(thrust::cuda::par_nosync.on(s), v.begin(), v.end());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::unique_count' runs on stream 'thrust::cuda::par_nosync.on(s)', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode
  thrust::shuffle(thrust::cuda::par.on(s), v.begin(), v.end(),
                  thrust::default_random_engine());
  // CHECK-MESSAGES: :[[@LINE-2]]:3: warning: 'thrust::shuffle' runs on stream 'thrust::cuda::par.on(s)', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode
  thrust::shuffle(thrust::cuda::par_nosync.on(s), v.begin(), v.end(),
                  thrust::default_random_engine());
  cudaStreamEndCapture(s, g);
}
void memory(Vector &v, thrust::host_vector<float> &host, thrust::device_ptr<float> old,
            cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  thrust::device_malloc<float>(4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::device_malloc' allocates device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  thrust::device_free(old);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::device_free' frees device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  v = host;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::device_vector::operator=' copies memory, and may allocate it, on the legacy default stream
  cudaStreamEndCapture(s, g);
}
void primitives(float *x, int *offsets, void *memory, cudaStream_t s, cudaGraph_t *g) {
  size_t size = 0;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cub::DeviceMergeSort::StableSortKeysCopy(memory, size, x, x, 4, Less());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cub::DeviceMergeSort::StableSortKeysCopy' runs a device-wide algorithm on the legacy default stream
  cub::DeviceSegmentedSort::StableSortKeysDescending(memory, size, x, x, 4, 1, offsets,
                                                     offsets + 1);
  // CHECK-MESSAGES: :[[@LINE-2]]:3: warning: 'cub::DeviceSegmentedSort::StableSortKeysDescending' runs a device-wide algorithm on the legacy default stream
  cub::DeviceTransform::TransformStableArgumentAddresses(x, x, 4, Twice());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cub::DeviceTransform::TransformStableArgumentAddresses' runs a device-wide algorithm on the legacy default stream
  cub::SyncStream(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cub::SyncStream' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cub::DeviceMergeSort::StableSortKeysCopy(nullptr, size, x, x, 4, Less());
  cub::DeviceMergeSort::StableSortKeysCopy(memory, size, x, x, 4, Less(), s);
  cub::DeviceTransform::TransformStableArgumentAddresses(x, x, 4, Twice(), s);
  cudaStreamEndCapture(s, g);
}
void cached(cub::CachingDeviceAllocator &memory, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  memory.FreeAllCached();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cub::CachingDeviceAllocator::FreeAllCached' frees the device memory in its cache while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  cudaStreamEndCapture(s, g);
}
