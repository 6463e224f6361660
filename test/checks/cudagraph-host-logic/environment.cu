// A switch that is read from the environment once per process is initialization
// on first use. A switch that is read in each call is reported as advice,
// because it is constant for the process.

// RUN: %check %s cudagraph-host-logic
// RUN: %check %s cudagraph-host-logic --no-advice --suffix=PLAIN

#include <cstdlib>

__global__ void fused(float *x);
__global__ void plain(float *x);

static bool fuses() {
  static int state = -1;
  if (state < 0) {
    const char *value = getenv("FUSE");
    state = value && *value == '1' ? 1 : 0;
  }
  return state == 1;
}

void on_first_use(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  if (fuses())
    fused<<<1, 32, 0, s>>>(x);
  else
    plain<<<1, 32, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
}

void at_each_call(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  const char *value = getenv("FUSE");
  // CHECK-MESSAGES: :[[@LINE-1]]:23: warning: 'getenv' reads the environment
  if (value)
    fused<<<1, 32, 0, s>>>(x);
  cudaStreamEndCapture(s, g);
}

// A static variable that a function sets on first use does not change later.
struct Decoder {
  cudaStream_t s;
  cudaGraph_t g;
  cudaGraphExec_t exec = nullptr;
  void token(float *x, int layers) {
    if (!exec) {
      cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
      for (int i = 0; i < layers; ++i) {
        static int fuse = -1;
        if (fuse < 0) {
          const char *value = getenv("FUSE");
          fuse = value && *value == '0' ? 0 : 1;
        }
        auto layer = [&](cudaStream_t q) {
          if (fuse)
            fused<<<1, 32, 0, q>>>(x);
          else
            plain<<<1, 32, 0, q>>>(x);
        };
        layer(s);
      }
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&exec, g, 0);
    }
    cudaGraphLaunch(exec, s);
  }
};
