// Logging, timing, and counting in functions that the region calls.

// RUN: %check %s cudagraph-host-logic
// RUN: %if gxx %{ %check %s cudagraph-host-logic --real-std %}

#include <chrono>
#include <cstdio>
#include <ostream>
#include <iostream>
#include <string>

__global__ void kernel(float *x);

class Logger {
public:
  void info(const char *text) {
    write("INFO", text);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls 'Logger::write'
  }

private:
  void write(const char *level, const char *text) {
    printf("[%s] %s\n", level, text);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'printf' writes to the standard output or error stream during the capture of 's' (blocking, global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
  }
};

static Logger logger;

static void layer(cudaStream_t s, float *x) {
  logger.info("layer");
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'Logger::info'
  kernel<<<1, 32, 0, s>>>(x);
}

// Timers that run in constructors and destructors.
struct Timer {
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  // CHECK-MESSAGES: :[[@LINE-1]]:49: warning: 'std::chrono::steady_clock::now' reads a clock during the capture of 's' (blocking, global mode); replays keep the time from the capture [cudagraph-host-logic]
  ~Timer() {
    auto elapsed = std::chrono::steady_clock::now() - start;
    // CHECK-MESSAGES: :[[@LINE-1]]:20: warning: 'std::chrono::steady_clock::now' reads a clock during the capture of 's' (blocking, global mode); replays keep the time from the capture [cudagraph-host-logic]
    printf("%ld ns\n", elapsed.count());
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'printf' writes to the standard output or error stream during the capture of 's' (blocking, global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
    // CHECK-NOTES: note: runs 'Timer::~Timer'
  }
};

void capture(float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: capture of 's' (blocking, global mode) begins here
  layer(s, x);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'layer'
  {
    Timer timer;
    kernel<<<1, 32, 0, s>>>(x);
  }
  cudaStreamEndCapture(s, &graph);
}

// A step counter of the object that captures.
class Trainer {
public:
  void build() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    step();
    cudaStreamEndCapture(stream_, &graph);
  }

private:
  void step() {
    kernel<<<1, 32, 0, stream_>>>(weights_);
    ++iteration_;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'iteration_' changes during the capture of 'stream_' (global mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
    // CHECK-NOTES: :[[@LINE-9]]:5: note: calls 'Trainer::step'
  }
  cudaStream_t stream_;
  float *weights_;
  int iteration_ = 0;
};
