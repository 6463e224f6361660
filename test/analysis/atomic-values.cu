// An atomic object has the value that was stored last, unless another function
// may change it.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-capture-scope,cudagraph-host-logic,cudagraph-dynamic-shape
// RUN: %check %s cudagraph-frozen-argument,cudagraph-capture-scope,cudagraph-host-logic,cudagraph-dynamic-shape --real-std

#include <cuda_runtime.h>
#include <atomic>

__global__ void scale(float *x, float by);

// The scale changes between two launches.
class Amplifier {
public:
  void set(float v) { gain_.store(v); }
  void count() { frames_.fetch_add(1); }
  void run(float *x) {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
      scale<<<1, 32, 0, stream_>>>(x, gain_.load());
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'gain_.load()' of kernel 'scale' is set by 'Amplifier::set' while the graph exists
      scale<<<1 + frames_, 32, 0, stream_>>>(x, 1.f);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the grid of kernel 'scale' is computed from host state that changes between replays
      cudaStreamEndCapture(stream_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, stream_);
  }

private:
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
  std::atomic<float> gain_{1.f};
  std::atomic<int> frames_{0};
};

void amplify(float *x) {
  Amplifier a;
  a.run(x);
  a.set(2.f);
  a.count();
  a.run(x);
}

// The gain is set only before the capture.
class Fixed {
public:
  void set(float v) { gain_.store(v); }
  void run(float *x) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    scale<<<1, 32, 0, stream_>>>(x, gain_);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphLaunch(exec_, stream_);
    cudaGraphLaunch(exec_, stream_);
  }

private:
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
  std::atomic<float> gain_{1.f};
};

void fixed(float *x) {
  Fixed f;
  f.set(3.f);
  f.run(x);
}

// Another function may cancel the work at any time.
class Job {
public:
  void cancel() { cancelled_ = true; }
  bool run(float *x) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    scale<<<1, 32, 0, stream_>>>(x, 1.f);
    if (cancelled_.load())
      return false;
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: this return leaves 'stream_' (global mode) capturing
    cudaStreamEndCapture(stream_, &graph);
    return true;
  }

private:
  cudaStream_t stream_;
  std::atomic<bool> cancelled_{false};
};

void cancelled(float *x) {
  Job j;
  j.run(x);
}

// Captured code increments the counter only once.
class Meter {
public:
  void run(float *x) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    scale<<<1, 32, 0, stream_>>>(x, 1.f);
    ++runs_;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'runs_' changes during the capture
    cudaStreamEndCapture(stream_, &graph);
  }

private:
  cudaStream_t stream_;
  std::atomic<int> runs_{0};
};

// The condition uses the new value, not the previous one.
class Counted {
public:
  void run(float *x) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    scale<<<1, 32, 0, stream_>>>(x, 1.f);
    if (++runs_ == 1)
      // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'runs_' changes during the capture
      return;
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: this return leaves 'stream_' (global mode) capturing
    cudaStreamEndCapture(stream_, &graph);
  }

private:
  cudaStream_t stream_;
  std::atomic<int> runs_{0};
};

void counted(float *x) {
  Counted c;
  c.run(x);
}
