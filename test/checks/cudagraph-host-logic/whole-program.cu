// Facts about state in a whole program: a counter that is never read does not
// matter, and a function's output to the error stream is only for diagnosing
// problems.

// RUN: %check %s cudagraph-host-logic

#include <cstdio>

__global__ void kernel(float *x, int n);

class Logger {
public:
  void debug(const char *what) const { fprintf(stderr, "%s", what); }
  void result(const char *what) const {
    printf("%s", what);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'printf' writes to the standard output or error stream during the capture of 's' (non-blocking, global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
  }
};

struct Library {
  cudaStream_t user = nullptr;
  int calls = 0;
  int steps = 0;
};
void forward(Library &l, float *x) {
  kernel<<<1, 32, 0, l.user>>>(x, 1);
  ++l.calls;
  ++l.steps;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'steps' changes during the capture of 's' (non-blocking, global mode); the change happens once, at capture, and not on replay [cudagraph-host-logic]
}

int main() {
  Logger log;
  Library library;
  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  float *x;
  if (cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) != cudaSuccess || cudaMalloc(&x, 128) != cudaSuccess)
    return 1;
  library.user = s;
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) != cudaSuccess)
    return 1;
  log.debug("recording\n");
  log.result("step\n");
  forward(library, x);
  if (cudaStreamEndCapture(s, &graph) != cudaSuccess || cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess)
    return 1;
  for (int i = 0; i < 8; ++i)
    cudaGraphLaunch(exec, s);
  cudaStreamSynchronize(s);
  if (library.steps != 8)
    printf("%d steps\n", library.steps);
  return 0;
}
