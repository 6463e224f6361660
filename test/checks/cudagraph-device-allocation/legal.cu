// Memory from before the capture, or from the capture's own stream. No check
// has a finding.

// RUN: %check %s
// RUN: %if gxx %{ %check %s --real-std %}

#include <map>
#include <memory>
#include <vector>

__global__ void kernel(float *x, int n);

class DeviceBuffer {
public:
  explicit DeviceBuffer(size_t n) { cudaMalloc(&p_, n); }
  ~DeviceBuffer() { cudaFree(p_); }
  DeviceBuffer(DeviceBuffer &&o) noexcept : p_(o.p_) { o.p_ = nullptr; }
  float *get() const { return p_; }

private:
  float *p_ = nullptr;
};

void raii(size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  DeviceBuffer x(n);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(x.get(), 1);
  cudaStreamEndCapture(s, &graph);
}

void member_free(std::unique_ptr<DeviceBuffer> x) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(x->get(), 1);
  cudaStreamEndCapture(s, &graph);
  x.reset();
}

// Memory nodes, on the origin stream and on a joined one.
void memory_nodes(size_t n) {
  cudaStream_t s, side;
  cudaEvent_t fork, join;
  cudaGraph_t graph;
  float *a, *b;
  cudaStreamCreate(&s);
  cudaStreamCreate(&side);
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&a, n, s);
  cudaEventRecord(fork, s);
  cudaStreamWaitEvent(side, fork, 0);
  cudaMallocAsync(&b, n, side);
  kernel<<<1, 32, 0, side>>>(b, 1);
  cudaFreeAsync(b, side);
  cudaEventRecord(join, side);
  cudaStreamWaitEvent(s, join, 0);
  kernel<<<1, 32, 0, s>>>(a, 1);
  cudaFreeAsync(a, s);
  cudaStreamEndCapture(s, &graph);
}

// The thread is in relaxed mode while it allocates, as in PyTorch's allocator.
struct RelaxedScope {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  RelaxedScope() { cudaThreadExchangeStreamCaptureMode(&mode); }
  ~RelaxedScope() { cudaThreadExchangeStreamCaptureMode(&mode); }
};

static float *allocate(size_t n) {
  RelaxedScope relaxed;
  float *p = nullptr;
  cudaMalloc(&p, n);
  return p;
}

void relaxed_scope(size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  float *p = allocate(n);
  kernel<<<1, 32, 0, s>>>(p, 1);
  cudaStreamEndCapture(s, &graph);
}

// The pool allocates only if no capture is active, and otherwise throws first.
struct Pool {
  std::vector<float *> free;
  float *get(cudaStream_t s, size_t n) {
    if (!free.empty()) {
      float *p = free.back();
      return p;
    }
    cudaStreamCaptureStatus status;
    cudaStreamIsCapturing(s, &status);
    if (status != cudaStreamCaptureStatusNone)
      return nullptr;
    float *p;
    cudaMalloc(&p, n);
    return p;
  }
};

void pool(Pool &p, size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(p.get(s, n), 1);
  cudaStreamEndCapture(s, &graph);
}

// Queries about memory.
void queries(float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  size_t available, total;
  cudaStreamCreate(&s);
  cudaMemGetInfo(&available, &total);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaPointerAttributes a;
  cudaPointerGetAttributes(&a, x);
  kernel<<<1, 32, 0, s>>>(x, 1);
  cudaStreamEndCapture(s, &graph);
}

// Objects of the graph are created after the end of the capture.
void instantiate(float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(x, 1);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  float *y;
  cudaMalloc(&y, 4);
  cudaGraphLaunch(exec, s);
  cudaStreamSynchronize(s);
  cudaFree(y);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

// Releasing a reference to a pool that has other owners frees no memory.
struct SharedPool {
  void *block = nullptr;
  ~SharedPool() { cudaFree(block); }
};
struct SharedRuntime {
  cudaStream_t stream = nullptr;
  std::shared_ptr<SharedPool> pool = std::make_shared<SharedPool>();
};
SharedRuntime &shared_runtime() {
  static SharedRuntime runtime;
  return runtime;
}
struct PoolUser {
  std::shared_ptr<SharedPool> pool;
  PoolUser() : pool(shared_runtime().pool) {}
  ~PoolUser() {}
};
void shares_a_pool(float *x, cudaGraph_t *graph) {
  cudaStreamBeginCapture(shared_runtime().stream, cudaStreamCaptureModeGlobal);
  {
    PoolUser user;
    kernel<<<1, 1, 0, shared_runtime().stream>>>(x, 1);
  }
  cudaStreamEndCapture(shared_runtime().stream, graph);
}
