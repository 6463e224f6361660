// Lambdas that fork, work, and join.

// RUN: %check %s cudagraph-stream-dependency

#include <functional>
#include <vector>

__global__ void k(float *x);

void joined(float *x, cudaStream_t s, cudaStream_t t, cudaEvent_t e,
            cudaGraph_t *g) {
  auto order = [e](cudaStream_t before, cudaStream_t after) {
    cudaEventRecord(e, before);
    cudaStreamWaitEvent(after, e, 0);
  };
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  order(s, t);
  [&] { k<<<1, 1, 0, t>>>(x); }();
  order(t, s);
  cudaStreamEndCapture(s, g);
}

void not_joined(float *x, cudaStream_t s, cudaStream_t t, cudaEvent_t e,
                cudaGraph_t *g) {
  auto order = [e](cudaStream_t before, cudaStream_t after) {
    cudaEventRecord(e, before);
    cudaStreamWaitEvent(after, e, 0);
  };
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  order(s, t);
  [&] { k<<<1, 1, 0, t>>>(x); }();
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work {{.*}}stream{{.*}}; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}

// The lambda is stored in a function object.
void kept(float *x, cudaStream_t s, cudaStream_t t, cudaEvent_t e, cudaGraph_t *g) {
  std::function<void()> body = [=] {
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    cudaMemsetAsync(x, 0, 4, t);
  };
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  body();
  cudaStreamEndCapture(s, g);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work {{.*}}stream{{.*}}; CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}

// The event was recorded earlier, in a lambda.
void before(cudaStream_t s, cudaEvent_t e, cudaGraph_t *g) {
  auto record = [&] { cudaEventRecord(e, s); };
  auto wait = [&] { cudaStreamWaitEvent(s, e, 0); };
  // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: 'cudaStreamWaitEvent' makes stream 's' wait for event 'e', which was recorded outside the capture{{,?}} while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureIsolation (905) in every capture mode [cudagraph-stream-dependency]
  record();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  wait();
  cudaStreamEndCapture(s, g);
}
