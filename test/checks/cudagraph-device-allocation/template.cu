// Typed buffers and deleters.

// RUN: %check %s cudagraph-device-allocation
// RUN: %if gxx %{ %check %s cudagraph-device-allocation --real-std %}

#include <memory>
#include <utility>

template <typename T> T *device_alloc(size_t n) {
  T *p = nullptr;
  cudaMalloc(&p, n * sizeof(T));
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc' allocates device memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  return p;
}

template <typename T> struct AsyncBuffer {
  T *p = nullptr;
  cudaStream_t s;
  AsyncBuffer(size_t n, cudaStream_t s) : s(s) { cudaMallocAsync(&p, n * sizeof(T), s); }
  ~AsyncBuffer() { cudaFreeAsync(p, s); }
};

struct DeviceDelete {
  template <typename T> void operator()(T *p) const {
    cudaFree(p);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree' frees device memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  }
};

template <typename T, typename Delete> struct Owner {
  T *p;
  ~Owner() { Delete()(p); }
};

void capture(size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  {
    float *f = device_alloc<float>(n);
    Owner<double, DeviceDelete> d{device_alloc<double>(n)};
    cudaMemsetAsync(f, 0, n, s);
    cudaMemsetAsync(d.p, 0, n, s);
    AsyncBuffer<float> captured(n, s);
    cudaMemsetAsync(captured.p, 0, n, s);
  }
  cudaStreamEndCapture(s, &graph);
  device_alloc<int>(n);
}
