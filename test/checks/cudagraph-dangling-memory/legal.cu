// Memory that outlives the graph, or is released together with it. No check has
// a finding.

// RUN: %check %s
// RUN: %if gxx %{ %check %s --real-std %}

#include <string>
#include <utility>
#include <vector>

__global__ void kernel(const float *in, float *out);

struct Params {
  float theta;
  int heads;
};

__global__ void by_value(Params params, float *out);

// Constants, globals, and static local variables persist.
static const int kDims[2] = {128, 64};
static Params g_params;

void statics(cudaStream_t s, int *device, Params *params, cudaGraph_t *graph) {
  static const int strides[2] = {64, 1};
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaMemcpyAsync(device, kDims, sizeof(kDims), cudaMemcpyHostToDevice, s);
  cudaMemcpyAsync(device + 2, strides, sizeof(strides), cudaMemcpyHostToDevice, s);
  cudaMemcpyAsync(params, &g_params, sizeof(g_params), cudaMemcpyHostToDevice, s);
  (void)cudaStreamEndCapture(s, graph);
}

// The data is uploaded before the capture begins.
cudaGraphExec_t before(cudaStream_t s, Params *device, float *x) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  Params params{1.0f, 8};
  cudaMemcpyAsync(device, &params, sizeof(params), cudaMemcpyHostToDevice, s);
  cudaStreamSynchronize(s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  kernel<<<1, 32, 0, s>>>(&device->theta, x);
  (void)cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  return exec;
}

// A structure passed by value is copied as a whole.
void value(cudaStream_t s, float *x, cudaGraph_t *graph) {
  Params params{1.0f, 8};
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  by_value<<<1, 32, 0, s>>>(params, x);
  (void)cudaStreamEndCapture(s, graph);
}

// The graph is launched, waited for, and destroyed within the scope of the
// memory.
void same_scope(cudaStream_t s, Params *device, float *x, int n) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  Params params{1.0f, 8};
  std::vector<float> host(n);
  float *scratch = nullptr, loss = 0;
  cudaMalloc(&scratch, n * sizeof(float));
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaMemcpyAsync(device, &params, sizeof(params), cudaMemcpyHostToDevice, s);
  cudaMemcpyAsync(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice, s);
  kernel<<<1, 32, 0, s>>>(x, scratch);
  cudaMemcpyAsync(&loss, scratch, sizeof(loss), cudaMemcpyDeviceToHost, s);
  (void)cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, s);
  cudaStreamSynchronize(s);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaFree(scratch);
}

// Members that live as long as the graph, which is a member of the same object.
static void CUDART_CB count(void *data) { ++*static_cast<long *>(data); }

class Session {
public:
  Session(cudaStream_t s, int n) : stream_(s), offsets_(n) {
    cudaMalloc(&scratch_, n * sizeof(float));
    cudaMallocHost(&staging_, n * sizeof(float));
  }
  ~Session() {
    cudaGraphExecDestroy(exec_);
    cudaFree(scratch_);
    cudaFreeHost(staging_);
  }
  void capture(int *device, float *out) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
    cudaMemcpyAsync(device, offsets_.data(), 64, cudaMemcpyHostToDevice, stream_);
    cudaMemcpyAsync(device + 16, &params_, sizeof(params_), cudaMemcpyHostToDevice, stream_);
    cudaMemcpyAsync(scratch_, staging_, 64, cudaMemcpyHostToDevice, stream_);
    kernel<<<1, 32, 0, stream_>>>(scratch_, out);
    cudaLaunchHostFunc(stream_, count, &replays_);
    (void)cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  // Values are written in place.
  void set(int i, int offset) { offsets_[i] = offset; }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cudaStream_t stream_;
  std::vector<int> offsets_;
  Params params_{1.0f, 8};
  float *scratch_ = nullptr, *staging_ = nullptr;
  long replays_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};

// The caller receives the memory together with the graph.
struct Compiled {
  cudaGraph_t graph = nullptr;
  float *scratch = nullptr;
  std::vector<int> offsets;
};

Compiled bundle(cudaStream_t s, int *device, float *out) {
  Compiled c;
  c.offsets.resize(16);
  cudaMalloc(&c.scratch, 4096);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaMemcpyAsync(device, c.offsets.data(), 64, cudaMemcpyHostToDevice, s);
  kernel<<<1, 32, 0, s>>>(c.scratch, out);
  (void)cudaStreamEndCapture(s, &c.graph);
  return c;
}

// The graph owns the vector: a user object frees it with the graph.
static void CUDART_CB destroy(void *data) {
  delete static_cast<std::vector<float *> *>(data);
}

void user_object(cudaStream_t s, float **table, const std::vector<float *> &rows,
                 cudaGraph_t *graph) {
  auto *owned = new std::vector<float *>(rows);
  cudaUserObject_t object;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaMemcpyAsync(table, owned->data(), 64, cudaMemcpyHostToDevice, s);
  (void)cudaStreamEndCapture(s, graph);
  cudaUserObjectCreate(&object, owned, destroy, 1, cudaUserObjectNoDestructorSync);
  cudaGraphRetainUserObject(*graph, object, 1, cudaGraphUserObjectMove);
}

// Nodes of the graph allocate and free its stream-ordered memory.
void graph_memory(cudaStream_t s, const float *in, float *out, cudaGraph_t *graph) {
  float *scratch;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  (void)cudaMallocAsync(&scratch, 4096, s);
  kernel<<<1, 32, 0, s>>>(in, scratch);
  kernel<<<1, 32, 0, s>>>(scratch, out);
  (void)cudaFreeAsync(scratch, s);
  (void)cudaStreamEndCapture(s, graph);
}

// The graph is created again after the vector has grown.
class Recaptured {
public:
  Recaptured(cudaStream_t s, int *device) : stream_(s), device_(device) {}
  void add(int block) {
    blocks_.push_back(block);
    cudaGraphExecDestroy(exec_);
    exec_ = nullptr;
  }
  void run() {
    if (!exec_)
      capture();
    cudaGraphLaunch(exec_, stream_);
  }

private:
  void capture() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
    cudaMemcpyAsync(device_, blocks_.data(), 64, cudaMemcpyHostToDevice, stream_);
    (void)cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }

  cudaStream_t stream_;
  int *device_;
  std::vector<int> blocks_;
  cudaGraphExec_t exec_ = nullptr;
};

// Copies that are not captured may read any memory.
void eager(cudaStream_t s, cudaStream_t other, Params *device, float *x) {
  Params params{1.0f, 8};
  cudaMemcpyAsync(device, &params, sizeof(params), cudaMemcpyHostToDevice, s);
  cudaMemcpyAsync(x, std::vector<float>(16).data(), 64, cudaMemcpyHostToDevice, other);
}
