// A loop over a table of steps, one of which begins the capture, ends after the
// last step, whether the capture is active or not.

// RUN: %check %s cudagraph-sync-call,cudagraph-capture-scope --real-std

#include <thread>

__global__ void k(float *x);
struct Job;
typedef cudaError_t (*StepFn)(Job *);
struct Job {
  cudaStream_t stream;
  float *x;
  const StepFn *steps;
  int count;
  cudaError_t rc;
};
static cudaError_t openStep(Job *j) {
  return cudaStreamBeginCapture(j->stream, cudaStreamCaptureModeGlobal);
}
static cudaError_t workStep(Job *j) {
  k<<<1, 1, 0, j->stream>>>(j->x);
  return cudaGetLastError();
}
static cudaError_t waitStep(Job *j) { return cudaStreamSynchronize(j->stream); }

static const StepFn Steps[] = {openStep, workStep, workStep};
void waitsLater(Job *j, cudaGraph_t *graph) {
  int count = (int)(sizeof Steps / sizeof Steps[0]);
  j->rc = cudaSuccess;
  for (int i = 0; i < count && j->rc == cudaSuccess; i++)
    j->rc = Steps[i](j);
  cudaStreamSynchronize(j->stream);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 'j->stream', which is capturing
  cudaStreamEndCapture(j->stream, graph);
}

// The thread that begins the capture ends without a failure.
static void record(Job *j) {
  j->rc = cudaSuccess;
  for (int i = 0; i < j->count && j->rc == cudaSuccess; i++)
    j->rc = j->steps[i](j);
}
void endsElsewhere(Job *j, cudaGraph_t *graph) {
  j->steps = Steps;
  j->count = 3;
  std::thread recorder([j] { record(j); });
  recorder.join();
  cudaStreamEndCapture(j->stream, graph);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture on stream 'j->stream', which is capturing; CUDA returns cudaErrorStreamCaptureWrongThread (908)
}

static const StepFn Before[] = {workStep, waitStep};
void waitsBefore(Job *j, cudaGraph_t *graph) {
  j->rc = cudaSuccess;
  for (int i = 0; i < 2 && j->rc == cudaSuccess; i++)
    j->rc = Before[i](j);
  cudaStreamBeginCapture(j->stream, cudaStreamCaptureModeGlobal);
  workStep(j);
  cudaStreamEndCapture(j->stream, graph);
  waitStep(j);
}
