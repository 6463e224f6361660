// Arguments that are constant, intentionally frozen, or set again. No check has
// a finding.

// RUN: %check %s

#include <cublas_v2.h>
#include <ctime>

__global__ void adam(float *p, float lr, int step);
__global__ void sample(const float *logits, int *token, float temperature);
__global__ void scaled(float *p, const float *lr, int n);
__global__ void layer(float *x, int index);

// Configuration that is never set later, and loop counters.
struct Config {
  float lr;
  int layers;
};

class Model {
public:
  Model(const Config &config, float *x, cudaStream_t s)
      : config_(config), x_(x), stream_(s) {}
  ~Model() { cudaGraphExecDestroy(exec_); }
  void capture() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
    for (int i = 0; i < config_.layers; ++i)
      layer<<<1, 32, 0, stream_>>>(x_, i);
    adam<<<1, 32, 0, stream_>>>(x_, config_.lr, 1);
    (void)cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  const Config config_;
  float *x_;
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

// The number is in device memory and is updated before each launch.
class OnDevice {
public:
  explicit OnDevice(cudaStream_t s) : stream_(s) {
    cudaMalloc(&device_lr_, sizeof(float));
    cudaMallocHost(&host_lr_, sizeof(float));
  }
  void set_learning_rate(float lr) { *host_lr_ = lr; }
  void capture(float *p, int n) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
    cudaMemcpyAsync(device_lr_, host_lr_, sizeof(float), cudaMemcpyHostToDevice, stream_);
    scaled<<<1, 32, 0, stream_>>>(p, device_lr_, n);
    (void)cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cudaStream_t stream_;
  float *device_lr_ = nullptr, *host_lr_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

// The setter invalidates the graph.
class Dropped {
public:
  explicit Dropped(cudaStream_t s) : stream_(s) {}
  void set_learning_rate(float lr) {
    lr_ = lr;
    if (exec_)
      cudaGraphExecDestroy(exec_);
    exec_ = nullptr;
  }
  void run(float *p) {
    if (!exec_)
      record(p);
    cudaGraphLaunch(exec_, stream_);
  }

private:
  void record(float *p) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
    adam<<<1, 32, 0, stream_>>>(p, lr_, 0);
    (void)cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  cudaStream_t stream_;
  float lr_ = 0.1f;
  cudaGraphExec_t exec_ = nullptr;
};

// The graph is captured in each step.
void each_step(float *p, cudaStream_t s, int steps) {
  for (int step = 0; step < steps; ++step) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    adam<<<1, 32, 0, s>>>(p, 0.1f / (step + 1), step);
    (void)cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
  }
}

// The node's arguments are set before each launch.
void set_params(float *p, cudaStream_t s, int steps) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t node;
  size_t nodes = 1;
  int step = 0;
  float lr = 0.1f;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  adam<<<1, 32, 0, s>>>(p, lr, step);
  (void)cudaStreamEndCapture(s, &graph);
  cudaGraphGetNodes(graph, &node, &nodes);
  cudaGraphInstantiate(&exec, graph, 0);
  for (step = 0; step < steps; ++step) {
    cudaKernelNodeParams params = {};
    void *args[] = {&p, &lr, &step};
    params.func = (void *)adam;
    params.gridDim = dim3(1);
    params.blockDim = dim3(32);
    params.kernelParams = args;
    cudaGraphExecKernelNodeSetParams(exec, node, &params);
    cudaGraphLaunch(exec, s);
  }
  cudaStreamSynchronize(s);
  cudaGraphExecDestroy(exec);
}

// The value that selects the graph may be an argument in it.
class Buckets {
public:
  void run(float *p, int step, cudaStream_t s) {
    if (!exec_ || step != captured_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
      adam<<<1, 32, 0, s>>>(p, 0.1f, step);
      (void)cudaStreamEndCapture(s, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
      captured_ = step;
    }
    cudaGraphLaunch(exec_, s);
  }

private:
  int captured_ = -1;
  cudaGraphExec_t exec_ = nullptr;
};

// BLAS scalars that are constants or in device memory.
class Scaler {
public:
  Scaler(cublasHandle_t handle, cudaStream_t s) : handle_(handle), stream_(s) {
    cudaMalloc(&device_alpha_, sizeof(float));
  }
  void set_alpha(float alpha) {
    cudaMemcpy(device_alpha_, &alpha, sizeof(float), cudaMemcpyHostToDevice);
  }
  void capture(const float *x, float *y) {
    cudaGraph_t graph;
    const float one = 1.0f;
    cublasSetStream(handle_, stream_);
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
    cublasSetPointerMode(handle_, CUBLAS_POINTER_MODE_HOST);
    cublasSaxpy(handle_, 256, &one, x, 1, y, 1);
    cublasSetPointerMode(handle_, CUBLAS_POINTER_MODE_DEVICE);
    cublasSaxpy(handle_, 256, device_alpha_, x, 1, y, 1);
    (void)cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cublasHandle_t handle_;
  cudaStream_t stream_;
  float *device_alpha_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

// The kernel is launched eagerly, each time with a different number.
void eager(float *p, cudaStream_t s, int steps) {
  for (int step = 0; step < steps; ++step)
    adam<<<1, 32, 0, s>>>(p, 0.1f, step + (int)time(nullptr));
}
