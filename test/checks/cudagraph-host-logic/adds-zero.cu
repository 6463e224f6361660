// Captured code that adds zero changes nothing: measured times are zero while a
// stream captures.

// RUN: %check %s cudagraph-host-logic --real-std

#include <map>
#include <string>

__global__ void kernel(int i);

class Totals {
public:
  void add(const std::string &name, float ms) { totals_[name] += ms; }
  void addAll(float ms) {
    sum_ += ms;
    count_ += 0;
  }
  float of(const std::string &name) const {
    auto it = totals_.find(name);
    return it == totals_.end() ? sum_ : it->second;
  }

private:
  std::map<std::string, float> totals_;
  float sum_ = 0;
  int count_ = 0;
};

class Stopwatch {
public:
  explicit Stopwatch(cudaStream_t s) : stream_(s) {}
  void start() {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(stream_, &status);
    active_ = status == cudaStreamCaptureStatusNone;
    if (active_)
      cudaEventRecord(from_, stream_);
  }
  float stop() {
    if (!active_)
      return 0.0f;
    cudaEventRecord(to_, stream_);
    cudaEventSynchronize(to_);
    float ms = 0;
    cudaEventElapsedTime(&ms, from_, to_);
    return ms;
  }

private:
  cudaStream_t stream_;
  bool active_ = false;
  cudaEvent_t from_, to_;
};

class Pipeline {
public:
  void stages() {
    for (int i = 0; i < 3; ++i) {
      watch_.start();
      kernel<<<1, 1, 0, stream_>>>(i);
      float ms = watch_.stop();
      totals_.add(std::to_string(i), ms);
      totals_.addAll(ms);
    }
  }
  void compile() {
    cudaGraph_t graph;
    stages();
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    stages();
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }
  bool isSlow() const { return totals_.of("2") > 5.0f; }

private:
  cudaStream_t stream_;
  Stopwatch watch_{stream_};
  Totals totals_;
  cudaGraphExec_t exec_ = nullptr;
};

// The added value is not zero.
class Counting {
public:
  void record() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    kernel<<<1, 1, 0, stream_>>>(1);
    time_ += 0.5f;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'time_' changes during the capture of 'stream_' (thread-local mode)
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() {
    if (time_ < 10)
      cudaGraphLaunch(exec_, stream_);
  }

private:
  cudaStream_t stream_;
  float time_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};
