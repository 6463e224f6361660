// Each publication takes memory out of a pool. The program captures again if a
// flag shows that there is a new publication.

// RUN: %check %s cudagraph-frozen-argument --real-std
// RUN: %check %s cudagraph-frozen-argument --real-std --suffix=FLAG -- -DFLAG

#include <cuda_runtime.h>
#include <memory>
#include <vector>

__global__ void score(const float *in, const float *weights, float *out);

class Slab {
  float *base = nullptr;
  std::vector<float *> idle;

public:
  explicit Slab(int n) {
    cudaMalloc(&base, n * 64);
    for (int i = n; i > 0; --i)
      idle.push_back(base + (i - 1) * 16);
  }
  std::shared_ptr<float> take() {
    float *block = idle.back();
    idle.pop_back();
    return std::shared_ptr<float>(block,
                                  [this](float *p) { idle.push_back(p); });
  }
};

class Service {
  Slab &slab;
  cudaStream_t s;
  cudaGraphExec_t exec = nullptr;
  std::shared_ptr<float> active, used;
  float *in, *out;
  int requests = 0;
  bool stale = true;

  void record() {
    cudaGraph_t g;
    used = active;
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      return;
    score<<<1, 32, 0, s>>>(in, used.get(), out);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the address 'used.get()' of kernel 'score' {{.*}} [cudagraph-frozen-argument]
    if (cudaStreamEndCapture(s, &g))
      return;
    if (exec)
      cudaGraphExecDestroy(exec);
    cudaGraphInstantiate(&exec, g, 0);
  }

public:
  Service(Slab &slab, cudaStream_t s) : slab(slab), s(s) {
    cudaMalloc(&in, 128);
    cudaMalloc(&out, 128);
  }
  void publish() {
    active = slab.take();
    stale = true;
  }
  void request() {
    ++requests;
#ifdef FLAG
    if (stale)
#else
    if (!exec)
#endif
      record();
    stale = false;
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
  }
};

int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  Slab slab(8);
  Service service(slab, s);
  for (int version = 0; version < 3; ++version) {
    service.publish();
    for (int i = 0; i < 3; ++i)
      service.request();
  }
}
