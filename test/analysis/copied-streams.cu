// A created stream that is copied to a container: an element may be the
// capturing stream, so its wait may join the forked work.

// RUN: %check %s cudagraph-stream-dependency,cudagraph-default-stream,cudagraph-frozen-argument
// RUN: %check %s cudagraph-stream-dependency,cudagraph-default-stream,cudagraph-frozen-argument --real-std

#include <vector>

__global__ void kernel(float *x);

struct Keep {
  int id;
  cudaStream_t stream;
};
static void waits(cudaStream_t waiter, cudaEvent_t e) {
  std::vector<Keep> all;
  all.push_back(Keep{1, waiter});
  cudaStreamWaitEvent(all.back().stream, e, 0);
}

void joined(float *x, cudaEvent_t fork, cudaEvent_t join, cudaGraph_t *graph) {
  cudaStream_t s, side;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, s);
  cudaStreamWaitEvent(side, fork, 0);
  kernel<<<1, 1, 0, side>>>(x);
  cudaEventRecord(join, side);
  waits(s, join);
  cudaStreamEndCapture(s, graph);
}

// The event is recorded at the fork, before the work on the other stream.
void unjoined(float *x, cudaEvent_t fork, cudaEvent_t join, cudaGraph_t *graph) {
  cudaStream_t s, side;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, s);
  cudaStreamWaitEvent(side, fork, 0);
  kernel<<<1, 1, 0, side>>>(x);
  cudaEventRecord(join, side);
  waits(s, fork);
  cudaStreamEndCapture(s, graph);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 's' with unjoined work on stream 'side'
}

// The call creates one stream: an element that contains it is that stream.
__global__ void scaled(float *x, float by);

class Only {
public:
  void setScale(float scale) { scale_ = scale; }
  void record(float *x) {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    std::vector<cudaStream_t> all;
    all.push_back(s);
    cudaGraph_t graph;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    scaled<<<1, 1, 0, all[0]>>>(x, scale_);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: argument 'scale_' of kernel 'scaled' is set by 'Only::setScale'
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run(cudaStream_t s) { cudaGraphLaunch(exec_, s); }

private:
  float scale_ = 1;
  cudaGraphExec_t exec_ = nullptr;
};

// The last stream is the capturing element, and the other elements are not.
void lastOfTwo(float *x, cudaGraph_t *graph) {
  cudaStream_t s, all[2];
  for (int i = 0; i < 2; ++i) {
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    all[i] = s;
  }
  cudaStreamBeginCapture(all[1], cudaStreamCaptureModeGlobal);
  kernel<<<1, 1, 0, s>>>(x);
  kernel<<<1, 1, 0, all[0]>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on stream 'all[0]', which is not part of the capture of 'all[1]'
  cudaStreamEndCapture(all[1], graph);
}

static cudaStream_t make() {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  return s;
}

void made(float *x, cudaGraph_t *graph) {
  cudaStream_t all[2];
  for (int i = 0; i < 2; ++i)
    all[i] = make();
  cudaStreamBeginCapture(all[1], cudaStreamCaptureModeGlobal);
  kernel<<<1, 1, 0, all[1]>>>(x);
  kernel<<<1, 1, 0, all[0]>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on stream 'all[0]', which is not part of the capture of 'all[1]'
  cudaStreamEndCapture(all[1], graph);
}

// An element with an unknown index may be the last one, which captures.
void several(float *x, int n, cudaGraph_t *graph) {
  std::vector<cudaStream_t> all;
  cudaStream_t s;
  for (int i = 0; i < n; ++i) {
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    all.push_back(s);
  }
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 1, 0, all[n - 1]>>>(x);
  cudaStreamEndCapture(s, graph);
}

void severalMade(float *x, int n, cudaGraph_t *graph) {
  std::vector<cudaStream_t> all;
  for (int i = 0; i < n; ++i)
    all.push_back(make());
  cudaStreamBeginCapture(all[n - 1], cudaStreamCaptureModeGlobal);
  kernel<<<1, 1, 0, all.back()>>>(x);
  cudaStreamEndCapture(all[n - 1], graph);
}
