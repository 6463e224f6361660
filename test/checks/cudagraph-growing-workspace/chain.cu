// The buffer is part of another object and grows in a helper or a method of
// that part.

// RUN: %check %s cudagraph-growing-workspace

__global__ void kernel(const float *in, float *out);

// An object that grows, inside an engine that calls it.
class Scratch {
public:
  ~Scratch() { cudaFree(data_); }
  float *ensure(size_t bytes) {
    if (bytes > capacity_) {
      cudaFree(data_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'Scratch::ensure' frees and reallocates '{{scratch_|data_}}' while the graph captured on 'stream_' holds its old address in 'kernel'; {{.*}} [cudagraph-growing-workspace]
      cudaMalloc(&data_, bytes);
      capacity_ = bytes;
    }
    return data_;
  }
  float *data() const { return data_; }

private:
  float *data_ = nullptr;
  size_t capacity_ = 0;
};

class Engine {
public:
  explicit Engine(cudaStream_t s) : stream_(s) {}
  ~Engine() { cudaGraphExecDestroy(exec_); }
  void prefill(float *out, size_t bytes) {
    kernel<<<64, 256, 0, stream_>>>(scratch_.ensure(bytes), out);
  }
  void capture(float *out) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    decode(out);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls 'Engine::decode'
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  void decode(float *out) {
    kernel<<<1, 256, 0, stream_>>>(scratch_.data(), out);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: 'kernel' is captured with the address of 'scratch_' here
  }
  cudaStream_t stream_;
  Scratch scratch_;
  cudaGraphExec_t exec_ = nullptr;
};

// A structure that is passed on.
struct Context {
  cudaStream_t stream;
  void *work = nullptr;
  size_t size = 0;
  cudaGraphExec_t exec = nullptr;
};

static void reserve(Context &context, size_t bytes) {
  if (context.size >= bytes)
    return;
  cudaFree(context.work);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'reserve' frees and reallocates 'work' while the graph captured on 'context.stream' holds its old address in 'kernel'; {{.*}} [cudagraph-growing-workspace]
  cudaMalloc(&context.work, bytes);
  context.size = bytes;
}

static void build(Context &context, float *out) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(context.stream, cudaStreamCaptureModeGlobal);
  kernel<<<1, 256, 0, context.stream>>>(static_cast<float *>(context.work), out);
  cudaStreamEndCapture(context.stream, &graph);
  cudaGraphInstantiate(&context.exec, graph, 0);
}

void compute(Context &context, float *out, size_t bytes) {
  reserve(context, bytes);
  if (!context.exec)
    build(context, out);
  cudaGraphLaunch(context.exec, context.stream);
}

// One per process.
class Workspace {
public:
  static Workspace &instance() {
    static Workspace workspace;
    return workspace;
  }
  void request(size_t bytes) {
    if (bytes <= size_)
      return;
    cudaFree(data_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'Workspace::request' frees and reallocates 'data_' while the graph captured on 's' holds its old address in 'kernel'; {{.*}} [cudagraph-growing-workspace]
    cudaMalloc(&data_, bytes);
    size_ = bytes;
  }
  float *floats() const { return data_; }

private:
  float *data_ = nullptr;
  size_t size_ = 0;
};

static cudaGraphExec_t g_layers[8];

void add_layer(int i, float *out, size_t bytes, cudaStream_t s) {
  cudaGraph_t graph;
  Workspace::instance().request(bytes);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 256, 0, s>>>(Workspace::instance().floats(), out);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&g_layers[i], graph, 0);
}

void run_layers(cudaStream_t s) {
  for (cudaGraphExec_t exec : g_layers)
    cudaGraphLaunch(exec, s);
}
