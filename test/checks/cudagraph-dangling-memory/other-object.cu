// An object that replaces another object created on the same line: the new
// object does not launch the graph that the old one destroys.

// RUN: %check %s cudagraph-dangling-memory

#include <memory>

__global__ void k(int *p);

class Quoter {
public:
  explicit Quoter(cudaStream_t s) : s_(s) {
    cudaMalloc(&mid_, 64);
    cudaGraph_t g;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    k<<<1, 32, 0, s_>>>(mid_);
    cudaStreamEndCapture(s_, &g);
    cudaGraphInstantiate(&exec_, g, 0);
  }
  ~Quoter() {
    cudaGraphExecDestroy(exec_);
    cudaFree(mid_);
  }
  void run() { cudaGraphLaunch(exec_, s_); }

private:
  cudaStream_t s_;
  int *mid_;
  cudaGraphExec_t exec_;
};

// The buffer is freed, but the graph remains.
class Leaky {
public:
  explicit Leaky(cudaStream_t s) : s_(s) {
    cudaMalloc(&mid_, 64);
    cudaGraph_t g;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
    k<<<1, 32, 0, s_>>>(mid_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'k' uses 'mid_', which 'Leaky::shrink' frees
    cudaStreamEndCapture(s_, &g);
    cudaGraphInstantiate(&exec_, g, 0);
  }
  ~Leaky() { cudaGraphExecDestroy(exec_); }
  void shrink() { cudaFree(mid_); }
  void run() { cudaGraphLaunch(exec_, s_); }

private:
  cudaStream_t s_;
  int *mid_;
  cudaGraphExec_t exec_;
};

int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  std::unique_ptr<Quoter> quoter = std::make_unique<Quoter>(s);
  quoter->run();
  for (int i = 0; i < 3; ++i) {
    quoter = std::make_unique<Quoter>(s);
    quoter->run();
  }
  Leaky leaky(s);
  leaky.run();
  leaky.shrink();
  leaky.run();
}
