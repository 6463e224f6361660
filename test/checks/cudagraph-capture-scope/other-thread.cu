// A thread begins a capture and leaves it open; another thread ends it, which
// CUDA refuses unless the capture is in relaxed mode.

// RUN: %check %s cudagraph-capture-scope

#include <pthread.h>
#include <thread>

__global__ void k(float *x);

struct Recorder {
  cudaStream_t stream;
  float *data;
  cudaGraph_t graph;
};

static void *record(void *opaque) {
  auto *r = static_cast<Recorder *>(opaque);
  if (cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeThreadLocal))
    return nullptr;
  k<<<1, 1, 0, r->stream>>>(r->data);
  return nullptr;
}

cudaError_t by_pthread(Recorder *r) {
  pthread_t thread;
  if (pthread_create(&thread, nullptr, record, r))
    return cudaErrorUnknown;
  pthread_join(thread, nullptr);
  return cudaStreamEndCapture(r->stream, &r->graph);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: 'cudaStreamEndCapture' ends the capture
}

cudaError_t by_lambda(Recorder &r) {
  std::thread thread([&r] {
    if (cudaStreamBeginCapture(r.stream, cudaStreamCaptureModeGlobal) ==
        cudaSuccess)
      k<<<1, 1, 0, r.stream>>>(r.data);
  });
  thread.join();
  return cudaStreamEndCapture(r.stream, &r.graph);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: 'cudaStreamEndCapture' ends the capture
}

// In relaxed mode, any thread may end the capture.
cudaError_t relaxed(Recorder &r) {
  std::thread thread([&r] {
    if (cudaStreamBeginCapture(r.stream, cudaStreamCaptureModeRelaxed) ==
        cudaSuccess)
      k<<<1, 1, 0, r.stream>>>(r.data);
  });
  thread.join();
  return cudaStreamEndCapture(r.stream, &r.graph);
}

// The thread ends its own capture.
cudaError_t whole(Recorder &r) {
  cudaError_t status = cudaErrorUnknown;
  std::thread thread([&] {
    if (cudaStreamBeginCapture(r.stream, cudaStreamCaptureModeThreadLocal) !=
        cudaSuccess)
      return;
    k<<<1, 1, 0, r.stream>>>(r.data);
    status = cudaStreamEndCapture(r.stream, &r.graph);
  });
  thread.join();
  return status;
}
