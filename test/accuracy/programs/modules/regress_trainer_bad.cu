// regress_trainer: full training loop for a diagonal quadratic model with a learning-rate
// schedule, dynamic gradient scaling and SGD with momentum. One optimizer step is one graph launch.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

constexpr int kParams = 512;
constexpr int kSteps = 14;
constexpr float kHalfMax = 65504.0f;

static void cudaOrThrow(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

template <typename T>
struct Pinned {
  T* ptr = nullptr;
  Pinned() { cudaOrThrow(cudaMallocHost(&ptr, sizeof(T)), "pinned"); *ptr = T{}; }
  ~Pinned() { if (cudaFreeHost(ptr) != cudaSuccess) std::fprintf(stderr, "pinned memory not freed\n"); }
  Pinned(const Pinned&) = delete;
};

template <typename T>
struct OnDevice {
  T* ptr = nullptr;
  explicit OnDevice(int n) {
    cudaOrThrow(cudaMalloc(&ptr, n * sizeof(T)), "device");
    cudaOrThrow(cudaMemset(ptr, 0, n * sizeof(T)), "device");
  }
  ~OnDevice() { if (cudaFree(ptr) != cudaSuccess) std::fprintf(stderr, "device memory not freed\n"); }
  OnDevice(const OnDevice&) = delete;
};

__global__ void backward(const float* w, const float* target, float* grad, const float* scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kParams) grad[i] = *scale * (w[i] - target[i]);
}

__global__ void unscale(float* grad, const float* scale, int* found_inf) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kParams) return;
  if (fabsf(grad[i]) > kHalfMax) atomicExch(found_inf, 1);
  grad[i] /= *scale;
}

__global__ void sgd(float* w, float* momentum, const float* grad, float lr, float beta, const int* found_inf) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kParams || *found_inf) return;
  momentum[i] = beta * momentum[i] + grad[i];
  w[i] -= lr * momentum[i];
}

class LRSchedule {
 public:
  float at(int step) const {
    const float warm = step < 3 ? (step + 1) / 3.0f : 1.0f;
    return 0.2f * warm / (1.0f + 0.1f * step);
  }
};

class GradScaler {
 public:
  float scale() const { return scale_; }
  // Consumes the overflow flag of a step.
  void update(bool found_inf) {
    if (found_inf) {
      scale_ *= 0.5f;
      good_steps_ = 0;
    } else if (++good_steps_ == kGrowthInterval) {
      scale_ *= 2.0f;
      good_steps_ = 0;
    }
  }

 private:
  static constexpr int kGrowthInterval = 2;
  float scale_ = 4608.0f;
  int good_steps_ = 0;
};

class SGD {
 public:
  SGD(float* w, float beta) : w_(w), beta_(beta), momentum_(kParams) {}
  void set_lr(float lr) { lr_ = lr; }
  void step(const float* grad, const int* found_inf, cudaStream_t s) {
    sgd<<<kParams / 128, 128, 0, s>>>(w_, momentum_.ptr, grad, lr_, beta_, found_inf);  // HAZARD frozen #lr
  }

 private:
  float* w_;
  float beta_;
  float lr_ = 0.0f;
  OnDevice<float> momentum_;
};

class Trainer {
 public:
  explicit Trainer(const std::vector<float>& target) : w_(kParams), target_(kParams), grad_(kParams), scale_(1), found_inf_(1), opt_(w_.ptr, 0.5f) {
    cudaOrThrow(cudaStreamCreate(&stream_), "stream");
    cudaOrThrow(cudaMemcpy(target_.ptr, target.data(), kParams * sizeof(float), cudaMemcpyHostToDevice), "target");
  }
  ~Trainer() {
    if (exec_ && cudaGraphExecDestroy(exec_) != cudaSuccess) std::fprintf(stderr, "exec not destroyed\n");
    if (stream_ && cudaStreamDestroy(stream_) != cudaSuccess) std::fprintf(stderr, "stream not destroyed\n");
  }
  void train_step() {
    *h_scale_.ptr = scaler_.scale();
    opt_.set_lr(schedule_.at(steps_));
    if (!exec_) compile();
    cudaOrThrow(cudaGraphLaunch(exec_, stream_), "launch");
    cudaOrThrow(cudaStreamSynchronize(stream_), "step");
    ++steps_;
  }
  float scale() const { return scaler_.scale(); }
  std::vector<float> weights() const {
    std::vector<float> w(kParams);
    cudaOrThrow(cudaMemcpy(w.data(), w_.ptr, kParams * sizeof(float), cudaMemcpyDeviceToHost), "weights");
    return w;
  }

 private:
  cudaError_t forward_backward_update() {
    cudaError_t e = cudaMemcpyAsync(scale_.ptr, h_scale_.ptr, sizeof(float), cudaMemcpyHostToDevice, stream_);
    if (e == cudaSuccess) e = cudaMemsetAsync(found_inf_.ptr, 0, sizeof(int), stream_);
    backward<<<kParams / 128, 128, 0, stream_>>>(w_.ptr, target_.ptr, grad_.ptr, scale_.ptr);
    unscale<<<kParams / 128, 128, 0, stream_>>>(grad_.ptr, scale_.ptr, found_inf_.ptr);
    opt_.step(grad_.ptr, found_inf_.ptr, stream_);
    if (e == cudaSuccess) e = cudaMemcpyAsync(h_found_inf_.ptr, found_inf_.ptr, sizeof(int), cudaMemcpyDeviceToHost, stream_);
    scaler_.update(*h_found_inf_.ptr != 0);  // HAZARD host_logic #scaler
    return e;
  }
  void compile() {
    cudaGraph_t graph = nullptr;
    cudaOrThrow(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin");
    const cudaError_t body = forward_backward_update();
    const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
    cudaOrThrow(body, "step body");
    cudaOrThrow(ended, "end");
    const cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
    cudaOrThrow(cudaGraphDestroy(graph), "graph");
    cudaOrThrow(made, "instantiate");
  }

  OnDevice<float> w_, target_, grad_;
  OnDevice<float> scale_;
  OnDevice<int> found_inf_;
  Pinned<float> h_scale_;
  Pinned<int> h_found_inf_;
  SGD opt_;
  LRSchedule schedule_;
  GradScaler scaler_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  int steps_ = 0;
};

int main() {
  std::vector<float> target(kParams), w(kParams, 0.0f), m(kParams, 0.0f);
  for (int i = 0; i < kParams; ++i) target[i] = 10.0f * std::sin(0.05f * i);

  LRSchedule schedule;
  GradScaler scaler;
  int wrong = 0, skipped = 0;
  bool failed = false;
  try {
    Trainer trainer(target);
    for (int step = 0; step < kSteps; ++step) {
      trainer.train_step();
      bool inf = false;
      for (int i = 0; i < kParams; ++i) inf = inf || std::fabs(scaler.scale() * (w[i] - target[i])) > kHalfMax;
      for (int i = 0; i < kParams && !inf; ++i) {
        m[i] = 0.5f * m[i] + (w[i] - target[i]);
        w[i] -= schedule.at(step) * m[i];
      }
      scaler.update(inf);
      skipped += inf;
      const std::vector<float> got = trainer.weights();
      bool differs = trainer.scale() != scaler.scale();
      for (int i = 0; i < kParams; ++i) differs = differs || std::fabs(got[i] - w[i]) > 1e-3f;
      wrong += differs;
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    failed = true;
  }
  std::printf("steps skipped by reference %d, wrong steps %d\n", skipped, wrong);
  std::puts(failed || wrong > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
