// A structure passed by value is frozen as a whole: a write to a part changes
// it, even in one of its own methods.

// RUN: %check %s cudagraph-frozen-argument

struct Point {
  float x, y, z;
};
struct Camera {
  Point eye;
  float focal = 1;
  void focus(float to) { focal = to; }
  float length() const { return focal; }
};
__global__ void draw(float *image, Camera c);

class Dolly {
public:
  void move(float by) { camera_.eye.z = camera_.eye.x * by; }
  void frame() {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
      draw<<<1, 1, 0, s_>>>(image_, camera_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'camera_' of kernel 'draw' is set by 'Dolly::move' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
      cudaStreamEndCapture(s_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, s_);
  }

private:
  cudaStream_t s_;
  float *image_;
  Camera camera_;
  cudaGraphExec_t exec_ = nullptr;
};

class Focus {
public:
  void set(float to) { camera_.focus(to); }
  float get() const { return camera_.length(); }
  void frame() {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
      draw<<<1, 1, 0, s_>>>(image_, camera_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'camera_' of kernel 'draw' is set by 'Camera::focus' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
      cudaStreamEndCapture(s_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, s_);
  }

private:
  cudaStream_t s_;
  float *image_;
  Camera camera_;
  cudaGraphExec_t exec_ = nullptr;
};

// Another member of the enclosing object is not affected, nor is code that
// destroys the graph.
class Apart {
public:
  void move(float by) { all_.count = by; }
  void turn(float by) {
    other_.eye.z = by;
    cudaGraphExecDestroy(exec_);
    exec_ = nullptr;
  }
  void frame() {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
      draw<<<1, 1, 0, s_>>>(image_, all_.camera);
      draw<<<1, 1, 0, s_>>>(image_, other_);
      cudaStreamEndCapture(s_, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, s_);
  }

private:
  cudaStream_t s_;
  float *image_;
  struct {
    Camera camera;
    float count;
  } all_;
  Camera other_;
  cudaGraphExec_t exec_ = nullptr;
};
