#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

struct Status {
  cudaError_t first = cudaSuccess;
  void operator()(cudaError_t e) { first = first == cudaSuccess ? e : first; }
};

__global__ void grad_kernel(float* g, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) g[i] = 1.0f;
}
__global__ void sgd_kernel(float* p, const float* g, const float* lr, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) p[i] -= *lr * g[i];
}
__global__ void partial_sum(const float* p, float* out, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) atomicAdd(out, p[i]);
}

struct Workspace {
  float* sum = nullptr;
  cudaError_t status;
  Workspace() { status = cudaMalloc(&sum, 256 * sizeof(float)); }
};
Workspace& workspace() {
  static Workspace ws;
  return ws;
}

struct ParamGroup {
  std::string name;
  float lr;
  int n;
  float* param = nullptr;
  float* grad = nullptr;
  float* lr_dev = nullptr;
};

class Sgd {
 public:
  std::vector<ParamGroup>& groups() { return groups_; }
  void add(const char* name, float lr, int n) {
    ParamGroup g{name, lr, n};
    cudaMalloc(&g.param, n * sizeof(float));
    cudaMalloc(&g.grad, n * sizeof(float));
    cudaMalloc(&g.lr_dev, sizeof(float));
    cudaMemset(g.param, 0, n * sizeof(float));
    groups_.push_back(g);
  }
  void upload(cudaStream_t s) {
    for (auto& g : groups_) cudaMemcpyAsync(g.lr_dev, &g.lr, sizeof(float), cudaMemcpyHostToDevice, s);
  }
  void advance() { ++steps_; }
  void step(cudaStream_t s) {
    for (auto& g : groups_)
      sgd_kernel<<<(g.n + 127) / 128, 128, 0, s>>>(g.param, g.grad, g.lr_dev, g.n);
  }
  int steps() const { return steps_; }

 private:
  std::vector<ParamGroup> groups_;
  int steps_ = 0;
};

class StepDecay {
 public:
  StepDecay(Sgd& opt, int period) : opt_(opt), period_(period) {}
  void update() {
    if (opt_.steps() == 0 || opt_.steps() % period_ != 0) return;
    for (auto& g : opt_.groups()) g.lr *= 0.5f;
    ++decays_;
  }
  int decays() const { return decays_; }

 private:
  Sgd& opt_;
  int period_, decays_ = 0;
};

class Trainer {
 public:
  explicit Trainer(Sgd& opt) : opt_(opt) {
    ok(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    ok(workspace().status);
  }
  void record_step() {
    cudaGraph_t graph = nullptr;
    ok(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    for (auto& g : opt_.groups()) grad_kernel<<<(g.n + 127) / 128, 128, 0, stream_>>>(g.grad, g.n);
    opt_.step(stream_);
    ok(cudaStreamEndCapture(stream_, &graph));
    ok(cudaGraphInstantiate(&train_, graph, 0));
    ok(cudaGraphDestroy(graph));
  }
  void train_step() {
    opt_.upload(stream_);
    ok(cudaGraphLaunch(train_, stream_));
    ok(cudaStreamSynchronize(stream_));
    opt_.advance();
  }
  cudaError_t record_eval() {
    cudaGraph_t graph = nullptr;
    ok(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    Workspace& ws = workspace();
    cudaMemsetAsync(ws.sum, 0, sizeof(float), stream_);
    for (auto& g : opt_.groups()) partial_sum<<<(g.n + 127) / 128, 128, 0, stream_>>>(g.param, ws.sum, g.n);
    cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
    if (ended != cudaSuccess) return ended;
    ok(cudaGraphInstantiate(&eval_, graph, 0));
    return cudaGraphDestroy(graph);
  }
  float evaluate() {
    float sum = 0;
    ok(cudaGraphLaunch(eval_, stream_));
    ok(cudaMemcpyAsync(&sum, workspace().sum, sizeof(float), cudaMemcpyDeviceToHost, stream_));
    ok(cudaStreamSynchronize(stream_));
    return sum;
  }
  Status ok;

 private:
  Sgd& opt_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t train_ = nullptr, eval_ = nullptr;
};

static float first_of(const ParamGroup& g) {
  float v = 0;
  cudaMemcpy(&v, g.param, sizeof v, cudaMemcpyDeviceToHost);
  return v;
}

int main() {
  Sgd opt;
  opt.add("backbone", 1.0f, 300);
  opt.add("head", 4.0f, 40);
  cudaDeviceSynchronize();
  StepDecay schedule(opt, 2);
  Trainer trainer(opt);
  trainer.record_step();
  for (int i = 0; i < 4; ++i) {
    trainer.train_step();
    schedule.update();
  }
  opt.groups()[1].lr = 0.0f;
  trainer.train_step();
  float head = first_of(opt.groups()[1]), back = first_of(opt.groups()[0]);
  cudaError_t eval = trainer.record_eval();
  float sum = eval == cudaSuccess ? trainer.evaluate() + trainer.evaluate() : 0.0f;
  bool counted = opt.steps() == 5 && schedule.decays() == 2;
  bool decayed = head == -12.0f && back == -3.25f;
  bool summed = std::fabs(sum - 2 * (300 * -3.25f + 40 * -12.0f)) < 0.5f;
  if (trainer.ok.first == cudaSuccess && counted && decayed && summed) std::printf("LABEL CONFIRMED\n");
  else std::printf("LABEL REFUTED steps %d decays %d head %f back %f eval %d\n", opt.steps(), schedule.decays(), head, back, int(eval));
  return 0;
}
