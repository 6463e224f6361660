// The allocation is in a buffer that grows, a container's allocator, or a
// destructor.

// RUN: %check %s cudagraph-pinned-allocation

#include <vector>
#include <utility>

__global__ void kernel(float *x);

class HostBuffer {
public:
  HostBuffer() = default;
  explicit HostBuffer(size_t n) { resize(n); }
  ~HostBuffer() {
    if (p_)
      cudaFreeHost(p_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaFreeHost' frees pinned host memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
    // CHECK-NOTES: note: runs 'HostBuffer::~HostBuffer'
  }
  void resize(size_t n) {
    if (n <= size_)
      return;
    if (p_)
      cudaFreeHost(p_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaFreeHost' frees pinned host memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
    cudaMallocHost((void **)&p_, n);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMallocHost' allocates pinned host memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-pinned-allocation]
    size_ = n;
  }
  void *data() { return p_; }

private:
  void *p_ = nullptr;
  size_t size_ = 0;
};

class Uploader {
public:
  explicit Uploader(cudaStream_t s) : stream_(s) {}
  void upload(void *d, const void *h, size_t n) {
    staging_.resize(n);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls 'HostBuffer::resize'
    cudaMemcpyAsync(d, staging_.data(), n, cudaMemcpyHostToDevice, stream_);
  }

private:
  HostBuffer staging_;
  cudaStream_t stream_;
};

void capture(Uploader &uploader, float *d, const float *h, size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: capture of 's' (non-blocking, global mode) begins here
  uploader.upload(d, h, n);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'Uploader::upload'
  {
    HostBuffer temporary(n);
    cudaMemcpyAsync(d, temporary.data(), n, cudaMemcpyHostToDevice, s);
  }
  cudaStreamEndCapture(s, &graph);
}
