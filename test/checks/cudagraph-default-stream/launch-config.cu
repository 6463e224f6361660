// The stream of a launch configuration that was copied or created by a helper.

// RUN: %check %s cudagraph-default-stream

#include <cuda_runtime.h>

struct Config {
  cudaLaunchConfig_t launch;
  int attributes = 1;
};

static Config make(unsigned n, cudaStream_t s) {
  Config c;
  auto &l = c.launch;
  l.gridDim = {n, 1, 1};
  l.stream = s;
  return c;
}

static void launch(unsigned n, cudaStream_t s, const void *kernel, void **args) {
  Config c = make(n, s);
  Config copy = c;
  cudaLaunchKernelExC(&copy.launch, kernel, args);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaLaunchKernelExC' launches a kernel on the legacy default stream while 's' (non-blocking, global mode) captures
}

void bad(const void *kernel, void **args, cudaGraph_t *graph) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  launch(1, nullptr, kernel, args);
  cudaStreamEndCapture(s, graph);
}

static void launch_on(unsigned n, cudaStream_t s, const void *kernel, void **args) {
  Config c = make(n, s);
  cudaLaunchKernelExC(&c.launch, kernel, args);
}

void legal(const void *kernel, void **args, cudaGraph_t *graph) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  launch_on(1, s, kernel, args);
  cudaStreamEndCapture(s, graph);
}
