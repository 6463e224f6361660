// The object is not retained.

// RUN: %check %s cudagraph-dangling-memory --real-std

#include <memory>

struct Buffer {
  Buffer() { cudaMalloc(reinterpret_cast<void **>(&data), 4096); }
  ~Buffer() { cudaFree(data); }
  float *data = nullptr;
};

__global__ void scale(float *x);

template <typename Fn> void capture(cudaStream_t s, Fn keep) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  {
    auto buffer = std::make_shared<Buffer>();
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
      return;
    scale<<<1, 32, 0, s>>>(buffer->data);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'scale' uses 'buffer->data', which 'Buffer::~Buffer' frees
    if (cudaStreamEndCapture(s, &graph))
      return;
    if (cudaGraphInstantiate(&exec, graph, 0))
      return;
    keep(buffer);
  }
  cudaGraphLaunch(exec, s);
}

void dropped(cudaStream_t s) {
  capture(s, [&](const std::shared_ptr<Buffer> &b) { (void)b->data; });
}
