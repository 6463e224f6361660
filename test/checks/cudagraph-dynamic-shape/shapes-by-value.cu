// A structure of sizes that a later call passes with different values.

// RUN: %check %s cudagraph-dynamic-shape,cudagraph-frozen-argument

__global__ void k(float *x, int n);

struct Shape {
  int rows, cols;
};
struct ByValue {
  cudaStream_t s;
  float *x;
  cudaGraphExec_t exec = nullptr;
  void record(Shape p) {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    k<<<1, 32, 0, s>>>(x, p.cols);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'p.cols' of kernel 'k' has a different value when the graph is launched; the replay will use the value from the capture [cudagraph-frozen-argument]
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&exec, g, 0);
  }
  void run(Shape p) {
    if (!exec)
      record(p);
    cudaGraphLaunch(exec, s);
  }
};
struct ByReference {
  cudaStream_t s;
  float *x;
  cudaGraphExec_t exec = nullptr;
  void record(const Shape &p) {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    k<<<p.cols, 32, 0, s>>>(x, 1);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the grid of kernel 'k' is computed from 'cols', which has a different value when the graph is launched; the replay keeps the value from the capture [cudagraph-dynamic-shape]
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&exec, g, 0);
  }
  void run(const Shape &p) {
    if (!exec)
      record(p);
    cudaGraphLaunch(exec, s);
  }
};
// Legal: only the other member changes.
struct OneColumn {
  cudaStream_t s;
  float *x;
  cudaGraphExec_t exec = nullptr;
  void run(Shape p) {
    if (!exec) {
      cudaGraph_t g;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
      k<<<1, 32, 0, s>>>(x, p.cols);
      cudaStreamEndCapture(s, &g);
      cudaGraphInstantiate(&exec, g, 0);
    }
    cudaGraphLaunch(exec, s);
  }
};
int main() {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  ByValue value{s, nullptr};
  value.run({8, 16});
  value.run({8, 32});
  ByReference reference{s, nullptr};
  reference.run({8, 16});
  reference.run({8, 32});
  OneColumn column{s, nullptr};
  column.run({8, 16});
  column.run({9, 16});
}
