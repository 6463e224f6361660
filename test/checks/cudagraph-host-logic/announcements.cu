// A function that only writes messages without data announces the recording, which is not
// certainly wrong; with data, a message reports values of the capture as if they were those
// of each replay.

// RUN: %check %s cudagraph-host-logic --real-std --confidence=certain
// REQUIRES: gxx

#include <cstdio>

__global__ void kernel(float *x);

class Trace {
public:
  virtual ~Trace() = default;
  virtual void write(const char *message) = 0;
};
class Console : public Trace {
public:
  void write(const char *message) override { std::printf("trace: %s\n", message); }
};

static void announce(const char *what) { std::puts(what); }
static void report(int step) { std::printf("step %d\n", step); }
// CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: 'printf' writes to the standard output or error stream during the capture of 's'

// Legal: the text says that the work is only recorded.
static void told(cudaStream_t s, int step) {
  cudaStreamCaptureStatus status;
  if (cudaStreamIsCapturing(s, &status))
    return;
  std::printf("step %d %s\n", step,
              status == cudaStreamCaptureStatusNone ? "runs" : "is recorded");
}

class Runner {
public:
  explicit Runner(Trace &trace) : trace(trace) {
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  }
  void record(float *x, int step) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    trace.write("recording");
    announce("kernel");
    kernel<<<1, 1, 0, s>>>(x);
    report(step);
    told(s, step);
    cudaStreamEndCapture(s, &graph);
  }

private:
  Trace &trace;
  cudaStream_t s = nullptr;
};

void run(float *x, int steps) {
  Console console;
  Runner runner(console);
  for (int i = 0; i < steps; ++i)
    runner.record(x, i);
}
