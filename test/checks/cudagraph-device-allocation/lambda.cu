// Lambdas that allocate, and a deleter that runs in the region.

// RUN: %check %s
// RUN: %if gxx %{ %check %s --real-std %}

#include <functional>
#include <vector>

__global__ void kernel(float *x);

static cudaGraph_t make_graph(cudaStream_t s, const std::function<void(cudaStream_t)> &work) {
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  work(s);
  cudaStreamEndCapture(s, &graph);
  return graph;
}

void users(size_t n, float *x) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  make_graph(s, [n](cudaStream_t t) {
    float *p;
    cudaMalloc(&p, n);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc' allocates device memory while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in global mode [cudagraph-device-allocation]
    kernel<<<1, 32, 0, t>>>(p);
  });
  make_graph(s, [n](cudaStream_t t) {
    float *p;
    cudaMallocAsync(&p, n, t);
    kernel<<<1, 32, 0, t>>>(p);
    cudaFreeAsync(p, t);
  });
  auto grow = [&x, n] {
    cudaFree(x);
    cudaMalloc(&x, n);
  };
  grow();
  make_graph(s, [&](cudaStream_t t) { kernel<<<1, 32, 0, t>>>(x); });
  grow();
}
