// Owners that the first use fills: the assignment destroys no earlier object.

// RUN: %check %s cudagraph-device-allocation --real-std

#include <cuda_runtime.h>
#include <map>
#include <memory>

struct Plan {
  float *p;
  explicit Plan(int n) { cudaMalloc(&p, n); }
  // CHECK-MESSAGES: :[[@LINE-1]]:26: warning: 'cudaMalloc' allocates device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
  ~Plan() { cudaFree(p); }
};
__global__ void k(float *);

class Member {
public:
  void record(cudaStream_t s, int n) {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    if (!plan)
      plan = std::make_unique<Plan>(n);
    k<<<1, 1, 0, s>>>(plan->p);
    cudaStreamEndCapture(s, &g);
  }

private:
  std::unique_ptr<Plan> plan;
};

class Table {
public:
  void record(cudaStream_t s, int n) {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    auto &plan = plans[n];
    if (plan == nullptr)
      plan.reset(new Plan(n));
    k<<<1, 1, 0, s>>>(plan->p);
    cudaStreamEndCapture(s, &g);
  }

private:
  std::map<int, std::unique_ptr<Plan>> plans;
};

struct Buffer {
  float *p;
  int size;
  Buffer(float *p, int n) : p(p), size(n) {}
  ~Buffer() { cudaFree(p); }
  // CHECK-MESSAGES: :[[@LINE-1]]:15: warning: 'cudaFree' frees device memory while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
};

// A buffer that exists is replaced.
class Growing {
public:
  void record(cudaStream_t s, int n) {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    if (buffer && buffer->size < n)
      buffer = std::make_unique<Buffer>(nullptr, n);
    k<<<1, 1, 0, s>>>(buffer->p);
    cudaStreamEndCapture(s, &g);
  }

private:
  std::unique_ptr<Buffer> buffer;
};
