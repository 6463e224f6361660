// Training step of the toy regression used in the framework's integration suite: tape, dropout, AdamW, LR schedule.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tk {

#define TK_CHECK(expr)                                                        \
  do {                                                                        \
    cudaError_t err__ = (expr);                                               \
    if (err__ != cudaSuccess) throw std::runtime_error(cudaGetErrorName(err__)); \
  } while (0)

struct Storage {
  explicit Storage(size_t n) : numel(n) {
    TK_CHECK(cudaMalloc(&ptr, n * sizeof(float)));
    TK_CHECK(cudaMemset(ptr, 0, n * sizeof(float)));
    TK_CHECK(cudaDeviceSynchronize());
  }
  ~Storage() { cudaFree(ptr); }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  float* ptr = nullptr;
  size_t numel;
};

struct Tensor {
  std::shared_ptr<Storage> storage;
  std::shared_ptr<Tensor> grad;

  static Tensor zeros(size_t n) { return Tensor{std::make_shared<Storage>(n), nullptr}; }
  static Tensor param(size_t n) { return Tensor{std::make_shared<Storage>(n), std::make_shared<Tensor>(zeros(n))}; }
  float* data() const { return storage->ptr; }
  int numel() const { return static_cast<int>(storage->numel); }

  void copy_(const std::vector<float>& host) {
    TK_CHECK(cudaMemcpy(data(), host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
    TK_CHECK(cudaDeviceSynchronize());
  }
  std::vector<float> cpu() const {
    std::vector<float> host(storage->numel);
    TK_CHECK(cudaMemcpy(host.data(), data(), host.size() * sizeof(float), cudaMemcpyDeviceToHost));
    return host;
  }
};

inline int blocks(int n) { return (n + 255) / 256; }

__host__ __device__ inline float dropout_scale(uint64_t seed, uint64_t counter) {
  uint64_t z = seed + counter * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  return (z & 3u) != 0u ? 4.0f / 3.0f : 0.0f;
}

__global__ void dropout_mask_kernel(float* mask, uint64_t seed, uint64_t offset, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) mask[i] = dropout_scale(seed, offset + i);
}

__global__ void forward_kernel(const float* w, const float* x, const float* mask, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = w[i] * x[i] * mask[i];
}

__global__ void backward_kernel(const float* y, const float* target, const float* x, const float* mask, float* gw, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) gw[i] = (y[i] - target[i]) * x[i] * mask[i];
}

__global__ void adam_kernel(float* w, const float* g, float* m, float* v, float lr, float c1, float c2, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  m[i] = 0.9f * m[i] + 0.1f * g[i];
  v[i] = 0.999f * v[i] + 0.001f * g[i] * g[i];
  w[i] -= lr * (m[i] / c1) / (sqrtf(v[i] / c2) + 1e-6f);
}

/// Counter-based generator, shared by all random operators of a model.
class Generator {
 public:
  explicit Generator(uint64_t seed) : seed_(seed) {}
  uint64_t seed() const { return seed_; }
  uint64_t reserve(uint64_t n) { return std::exchange(offset_, offset_ + n); }

 private:
  uint64_t seed_;
  uint64_t offset_ = 0;
};

/// Reverse-mode tape.
class Tape {
 public:
  void push(std::function<void(cudaStream_t)> fn) { nodes_.push_back(std::move(fn)); }
  void backward(cudaStream_t stream) {
    for (auto it = nodes_.rbegin(); it != nodes_.rend(); ++it) (*it)(stream);
    nodes_.clear();
  }

 private:
  std::vector<std::function<void(cudaStream_t)>> nodes_;
};

class AdamW {
 public:
  AdamW(std::vector<Tensor*> params, float lr) : params_(std::move(params)), lr_(lr) {
    for (Tensor* p : params_) state_[p] = State{Tensor::zeros(p->numel()), Tensor::zeros(p->numel()), 0};
  }
  void set_lr(float lr) { lr_ = lr; }

  void step(cudaStream_t stream) {
    for (Tensor* p : params_) {
      State& s = state_[p];
      ++s.step;
      const float c1 = 1.0f - std::pow(0.9f, static_cast<float>(s.step));
      const float c2 = 1.0f - std::pow(0.999f, static_cast<float>(s.step));
      adam_kernel<<<blocks(p->numel()), 256, 0, stream>>>(p->data(), p->grad->data(), s.m.data(), s.v.data(), lr_, c1, c2, p->numel());  // HAZARD frozen #adam
    }
  }

 private:
  struct State {
    Tensor m, v;
    int step;
  };
  std::vector<Tensor*> params_;
  std::unordered_map<Tensor*, State> state_;
  float lr_;
};

class Model {
 public:
  Model(int n, uint64_t seed)
      : weight(Tensor::param(n)), input(Tensor::zeros(n)), target(Tensor::zeros(n)), mask(Tensor::zeros(n)),
        output(Tensor::zeros(n)), gen_(seed) {}

  void forward(Tape& tape, cudaStream_t stream) {
    const int n = weight.numel();
    const uint64_t offset = gen_.reserve(n);
    dropout_mask_kernel<<<blocks(n), 256, 0, stream>>>(mask.data(), gen_.seed(), offset, n);  // HAZARD random
    forward_kernel<<<blocks(n), 256, 0, stream>>>(weight.data(), input.data(), mask.data(), output.data(), n);
    tape.push([this, n](cudaStream_t s) {
      backward_kernel<<<blocks(n), 256, 0, s>>>(output.data(), target.data(), input.data(), mask.data(), weight.grad->data(), n);
    });
  }

  Tensor weight, input, target, mask, output;

 private:
  Generator gen_;
};

class GraphedStep {
 public:
  GraphedStep(Model& model, AdamW& opt) : model_(model), opt_(opt) {
    TK_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  ~GraphedStep() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaStreamDestroy(stream_);
  }

  void operator()() {
    if (!exec_) capture();
    TK_CHECK(cudaGraphLaunch(exec_, stream_));
    TK_CHECK(cudaStreamSynchronize(stream_));
  }

 private:
  void capture() {
    cudaGraph_t graph = nullptr;
    Tape tape;
    TK_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    model_.forward(tape, stream_);
    tape.backward(stream_);
    opt_.step(stream_);
    TK_CHECK(cudaStreamEndCapture(stream_, &graph));
    TK_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
    TK_CHECK(cudaGraphDestroy(graph));
  }

  Model& model_;
  AdamW& opt_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

inline float warmup_lr(int iteration) { return 0.0025f * static_cast<float>(std::min(iteration + 1, 4)); }

/// CPU reference. Takes the masks from the device, so that the optimizer is checked apart from the generator.
struct ReferenceAdam {
  explicit ReferenceAdam(std::vector<float> w0) : w(std::move(w0)), m(w.size(), 0.0), v(w.size(), 0.0) {}

  void step(const std::vector<float>& x, const std::vector<float>& t, const std::vector<float>& mask, int iteration) {
    const double c1 = 1.0 - std::pow(0.9, iteration + 1), c2 = 1.0 - std::pow(0.999, iteration + 1);
    for (size_t i = 0; i < w.size(); ++i) {
      const double g = (w[i] * x[i] * mask[i] - t[i]) * x[i] * mask[i];
      m[i] = 0.9 * m[i] + 0.1 * g;
      v[i] = 0.999 * v[i] + 0.001 * g * g;
      w[i] -= static_cast<float>(warmup_lr(iteration) * (m[i] / c1) / (std::sqrt(v[i] / c2) + 1e-6));
    }
  }

  std::vector<float> w;
  std::vector<double> m, v;
};

}  // namespace tk

static int train() {
  using namespace tk;
  constexpr int n = 4096;
  constexpr uint64_t seed = 1234;
  std::vector<float> w0(n), x(n), t(n);
  for (int i = 0; i < n; ++i) {
    w0[i] = 0.1f * static_cast<float>(i % 9);
    x[i] = 0.5f + 0.1f * static_cast<float>(i % 5);
    t[i] = 3.0f + static_cast<float>(i % 3);
  }
  Model model(n, seed);
  model.weight.copy_(w0);
  model.input.copy_(x);
  model.target.copy_(t);
  TK_CHECK(cudaDeviceSynchronize());
  AdamW opt({&model.weight}, warmup_lr(0));
  GraphedStep step(model, opt);
  ReferenceAdam ref(w0);

  std::vector<bool> mask_ok, weight_ok;
  for (int it = 0; it < 6; ++it) {
    opt.set_lr(warmup_lr(it));  // HAZARD frozen #adam
    step();
    const std::vector<float> mask = model.mask.cpu(), w = model.weight.cpu();
    ref.step(x, t, mask, it);
    int bad_mask = 0;
    float error = 0.0f;
    for (int i = 0; i < n; ++i) {
      bad_mask += mask[i] != dropout_scale(seed, static_cast<uint64_t>(it) * n + i);
      error = std::max(error, std::fabs(w[i] - ref.w[i]));
    }
    mask_ok.push_back(bad_mask == 0);
    weight_ok.push_back(error < 2e-4f);
    std::printf("iteration %d: %d masks differ, weight error %.2e\n", it, bad_mask, error);
  }

  bool confirmed = mask_ok[0] && weight_ok[0];
  for (int it = 1; it < 6; ++it) confirmed = confirmed && !mask_ok[it] && !weight_ok[it];
  std::printf("%s\n", confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
  return confirmed ? 0 : 1;
}

int main() {
  try {
    return train();
  } catch (const std::exception& e) {
    std::printf("%s\nLABEL WRONG\n", e.what());
    return 1;
  }
}
