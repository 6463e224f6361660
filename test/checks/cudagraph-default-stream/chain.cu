// The launch is several calls away from the capture. A finding shows the path
// to it, and the function that drops its stream parameter.

// RUN: %check %s cudagraph-default-stream

__global__ void axpy(float a, const float *x, float *y);

namespace ops {
// The stream is passed this far and then dropped.
static void launch_axpy(float a, const float *x, float *y) {
  axpy<<<8, 128>>>(a, x, y);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'axpy' is launched on the legacy default stream while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-default-stream]
  // CHECK-NOTES: :[[@LINE-2]]:3: note: pass the capturing stream to this function
}

class Axpy {
public:
  explicit Axpy(float a) : a_(a) {}
  void forward(const float *x, float *y, cudaStream_t stream) const {
    (void)stream;
    launch_axpy(a_, x, y);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls 'ops::launch_axpy'
  }

private:
  float a_;
};
} // namespace ops

struct Model {
  ops::Axpy layer{2.0f};
  void forward(const float *x, float *y, cudaStream_t stream) {
    layer.forward(x, y, stream);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls 'ops::Axpy::forward'
  }
};

void capture(Model &model, const float *x, float *y) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: capture of 's' (blocking, global mode) begins here
  model.forward(x, y, s);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'Model::forward'
  cudaStreamEndCapture(s, &graph);
}

// The stream is in a different member, or in a global variable.
static cudaStream_t copy_stream;

struct Engine {
  cudaStream_t compute, copy;
  Engine() {
    cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking);
  }
  void upload(float *d, const float *h, size_t n) {
    cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, copy);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies memory on stream 'copy', which is not part of the capture of 'compute'; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  }
  void build(float *d, const float *h, size_t n) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(compute, cudaStreamCaptureModeThreadLocal);
    upload(d, h, n);
    axpy<<<1, 32, 0, compute>>>(1, d, d);
    cudaStreamEndCapture(compute, &graph);
  }
};

// Begin and end calls in methods of a class; work in a function that uses it.
class Recorder {
public:
  explicit Recorder(cudaStream_t s) : stream_(s) {}
  void begin() { cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed); }
  cudaGraph_t end() {
    cudaGraph_t graph;
    cudaStreamEndCapture(stream_, &graph);
    return graph;
  }

private:
  cudaStream_t stream_;
};

void recorded(float *x) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  Recorder recorder(s);
  recorder.begin();
  axpy<<<1, 32, 0, s>>>(1, x, x);
  axpy<<<1, 32>>>(1, x, x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'axpy' is launched on the legacy default stream while 'stream_' (non-blocking, relaxed mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-default-stream]
  recorder.end();
  axpy<<<1, 32>>>(1, x, x);
}

// RAII.
struct CaptureScope {
  CaptureScope(cudaStream_t s, cudaGraph_t *out) : s(s), out(out) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  }
  ~CaptureScope() { cudaStreamEndCapture(s, out); }
  cudaStream_t s;
  cudaGraph_t *out;
};

void scoped(float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  axpy<<<1, 32>>>(1, x, x);
  {
    CaptureScope scope(s, &graph);
    axpy<<<1, 32, 0, s>>>(1, x, x);
    axpy<<<1, 32>>>(1, x, x);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'axpy' is launched on the legacy default stream while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-default-stream]
  }
  axpy<<<1, 32>>>(1, x, x);
}
