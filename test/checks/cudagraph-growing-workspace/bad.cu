// Buffers that grow on demand while a graph retains their old address.

// RUN: %check %s cudagraph-growing-workspace

__global__ void kernel(const float *in, float *out);

// The engine frees and allocates its own member.
class Engine {
public:
  Engine(cudaStream_t s, float *out) : stream_(s), out_(out) {}
  ~Engine() { cudaGraphExecDestroy(exec_); }
  void prefill(size_t bytes) {
    if (bytes > capacity_) {
      cudaStreamSynchronize(stream_);
      cudaFree(scratch_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'Engine::prefill' frees and reallocates 'scratch_' while the graph captured on 'stream_' holds its old address in 'kernel'; replays will use freed memory [cudagraph-growing-workspace]
      cudaMalloc(&scratch_, bytes);
      capacity_ = bytes;
    }
    kernel<<<64, 256, 0, stream_>>>(scratch_, out_);
  }
  void capture() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: capture of 'stream_' (global mode) begins here
    kernel<<<1, 256, 0, stream_>>>(scratch_, out_);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: 'kernel' is captured with the address of 'scratch_' here
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void decode() { cudaGraphLaunch(exec_, stream_); }

private:
  cudaStream_t stream_;
  float *out_;
  float *scratch_ = nullptr;
  size_t capacity_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};

// The buffer is freed and allocated in stream order.
class Ordered {
public:
  explicit Ordered(cudaStream_t s) : stream_(s) {}
  void reserve(size_t bytes) {
    if (bytes <= capacity_)
      return;
    cudaFreeAsync(scratch_, stream_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'Ordered::reserve' frees and reallocates 'scratch_' while the graph captured on 'stream_' holds its old address in 'kernel'; {{.*}} [cudagraph-growing-workspace]
    cudaMallocAsync(&scratch_, bytes, stream_);
    capacity_ = bytes;
  }
  void capture(float *out) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    kernel<<<1, 256, 0, stream_>>>(scratch_, out);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cudaStream_t stream_;
  float *scratch_ = nullptr;
  size_t capacity_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};

// A global workspace, and a graph in a global variable.
static float *g_workspace = nullptr;
static size_t g_capacity = 0;
static cudaGraphExec_t g_exec = nullptr;

void reserve(size_t bytes) {
  if (bytes <= g_capacity)
    return;
  cudaFree(g_workspace);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'reserve' frees and reallocates 'g_workspace' while the graph captured on 's' holds its old address in 'kernel'; replays will use freed memory [cudagraph-growing-workspace]
  cudaMalloc(&g_workspace, bytes);
  g_capacity = bytes;
}

void build(float *out, cudaStream_t s) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 256, 0, s>>>(g_workspace, out);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&g_exec, graph, 0);
}

void run(cudaStream_t s) { cudaGraphLaunch(g_exec, s); }

// Memory that nodes set and copy.
class Uploader {
public:
  explicit Uploader(cudaStream_t s) : stream_(s) {}
  void reserve(size_t bytes) {
    if (bytes <= capacity_)
      return;
    cudaFree(device_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'Uploader::reserve' frees and reallocates 'device_' while the graph captured on 'stream_' holds its old address in 'cudaMemsetAsync'; {{.*}} [cudagraph-growing-workspace]
    cudaMalloc(&device_, bytes);
    capacity_ = bytes;
  }
  void capture(float *out) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(device_, 0, 256, stream_);
    cudaMemcpyAsync(out, device_, 256, cudaMemcpyDeviceToDevice, stream_);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cudaStream_t stream_;
  float *device_ = nullptr;
  size_t capacity_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};

// One function frees, a second one allocates, and a third one calls both.
class Divided {
public:
  explicit Divided(cudaStream_t s) : stream_(s) {}
  void fit(size_t bytes) {
    if (bytes <= capacity_)
      return;
    drop();
    obtain(bytes);
    capacity_ = bytes;
  }
  void fitHere(size_t bytes) {
    cudaFree(other_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'Divided::fitHere' frees and reallocates 'other_'
    [&] { cudaMalloc(&other_, bytes); }();
  }
  void capture(float *out) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    kernel<<<1, 256, 0, stream_>>>(scratch_, out);
    kernel<<<1, 256, 0, stream_>>>(other_, out);
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  void drop() {
    cudaFree(scratch_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'Divided::fit' frees and reallocates 'scratch_'
    scratch_ = nullptr;
  }
  void obtain(size_t bytes) { cudaMalloc(&scratch_, bytes); }
  cudaStream_t stream_;
  float *scratch_ = nullptr, *other_ = nullptr;
  size_t capacity_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};
