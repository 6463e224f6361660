// Numbers and addresses that a node retains and that change during the lifetime
// of the graph.

// RUN: %check %s cudagraph-frozen-argument

#include <cublas_v2.h>
#include <ctime>

__global__ void adam(float *p, float lr, int step);
__global__ void sample(const float *logits, int *token, float temperature);
__global__ void advance(float *u, float t);

// A member with a setter, and a counter.
class Optimizer {
public:
  Optimizer(float *p, cudaStream_t s) : p_(p), stream_(s) {}
  ~Optimizer() { cudaGraphExecDestroy(exec_); }
  void set_learning_rate(float lr) {
    lr_ = lr;
    // CHECK-NOTES: :[[@LINE-1]]:5: note: it is set here
  }
  void step() {
    ++step_;
    if (!exec_)
      record();
    cudaGraphLaunch(exec_, stream_);
  }

private:
  void record() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    adam<<<1, 256, 0, stream_>>>(p_, lr_, 0);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'lr_' of kernel 'adam' is set by 'Optimizer::set_learning_rate' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
    adam<<<1, 256, 0, stream_>>>(p_, 0.1f, step_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'step_' of kernel 'adam' {{.*}} [cudagraph-frozen-argument]
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  float *p_;
  cudaStream_t stream_;
  float lr_ = 0.1f;
  int step_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};

// A global that advances from launch to launch.
static float g_time = 0;
static cudaGraphExec_t g_exec = nullptr;

static void build(float *u, cudaStream_t s) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  advance<<<1, 32, 0, s>>>(u, g_time);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'g_time' of kernel 'advance' {{.*}} [cudagraph-frozen-argument]
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&g_exec, graph, 0);
}

void integrate(float *u, float end, float dt, cudaStream_t s) {
  build(u, s);
  while (g_time < end) {
    cudaGraphLaunch(g_exec, s);
    g_time += dt;
  }
}

// A local variable with a different value when the graph is launched.
void local_variable(float *u, cudaStream_t s, int steps) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  float t = 0;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  advance<<<1, 32, 0, s>>>(u, t);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 't' of kernel 'advance' {{.*}} [cudagraph-frozen-argument]
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < steps; ++i) {
    t = i * 0.5f;
    // CHECK-NOTES: :[[@LINE-1]]:5: note: it changes here
    cudaGraphLaunch(exec, s);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: the graph is launched here
  }
  cudaStreamSynchronize(s);
  cudaGraphExecDestroy(exec);
}

// A parameter of the function that captures on its first call.
class Sampler {
public:
  Sampler(const float *logits, int *token) : logits_(logits), token_(token) {}
  void run(float temperature, cudaStream_t s) {
    if (!exec_) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      sample<<<1, 32, 0, s>>>(logits_, token_, temperature);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'temperature' of kernel 'sample' comes from parameter 'temperature' of 'Sampler::run', whose later calls launch the graph of an earlier call, with the value of that call [cudagraph-frozen-argument]
      cudaStreamEndCapture(s, &graph);
      cudaGraphInstantiate(&exec_, graph, 0);
    }
    cudaGraphLaunch(exec_, s);
  }

private:
  const float *logits_;
  int *token_;
  cudaGraphExec_t exec_ = nullptr;
};

// A number that was read back from the device.
void read_back(const float *logits, int *token, const float *scale,
               cudaStream_t s, cudaGraph_t *graph) {
  float host = 0;
  cudaMemcpy(&host, scale, sizeof(host), cudaMemcpyDeviceToHost);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  sample<<<1, 32, 0, s>>>(logits, token, host);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'host' of kernel 'sample' is a value read back from the device; every replay will use the value from the capture [cudagraph-frozen-argument]
  cudaStreamEndCapture(s, graph);
}

// The time of day.
void clocks(float *p, cudaStream_t s, cudaGraph_t *graph) {
  int now = (int)time(nullptr);
  // CHECK-NOTES: :[[@LINE-1]]:18: note: the value is read here
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  adam<<<1, 32, 0, s>>>(p, 0.1f, now);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'now' of kernel 'adam' differs from call to call; every replay will use the value from the capture [cudagraph-frozen-argument]
  cudaStreamEndCapture(s, graph);
}

// BLAS scalars, which the library reads from host memory.
class Scaler {
public:
  Scaler(cublasHandle_t handle, cudaStream_t s) : handle_(handle), stream_(s) {}
  void set_alpha(float alpha) { alpha_ = alpha; }
  void capture(const float *x, float *y, int n) {
    cudaGraph_t graph;
    cublasSetStream(handle_, stream_);
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    cublasSaxpy(handle_, 256, &alpha_, x, 1, y, 1);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the scalar '{{&?}}alpha_', which 'cublasSaxpy{{(_v2)?}}' reads from the host at capture, is set by 'Scaler::set_alpha' while the graph exists; {{.*}} [cudagraph-frozen-argument]
    // CHECK-NOTES: :[[@LINE-2]]:5: note: keep the scalar in device memory (CUBLAS_POINTER_MODE_DEVICE) and update it before each launch
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cublasHandle_t handle_;
  cudaStream_t stream_;
  float alpha_ = 1;
  cudaGraphExec_t exec_ = nullptr;
};

// The argument array of cudaLaunchKernel, and attributes of a launch.
class Decoder {
public:
  Decoder(const float *q, int *token, cudaStream_t s)
      : q_(q), token_(token), stream_(s) {}
  void set_temperature(float t) {
    temperature_ = t;
    // CHECK-NOTES: :[[@LINE-1]]:5: note: it is set here
  }
  void set_priority(int p) {
    priority_ = p;
    // CHECK-NOTES: :[[@LINE-1]]:5: note: it is set here
  }
  void record() {
    cudaGraph_t graph;
    cudaLaunchAttribute attribute[1] = {};
    attribute[0].id = cudaLaunchAttributePriority;
    attribute[0].val.priority = priority_;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(32);
    config.stream = stream_;
    config.attrs = attribute;
    config.numAttrs = 1;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    void *args[] = {&q_, &token_, &temperature_};
    cudaLaunchKernel((const void *)sample, dim3(1), dim3(32), args, 0, stream_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument '{{.*}}' of 'cudaLaunchKernel' is set by 'Decoder::set_temperature' while the graph exists; {{.*}} [cudagraph-frozen-argument]
    cudaLaunchKernelEx(&config, sample, q_, token_, 1.0f);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument '{{.*}}' of 'cudaLaunchKernelEx{{C?}}' is set by 'Decoder::set_priority' while the graph exists; {{.*}} [cudagraph-frozen-argument]
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  const float *q_;
  int *token_;
  cudaStream_t stream_;
  float temperature_ = 1;
  int priority_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};

// An address set during the lifetime of the graph.
class Rebinding {
public:
  explicit Rebinding(cudaStream_t s) : stream_(s) {}
  void set_input(const float *input) { input_ = input; }
  void capture(int *token) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    sample<<<1, 32, 0, stream_>>>(input_, token, 1.0f);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the address 'input_' of kernel 'sample' is set by 'Rebinding::set_input' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cudaStream_t stream_;
  const float *input_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

// A member of a structure that is passed as a whole.
struct Hyper {
  float lr;
  float decay;
};
__global__ void update(float *p, Hyper hyper);

class Trainer {
public:
  explicit Trainer(cudaStream_t s) : stream_(s) {}
  void set_decay(float decay) { decay_ = decay; }
  void capture(float *p) {
    cudaGraph_t graph;
    Hyper hyper{0.1f, decay_};
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    update<<<1, 32, 0, stream_>>>(p, hyper);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'hyper' of kernel 'update' is set by 'Trainer::set_decay' while the graph exists; every replay will use the value from the capture [cudagraph-frozen-argument]
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cudaStream_t stream_;
  float decay_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};
