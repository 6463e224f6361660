// The end call, the second begin call, and the launch are in other functions.

// RUN: %check %s cudagraph-capture-scope

__global__ void k(float *x);

class Model {
public:
  void capture() {
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: capture of 'stream_' (global mode) begins here
    encode();
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls 'Model::encode'
    cudaStreamEndCapture(stream_, &graph_);
  }

private:
  void encode() {
    attention();
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls 'Model::attention'
    k<<<1, 1, 0, stream_>>>(x_);
  }
  void attention() {
    if (ready_)
      cudaGraphLaunch(inner_, stream_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaGraphLaunch' launches a graph on stream 'stream_', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-capture-scope]
    else
      record();
  }
  void record() {
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamBeginCapture' begins a capture on stream 'stream_', which is capturing; CUDA returns cudaErrorIllegalState (401) in every capture mode{{.*}} [cudagraph-capture-scope]
    k<<<1, 1, 0, stream_>>>(x_);
    ready_ = true;
  }
  cudaStream_t stream_;
  cudaGraph_t graph_;
  cudaGraphExec_t inner_;
  bool ready_ = false;
  float *x_;
};

void use(Model &m) { m.capture(); }

static void finish(cudaStream_t s, cudaGraph_t *g) { cudaStreamEndCapture(s, g); }
// CHECK-MESSAGES: :[[@LINE-1]]:54: warning: 'cudaStreamEndCapture' ends the capture on stream 's', which is not part of the capture of 'compute'; CUDA returns cudaErrorIllegalState (401) in every capture mode{{.*}} [cudagraph-capture-scope]
static cudaStream_t make_stream() {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  return s;
}
void wrong_stream(float *x, cudaGraph_t *g) {
  cudaStream_t compute = make_stream();
  cudaStream_t copy;
  cudaStreamCreate(&copy);
  cudaStreamBeginCapture(compute, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, compute>>>(x);
  finish(copy, g);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'finish'
}
