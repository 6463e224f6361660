// Fused AdamW for a training plug-in: forward/backward of a small regression head plus the optimizer
// update are recorded once and replayed per iteration.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace plugin {

inline void check(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}
#define PLUGIN_CHECK(x) ::plugin::check((x), #x)

struct AdamHyper {
  float beta1 = 0.9f, beta2 = 0.98f, eps = 1e-6f, weightDecay = 0.01f;
};

__global__ void mse_backward(float* grad, const float* param, const float* target, int n, float scale) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) grad[i] = (param[i] - target[i]) * scale;
}

__global__ void adamw_kernel(float* p, const float* g, float* m, float* v, int n, float lr, float bc1, float bc2,
                             AdamHyper h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float mi = h.beta1 * m[i] + (1.0f - h.beta1) * g[i];
  float vi = h.beta2 * v[i] + (1.0f - h.beta2) * g[i] * g[i];
  m[i] = mi;
  v[i] = vi;
  float update = (mi / bc1) / (sqrtf(vi / bc2) + h.eps) + h.weightDecay * p[i];
  p[i] -= lr * update;
}

class DeviceTensor {
 public:
  explicit DeviceTensor(int n) : n_(n) {
    PLUGIN_CHECK(cudaMalloc(&data_, n * sizeof(float)));
    PLUGIN_CHECK(cudaMemset(data_, 0, n * sizeof(float)));
    PLUGIN_CHECK(cudaDeviceSynchronize());
  }
  DeviceTensor(const DeviceTensor&) = delete;
  ~DeviceTensor() { cudaFree(data_); }
  float* data() const { return data_; }
  int numel() const { return n_; }

 private:
  float* data_ = nullptr;
  int n_;
};

struct Parameter {
  explicit Parameter(int n) : value(n), grad(n), m(n), v(n) {}
  DeviceTensor value, grad, m, v;
};

class LRSchedule {
 public:
  virtual ~LRSchedule() = default;
  virtual float at(int64_t iteration) const = 0;
};

class WarmupCosine final : public LRSchedule {
 public:
  WarmupCosine(float peak, int warmup, int total) : peak_(peak), warmup_(warmup), total_(total) {}
  float at(int64_t it) const override {
    if (it < warmup_) return peak_ * float(it + 1) / float(warmup_);
    float t = float(it - warmup_) / float(total_ - warmup_);
    return 0.5f * peak_ * (1.0f + std::cos(3.14159265f * t));
  }

 private:
  float peak_;
  int warmup_, total_;
};

class FusedAdamW {
 public:
  FusedAdamW(AdamHyper h, float lr) : h_(h), lr_(lr) {}
  Parameter& addParameter(int n) {
    params_.push_back(std::make_unique<Parameter>(n));
    return *params_.back();
  }
  void setLearningRate(float lr) {
    lr_ = lr;  // HAZARD frozen #lr
  }
  const std::vector<std::unique_ptr<Parameter>>& parameters() const { return params_; }

  void step(cudaStream_t stream) {
    ++step_;                                                      // HAZARD host_logic #step
    const float bc1 = 1.0f - std::pow(h_.beta1, float(step_));    // HAZARD host_logic #step
    const float bc2 = 1.0f - std::pow(h_.beta2, float(step_));    // HAZARD host_logic #step
    for (auto& p : params_) {
      const int n = p->value.numel();
      adamw_kernel<<<(n + 127) / 128, 128, 0, stream>>>(p->value.data(), p->grad.data(), p->m.data(), p->v.data(), n,
                                                        lr_, bc1, bc2, h_);  // HAZARD frozen #lr
      PLUGIN_CHECK(cudaGetLastError());
    }
  }

 private:
  AdamHyper h_;
  float lr_;
  int64_t step_ = 0;
  std::vector<std::unique_ptr<Parameter>> params_;
};

class CaptureScope {
 public:
  explicit CaptureScope(cudaStream_t s) : s_(s) {
    PLUGIN_CHECK(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal));
    open_ = true;
  }
  ~CaptureScope() {
    if (!open_) return;
    cudaGraph_t g = nullptr;
    if (cudaStreamEndCapture(s_, &g) == cudaSuccess && g) cudaGraphDestroy(g);
  }
  cudaGraph_t finish() {
    cudaGraph_t g = nullptr;
    open_ = false;
    PLUGIN_CHECK(cudaStreamEndCapture(s_, &g));
    return g;
  }

 private:
  cudaStream_t s_;
  bool open_ = false;
};

// Owns the batch buffers and the recorded iteration.
class GraphedTrainStep {
 public:
  GraphedTrainStep(FusedAdamW& opt, int batchNumel) : opt_(opt), target_(batchNumel) {
    PLUGIN_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    PLUGIN_CHECK(cudaMallocHost(&hostTarget_, batchNumel * sizeof(float)));
  }
  ~GraphedTrainStep() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFreeHost(hostTarget_);
    cudaStreamDestroy(stream_);
  }
  float* batch() { return hostTarget_; }

  void record() {
    CaptureScope scope(stream_);
    PLUGIN_CHECK(cudaMemcpyAsync(target_.data(), hostTarget_, target_.numel() * sizeof(float), cudaMemcpyHostToDevice,
                                 stream_));
    backward();
    opt_.step(stream_);
    cudaGraph_t graph = scope.finish();
    cudaError_t e = cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    PLUGIN_CHECK(e);
  }

  void replay() {
    PLUGIN_CHECK(cudaGraphLaunch(exec_, stream_));
    PLUGIN_CHECK(cudaStreamSynchronize(stream_));
  }

 private:
  void backward() {
    for (auto& p : opt_.parameters()) {
      const int n = p->value.numel();
      mse_backward<<<(n + 127) / 128, 128, 0, stream_>>>(p->grad.data(), p->value.data(), target_.data(), n, 2.0f);
      PLUGIN_CHECK(cudaGetLastError());
    }
  }

  FusedAdamW& opt_;
  DeviceTensor target_;
  float* hostTarget_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace plugin

static float targetValue(int it, int i) { return 1.0f + 0.25f * float(it) + 0.01f * float(i % 17); }

static std::vector<float> reference(int n, int iters, const plugin::LRSchedule& sched, bool constLr, bool constStep) {
  plugin::AdamHyper h;
  std::vector<float> p(n, 0.f), m(n, 0.f), v(n, 0.f);
  for (int it = 0; it < iters; ++it) {
    const float lr = sched.at(constLr ? 0 : it);
    const float step = constStep ? 1.0f : float(it + 1);
    const float bc1 = 1.0f - std::pow(h.beta1, step), bc2 = 1.0f - std::pow(h.beta2, step);
    for (int i = 0; i < n; ++i) {
      float g = (p[i] - targetValue(it, i)) * 2.0f;
      m[i] = h.beta1 * m[i] + (1.0f - h.beta1) * g;
      v[i] = h.beta2 * v[i] + (1.0f - h.beta2) * g * g;
      p[i] -= lr * ((m[i] / bc1) / (std::sqrt(v[i] / bc2) + h.eps) + h.weightDecay * p[i]);
    }
  }
  return p;
}

static bool close(const std::vector<float>& a, const std::vector<float>& b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (std::fabs(a[i] - b[i]) > 1e-3f * (1.0f + std::fabs(b[i]))) return false;
  return true;
}

int main() try {
  constexpr int kWeights = 1024, kBias = 64, kIters = 6;
  plugin::WarmupCosine sched(0.1f, 3, 20);
  plugin::FusedAdamW opt({}, sched.at(0));
  plugin::Parameter& w = opt.addParameter(kWeights);
  opt.addParameter(kBias);
  plugin::GraphedTrainStep train(opt, kWeights);
  train.record();

  for (int it = 0; it < kIters; ++it) {
    for (int i = 0; i < kWeights; ++i) train.batch()[i] = targetValue(it, i);
    opt.setLearningRate(sched.at(it));
    train.replay();
  }
  std::vector<float> got(kWeights);
  PLUGIN_CHECK(cudaMemcpy(got.data(), w.value.data(), kWeights * sizeof(float), cudaMemcpyDeviceToHost));

  const bool right = close(got, reference(kWeights, kIters, sched, false, false));
  const bool onlyLr = close(got, reference(kWeights, kIters, sched, true, false));
  const bool onlyStep = close(got, reference(kWeights, kIters, sched, false, true));
  const bool both = close(got, reference(kWeights, kIters, sched, true, true));
  std::printf("right=%d onlyLr=%d onlyStep=%d both=%d w[0]=%f\n", right, onlyLr, onlyStep, both, got[0]);
  std::puts(!right && !onlyLr && !onlyStep && both ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
} catch (const std::exception& e) {
  std::printf("%s\nLABEL WRONG\n", e.what());
  return 1;
}
