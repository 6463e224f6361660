// An update on one path refreshes a graph on that path only. Launches on other
// paths use the values of the last capture.

// RUN: %check %s cudagraph-frozen-argument

#include <cuda_runtime.h>

__global__ void draw(float *x, float by);

template <bool Tells> class Viewer {
public:
  void setExposure(float to) {
    exposure_ = to;
    dirty_ = true;
  }
  void zoom(float by) {
    zoom_ += by;
    if (Tells)
      dirty_ = true;
  }
  void frame() {
    if (!exec_ || dirty_) {
      refresh();
      dirty_ = false;
    }
    cudaGraphLaunch(exec_, s_);
  }

private:
  void refresh() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    draw<<<1, 1, 0, s_>>>(x_, zoom_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'zoom_' of kernel 'draw' is computed from host state that changes between replays; replays will use the value from the capture [cudagraph-frozen-argument]
    draw<<<1, 1, 0, s_>>>(x_, exposure_);
    cudaStreamEndCapture(s_, &graph);
    cudaGraphExecUpdateResultInfo info;
    if (exec_)
      cudaGraphExecUpdate(exec_, graph, &info);
    else
      cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
  }
  cudaStream_t s_;
  float *x_ = nullptr;
  float zoom_ = 1, exposure_ = 1;
  bool dirty_ = false;
  cudaGraphExec_t exec_ = nullptr;
};
template <bool Tells> void show() {
  Viewer<Tells> view;
  view.frame();
  view.setExposure(2);
  view.frame();
  view.zoom(1);
  view.frame();
  view.zoom(2);
  view.frame();
}
template void show<true>();
template void show<false>();

// Each launch follows an update.
class Always {
public:
  void zoom(float by) { zoom_ += by; }
  void frame() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    draw<<<1, 1, 0, s_>>>(x_, zoom_);
    cudaStreamEndCapture(s_, &graph);
    cudaGraphExecUpdateResultInfo info;
    if (exec_)
      cudaGraphExecUpdate(exec_, graph, &info);
    else
      cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    cudaGraphLaunch(exec_, s_);
  }

private:
  cudaStream_t s_;
  float *x_ = nullptr;
  float zoom_ = 1;
  cudaGraphExec_t exec_ = nullptr;
};
void always() {
  Always view;
  for (int i = 0; i < 3; ++i) {
    view.zoom(1);
    view.frame();
  }
}
