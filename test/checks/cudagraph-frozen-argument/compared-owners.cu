// Legal: the program compares the owner of the memory with the one from the last
// capture, and captures again if they differ.

// RUN: %check %s cudagraph-frozen-argument --real-std
// RUN: %check %s cudagraph-frozen-argument --real-std --suffix=KEEPS -- -DKEEPS

#include <memory>
#include <utility>

__global__ void score(const int *weights, int *scores);

struct Model {
  int *weights = nullptr;
};

class Session {
public:
  explicit Session(cudaStream_t s) : s_(s) {}
  void use(std::shared_ptr<Model> model) { current_ = std::move(model); }
  void run() {
#ifdef KEEPS
    if (!exec_)
#else
    if (current_ != recorded_)
#endif
      record();
    if (cudaGraphLaunch(exec_, s_))
      return;
  }

private:
  void record() {
    cudaGraph_t g;
    if (cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal))
      return;
    score<<<1, 1, 0, s_>>>(current_->weights, scores_);
    // CHECK-MESSAGES-KEEPS: :[[@LINE-1]]:5: warning: the address 'current_->weights' of kernel 'score' is set by 'Session::use' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
    if (cudaStreamEndCapture(s_, &g))
      return;
    if (cudaGraphInstantiate(&exec_, g, 0))
      return;
    recorded_ = current_;
  }
  cudaStream_t s_;
  std::shared_ptr<Model> current_, recorded_;
  cudaGraphExec_t exec_ = nullptr;
  int *scores_ = nullptr;
};
