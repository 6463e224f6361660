// Thrust and CUB from the toolkit. All cases share one file, because parsing the
// headers takes much longer than any case.

// REQUIRES: cuda
// RUN: %check %s --cuda-include=%cuda-include --real-std

#include <cub/cub.cuh>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/shuffle.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>
#include <utility>

// Outcomes that depend on a policy, and a size query.
namespace policies_and_sizes {
using Vector = thrust::device_vector<float>;

struct Twice {
  __host__ __device__ float operator()(float x) const { return 2 * x; }
};
struct Memory {
  using value_type = char;
  char *allocate(std::ptrdiff_t size);
  void deallocate(char *p, size_t size);
};

void policies(Vector &v, Memory &memory, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  thrust::transform(thrust::cuda::par.on(s), v.begin(), v.end(), v.begin(), Twice());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::transform' runs on stream 'thrust::cuda::par.on(s)', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode inside the library, which returns its own status [cudagraph-sync-call]
  thrust::sort(thrust::cuda::par(memory).on(s), v.begin(), v.end());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::sort' runs on stream 'thrust::cuda::par(memory).on(s)', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode
  thrust::transform(thrust::device, v.begin(), v.end(), v.begin(), Twice());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::transform' runs on the legacy default stream while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; CUDA returns cudaErrorStreamCaptureUnsupported (900) if the capturing stream is non-blocking [cudagraph-default-stream]
  thrust::transform(v.begin(), v.end(), v.begin(), Twice());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::transform' runs on the legacy default stream while 's' (global mode) captures
  cudaStreamEndCapture(s, g);
}
// A result on the host causes a wait with any policy.
void result(Vector &v, cudaStream_t s, cudaGraph_t *g) {
  auto policy = thrust::cuda::par_nosync.on(s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  thrust::reduce(policy, v.begin(), v.end());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::reduce' runs on stream 'policy', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode
  cudaStreamEndCapture(s, g);
}
template <class Policy> void sorted(const Policy &policy, Vector &v) {
  thrust::sort(policy, v.begin(), v.end());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::sort' runs on stream 'policy', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode
}
void handed_on(Vector &v, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  sorted(thrust::cuda::par.on(s), v);
  cudaStreamEndCapture(s, g);
}
void vectors(Vector &v, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  Vector local(100);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: 'thrust::device_vector::device_vector' allocates device memory and fills it on the legacy default stream while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-default-stream]
  v.resize(7);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::device_vector::resize' allocates device memory and fills it on the legacy default stream while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-default-stream]
  float first = v[0];
  // CHECK-MESSAGES: :[[@LINE-1]]:17: warning: 'thrust::device_reference::operator value_type' copies an element to the host on the legacy default stream
  v.push_back(first);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::device_vector::push_back' allocates device memory or reads it on the legacy default stream
  cudaStreamEndCapture(s, g);
}
void primitives(float *x, void *memory, cudaStream_t s, cudaGraph_t *g) {
  size_t size = 0;
  void *none = nullptr;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cub::DeviceReduce::Sum(nullptr, size, x, x, 4);
  cub::DeviceReduce::Sum(none, size, x, x, 4, s);
  cub::DeviceReduce::Sum(memory, size, x, x, 4, s);
  cub::DeviceFor::ForEachN(x, 4, Twice(), s);
  cub::DeviceReduce::Sum(memory, size, x, x, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cub::DeviceReduce::Sum' runs a device-wide algorithm on the legacy default stream while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; the work runs once, at capture, and is not in the graph if the capturing stream is non-blocking [cudagraph-default-stream]
  cudaStreamEndCapture(s, g);
}

// Algorithms that do not wait and use at most stream-ordered memory, or do no
// device work: no findings.
void legal(Vector &v, Memory &memory, thrust::host_vector<float> &host, cudaStream_t s,
           cudaGraph_t *g) {
  struct {
    decltype(thrust::cuda::par_nosync.on(s)) policy;
  } kept{thrust::cuda::par_nosync.on(s)};
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  thrust::transform(thrust::cuda::par_nosync.on(s), v.begin(), v.end(), v.begin(),
                    Twice());
  thrust::sort(thrust::cuda::par_nosync(memory).on(s), v.begin(), v.end());
  thrust::sort(kept.policy, v.begin(), v.end());
  thrust::exclusive_scan(kept.policy, v.begin(), v.end(), v.begin());
  thrust::transform(thrust::host, host.begin(), host.end(), host.begin(), Twice());
  thrust::sort(host.begin(), host.end());
  cudaStreamEndCapture(s, g);
}
} // namespace policies_and_sizes

// Memory, calls that wait for it, and algorithms with their own stream.
namespace memory_and_streams {
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
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::device_vector::operator=' copies memory and may allocate it on the legacy default stream
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
} // namespace memory_and_streams

// A reference to an element does nothing; a read or a write copies the element.
// Some vectors are constructed without memory.
namespace elements {
using Vector = thrust::device_vector<float>;
void use(float *address);
void use(float value);
void use(Vector &v);

void legal(Vector &v, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  use(thrust::raw_pointer_cast(&v[0]));
  use(thrust::raw_pointer_cast(&v.front()));
  use(thrust::raw_pointer_cast(v.data()));
  thrust::device_ptr<float> p = &v[1];
  auto &&element = v[2];
  Vector empty;
  Vector taken = std::move(v);
  use(empty);
  use(taken);
  cudaStreamEndCapture(s, g);
}
void reads(Vector &v, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  use(v[0]);
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'thrust::device_reference::operator value_type' copies an element to the host on the legacy default stream while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; CUDA returns cudaErrorStreamCaptureUnsupported (900) if the capturing stream is non-blocking [cudagraph-default-stream]
  cudaStreamEndCapture(s, g);
}
void reads_the_last(Vector &v, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  float last = v.back();
  // CHECK-MESSAGES: :[[@LINE-1]]:16: warning: 'thrust::device_reference::operator value_type' copies an element to the host on the legacy default stream
  cudaStreamEndCapture(s, g);
}
void writes(Vector &v, thrust::device_ptr<float> p, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  v[0] = 1;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::device_reference::operator=' writes an element on the device on the legacy default stream
  *p = 1;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::device_reference::operator=' writes an element on the device on the legacy default stream
  v[0] = v[1];
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::device_reference::operator=' writes an element on the device on the legacy default stream
  v[0] += 2;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::device_reference::operator+=' reads and writes an element on the device on the legacy default stream
  Vector copy = v;
  // CHECK-MESSAGES: :[[@LINE-1]]:17: warning: 'thrust::device_vector::device_vector' allocates device memory and fills it on the legacy default stream
  cudaStreamEndCapture(s, g);
}
} // namespace elements
