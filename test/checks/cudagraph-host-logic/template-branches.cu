// Branches that launch different instances of one kernel template, and branches
// that launch the same one.

// RUN: %check %s cudagraph-host-logic

template <int Radius> __global__ void blur(float *x);
template <bool Wide> void launch(float *x, cudaStream_t s) {
  blur<Wide ? 4 : 1><<<1, 32, 0, s>>>(x);
}

struct Governor {
  void slower() { tier_ = tier_ - 1; }
  int tier() const { return tier_; }
  int tier_ = 1;
};

class BySwitch {
public:
  BySwitch(cudaStream_t s, const Governor &g) : s_(s), governor_(g) {}
  void frame(float *x) {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
      switch (governor_.tier()) {
        // CHECK-MESSAGES: :[[@LINE-1]]:15: warning: the branch depends on host state that changes between replays during the capture of 's_' (global mode); replays repeat the branch taken at capture [cudagraph-host-logic]
      case 0:
        blur<0><<<1, 32, 0, s_>>>(x);
        break;
      default:
        blur<4><<<1, 32, 0, s_>>>(x);
        break;
      }
      cudaStreamEndCapture(s_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, s_);
  }

private:
  cudaStream_t s_;
  const Governor &governor_;
  cudaGraphExec_t exec_ = nullptr;
};

class ByIf {
public:
  explicit ByIf(cudaStream_t s) : s_(s) {}
  void setWide(bool wide) { wide_ = wide; }
  void frame(float *x) {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
      if (wide_)
        // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: 'ByIf::setWide' sets a value that the branch depends on, while the graph exists; replays repeat the branch taken at capture [cudagraph-host-logic]
        launch<true>(x, s_);
      else
        launch<false>(x, s_);
      cudaStreamEndCapture(s_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, s_);
  }

private:
  cudaStream_t s_;
  bool wide_ = false;
  cudaGraphExec_t exec_ = nullptr;
};

// Both branches enqueue the same work.
class Alike {
public:
  explicit Alike(cudaStream_t s) : s_(s) {}
  void setLoud(bool loud) { loud_ = loud; }
  void frame(float *x) {
    if (!exec_) {
      cudaGraph_t graph;
      int steps = 0;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
      if (loud_) {
        ++steps;
        launch<true>(x, s_);
      } else {
        launch<true>(x, s_);
      }
      cudaStreamEndCapture(s_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, s_);
  }

private:
  cudaStream_t s_;
  bool loud_ = false;
  cudaGraphExec_t exec_ = nullptr;
};
