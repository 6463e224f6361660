// Branches that enqueue the same work in a different order are different.

// RUN: %check %s cudagraph-host-logic

__global__ void rows(float *f);
__global__ void columns(float *f);

static int count;
static cudaGraphExec_t exec;

static void build(cudaStream_t s, float *f) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  if (count % 2 == 0) {
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the branch depends on host state that changes between replays during the capture of 's' (non-blocking, thread-local mode); replays repeat the branch taken at capture [cudagraph-host-logic]
    rows<<<1, 1, 0, s>>>(f);
    columns<<<1, 1, 0, s>>>(f);
  } else {
    columns<<<1, 1, 0, s>>>(f);
    rows<<<1, 1, 0, s>>>(f);
  }
  // Legal: both branches enqueue the same work.
  if (count % 2 == 0)
    rows<<<1, 1, 0, s>>>(f);
  else
    rows<<<1, 1, 0, s>>>(f);
  cudaStreamEndCapture(s, &g);
  cudaGraphInstantiate(&exec, g, 0);
}
int main() {
  cudaStream_t s;
  float *f;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaMalloc(&f, 1024);
  build(s, f);
  for (int i = 0; i < 3; ++i) {
    cudaGraphLaunch(exec, s);
    ++count;
  }
}
