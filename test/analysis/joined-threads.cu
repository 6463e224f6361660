// A thread that its creator joins immediately runs in order with its creator.
// The state after the join is known.

// RUN: %check %s cudagraph-capture-scope,cudagraph-sync-call,cudagraph-concurrent-work,cudagraph-host-logic --real-std

#include <cuda_runtime.h>
#include <atomic>
#include <future>
#include <pthread.h>
#include <thread>

__global__ void kernel(float *x);

enum class Phase { Idle, Recording, Recorded, Running };

// Each call takes the next step.
template <class T> struct Stepper {
  cudaStream_t stream;
  cudaGraphExec_t exec = nullptr;
  T phase{Phase::Idle};
  Stepper() { cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); }
  void tick(float *x) {
    switch (static_cast<Phase>(phase)) {
    case Phase::Idle:
      cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
      phase = Phase::Recording;
      break;
    case Phase::Recording:
      kernel<<<1, 32, 0, stream>>>(x);
      phase = Phase::Recorded;
      break;
    case Phase::Recorded: {
      cudaGraph_t graph;
      cudaStreamEndCapture(stream, &graph);
      cudaGraphInstantiate(&exec, graph, 0);
      phase = Phase::Running;
      break;
    }
    case Phase::Running:
      cudaGraphLaunch(exec, stream);
      break;
    }
  }
};

void inOrder(float *x) {
  Stepper<Phase> steps;
  steps.tick(x);
  steps.tick(x);
  std::thread other([&] { steps.tick(x); });
  other.join();
  cudaStreamSynchronize(steps.stream);
  steps.tick(x);
}

void ofAtomic(float *x) {
  Stepper<std::atomic<Phase>> steps;
  steps.tick(x);
  std::async(std::launch::async, [&] { steps.tick(x); }).get();
  std::thread([&] { steps.tick(x); }).join();
  cudaStreamSynchronize(steps.stream);
  steps.tick(x);
}

void *step(void *p) {
  static_cast<Stepper<Phase> *>(p)->tick(nullptr);
  return nullptr;
}

void ofPosix() {
  Stepper<Phase> steps;
  steps.tick(nullptr);
  steps.tick(nullptr);
  pthread_t other;
  pthread_create(&other, nullptr, step, &steps);
  pthread_join(other, nullptr);
  cudaStreamSynchronize(steps.stream);
}

// A step is missing.
void tooEarly(float *x) {
  Stepper<Phase> steps;
  steps.tick(x);
  std::thread other([&] { steps.tick(x); });
  other.join();
  cudaStreamSynchronize(steps.stream);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 'steps.stream', which is capturing
  steps.tick(x);
}

// A joined thread is not active during a later capture.
void before(float *x, cudaStream_t s, cudaGraph_t *graph) {
  std::thread other([=] { cudaDeviceSynchronize(); });
  other.join();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(x);
  cudaStreamEndCapture(s, graph);
}

// Another thread may end a capture only in relaxed mode.
void elsewhere(float *x, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  kernel<<<1, 32, 0, s>>>(x);
  std::thread other([=] { cudaStreamEndCapture(s, graph); });
  // CHECK-MESSAGES: :[[@LINE-1]]:27: warning: 'cudaStreamEndCapture' ends the capture
  other.join();
}
