// A constructor of a library that creates a stream or an execution policy.

// RUN: %check %s

#include <cublas_v2.h>

__global__ void k(float *p);

namespace rmm {
class cuda_stream_view {
public:
  cuda_stream_view(cudaStream_t stream);
  cudaStream_t value() const;
  operator cudaStream_t() const;
};
class cuda_stream {
public:
  enum class flags : unsigned { sync_default, non_blocking };
  cuda_stream(flags flags = flags::sync_default);
  ~cuda_stream();
  cudaStream_t value() const;
  cuda_stream_view view() const;
  void synchronize() const;
};
} // namespace rmm

void on_the_stream(float *p, cudaGraph_t *g) {
  rmm::cuda_stream s(rmm::cuda_stream::flags::non_blocking);
  cudaStreamBeginCapture(s.value(), cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s.value()>>>(p);
  k<<<1, 1, 0, s.view().value()>>>(p);
  k<<<1, 1, 0, s.view()>>>(p);
  cudaStreamEndCapture(s.value(), g);
}
void elsewhere(float *p, cudaGraph_t *g) {
  rmm::cuda_stream s(rmm::cuda_stream::flags::non_blocking), other;
  cudaStreamBeginCapture(s.value(), cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, other.value()>>>(p);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' is launched on stream 'other.value()', which is not part of the capture of 's.value()'; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  k<<<1, 1>>>(p);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' is launched on the legacy default stream while 's.value()' (non-blocking, global mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  s.synchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'rmm::cuda_stream::synchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaStreamEndCapture(s.value(), g);
}
void blocking(float *p, cudaGraph_t *g) {
  rmm::cuda_stream s;
  cudaStreamBeginCapture(s.value(), cudaStreamCaptureModeGlobal);
  k<<<1, 1>>>(p);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' is launched on the legacy default stream while 's.value()' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-default-stream]
  cudaStreamEndCapture(s.value(), g);
}
