// Calls in macros, inside and around the host function.

// RUN: %check %s cudagraph-host-callback

#include <cstdlib>

#define CU_CHECK(call)                                                         \
  do {                                                                         \
    if ((call) != cudaSuccess)                                                 \
      abort();                                                                 \
  } while (0)

#define RELEASE(p)                                                             \
  do {                                                                         \
    free(p);                                                                   \
    (p) = nullptr;                                                             \
  } while (0)

#define ENQUEUE(s, f, data) CU_CHECK(cudaLaunchHostFunc(s, f, data))

static void CUDART_CB releases(void *data) {
  RELEASE(data);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the host function 'releases' frees its data, and every replay passes the same data to it again; the second replay will use freed memory [cudagraph-host-callback]
}

static void CUDART_CB waits(void *data) {
  CU_CHECK(cudaStreamSynchronize(*static_cast<cudaStream_t *>(data)));
  // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: 'cudaStreamSynchronize' is called in a host function of the graph; CUDA returns cudaErrorNotPermitted (800) on every replay [cudagraph-host-callback]
}

static void CUDART_CB finished(cudaStream_t, cudaError_t, void *) {}

void capture(cudaStream_t s, cudaStream_t *side, cudaGraph_t *graph) {
  CU_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  ENQUEUE(s, releases, malloc(16));
  ENQUEUE(s, waits, side);
  CU_CHECK(cudaStreamEndCapture(s, graph));
}

void callback(cudaStream_t s, cudaGraph_t *graph) {
  CU_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CU_CHECK(cudaStreamAddCallback(s, finished, nullptr, 0));
  // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: 'cudaStreamAddCallback' adds a callback on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-host-callback]
  CU_CHECK(cudaStreamEndCapture(s, graph));
}
