// Tiny trainer: dropout regression, SGD, exponential moving average of the
// weights for evaluation. The whole step is recorded once.

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace trainer {

constexpr int kParams = 512;
constexpr int kThreads = 128;

inline void ok(cudaError_t status, const char *where) {
  if (status != cudaSuccess) {
    std::printf("%s: %s\nLABEL WRONG\n", where, cudaGetErrorString(status));
    std::exit(1);
  }
}

// ------------------------------------------------------------------ buffers

template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t n, T fill = T{}) : n_(n) {
    ok(cudaMalloc(&p_, n * sizeof(T)), "alloc");
    upload(std::vector<T>(n, fill));
  }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;
  ~DeviceArray() { cudaFree(p_); }

  T *get() const { return p_; }
  void upload(const std::vector<T> &v) {
    ok(cudaMemcpy(p_, v.data(), n_ * sizeof(T), cudaMemcpyHostToDevice), "up");
  }
  std::vector<T> download() const {
    std::vector<T> v(n_);
    ok(cudaMemcpy(v.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost),
       "down");
    return v;
  }

 private:
  T *p_ = nullptr;
  size_t n_;
};

// ------------------------------------------------------------------- random

__host__ __device__ inline uint64_t mix64(uint64_t z) {
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

__host__ __device__ inline bool keepUnit(uint64_t seed, uint64_t counter,
                                         unsigned keepPercent) {
  return mix64(seed ^ mix64(counter)) % 100 < keepPercent;
}

// Counter based generator, one per process. Consumers reserve a range.
class Generator {
 public:
  explicit Generator(uint64_t seed) : seed_(seed) {}
  std::pair<uint64_t, uint64_t> reserve(uint64_t n) {
    return {seed_, std::exchange(offset_, offset_ + n)};
  }

 private:
  uint64_t seed_;
  uint64_t offset_ = 0;
};

// ------------------------------------------------------------------ kernels

__global__ void dropoutMask(uint8_t *mask, uint64_t seed, uint64_t offset,
                            unsigned keepPercent) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  mask[i] = keepUnit(seed, offset + i, keepPercent);
}

__global__ void gradient(const float *w, const float *target,
                         const uint8_t *mask, float *g) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  g[i] = mask[i] ? 2.f * (w[i] - target[i]) : 0.f;
}

__global__ void sgdStep(float *w, const float *g, const float *lr) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  w[i] -= *lr * g[i];
}

__global__ void emaUpdate(float *ema, const float *w, float decay) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  ema[i] = decay * ema[i] + (1.f - decay) * w[i];
}

// --------------------------------------------------------------- schedules

struct ConstantLr { float lr; };
struct LinearLr { float from, to; int steps; };
using Schedule = std::variant<ConstantLr, LinearLr>;

inline float lrAt(const Schedule &s, int step) {
  return std::visit(
      [step](const auto &v) -> float {
        using V = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<V, ConstantLr>) {
          return v.lr;
        } else {
          float t = std::min(1.f, float(step) / float(v.steps));
          return v.from + t * (v.to - v.from);
        }
      },
      s);
}

struct EmaConfig {
  float decay = 0.95f;
  float at(int step) const {
    return std::min(decay, (1.f + step) / (10.f + step));
  }
};

struct Config {
  Schedule schedule = LinearLr{0.1f, 0.02f, 20};
  std::optional<EmaConfig> ema = EmaConfig{};
  unsigned keepPercent = 80;
  uint64_t seed = 1234;
};

// ------------------------------------------------------------------ trainer

class Trainer {
 public:
  using Hook = std::function<void(int step, Trainer &)>;

  explicit Trainer(Config cfg)
      : cfg_(std::move(cfg)), rng_(cfg_.seed), w_(kParams), g_(kParams),
        target_(kParams), ema_(kParams), lr_(1), mask_(kParams) {
    ok(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    ok(cudaMallocHost(&lrHost_, sizeof(float)), "pinned");
    std::vector<float> t(kParams);
    for (int i = 0; i < kParams; ++i) t[i] = 1.f + float(i % 17);
    target_.upload(t);
    ok(cudaDeviceSynchronize(), "setup");
  }
  ~Trainer() {
    if (exec_) cudaGraphExecDestroy(*exec_);
    cudaFreeHost(lrHost_);
    cudaStreamDestroy(stream_);
  }

  void afterStep(Hook h) { hooks_.push_back(std::move(h)); }

  void fit(int steps) {
    for (int i = 0; i < steps; ++i) {
      *lrHost_ = lrAt(cfg_.schedule, step_);
      ok(cudaMemcpyAsync(lr_.get(), lrHost_, sizeof(float),
                         cudaMemcpyHostToDevice, stream_), "lr");
      if (!exec_) exec_ = record([this] { stepBody(); });
      ok(cudaGraphLaunch(*exec_, stream_), "step");
      ok(cudaStreamSynchronize(stream_), "step");
      for (auto &h : hooks_) h(step_, *this);
      ++step_;
    }
  }

  std::vector<float> weights() const { return w_.download(); }
  std::vector<float> averaged() const { return ema_.download(); }
  std::vector<uint8_t> mask() const { return mask_.download(); }
  const Config &config() const { return cfg_; }

 private:
  cudaGraphExec_t record(const std::function<void()> &body) {
    cudaGraph_t graph{};
    cudaGraphExec_t exec{};
    ok(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "rec");
    body();
    ok(cudaStreamEndCapture(stream_, &graph), "rec end");
    ok(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
    ok(cudaGraphDestroy(graph), "graph");
    return exec;
  }

  void stepBody() {
    forwardBackward();
    sgdStep<<<kParams / kThreads, kThreads, 0, stream_>>>(w_.get(), g_.get(), lr_.get());
    if (cfg_.ema) updateAverage(*cfg_.ema);
  }

  void forwardBackward() {
    auto [seed, offset] = rng_.reserve(kParams);
    dropoutMask<<<kParams / kThreads, kThreads, 0, stream_>>>(mask_.get(), seed, offset, cfg_.keepPercent);  // HAZARD random
    gradient<<<kParams / kThreads, kThreads, 0, stream_>>>(w_.get(), target_.get(), mask_.get(), g_.get());
  }

  void updateAverage(const EmaConfig &ema) {
    const float decay = ema.at(step_);
    emaUpdate<<<kParams / kThreads, kThreads, 0, stream_>>>(ema_.get(), w_.get(), decay);  // HAZARD frozen
  }

  Config cfg_;
  Generator rng_;
  DeviceArray<float> w_, g_, target_, ema_, lr_;
  DeviceArray<uint8_t> mask_;
  std::vector<Hook> hooks_;
  std::optional<cudaGraphExec_t> exec_;
  cudaStream_t stream_{};
  float *lrHost_ = nullptr;
  int step_ = 0;
};

// Recomputes each step on the host from the state on the device.
struct Auditor {
  std::vector<float> ema = std::vector<float>(kParams, 0.f);
  std::vector<float> w = std::vector<float>(kParams, 0.f);
  int maskWrong = 0, emaWrong = 0, sgdWrong = 0, firstWrong = 0;

  void operator()(int step, Trainer &t) {
    const auto &cfg = t.config();
    const auto mask = t.mask();
    const auto now = t.weights(), avg = t.averaged();
    const float decay = cfg.ema->at(step), lr = lrAt(cfg.schedule, step);
    bool m = false, e = false, s = false;
    for (int i = 0; i < kParams; ++i) {
      const uint64_t counter = uint64_t(step) * kParams + i;
      m |= bool(mask[i]) != keepUnit(cfg.seed, counter, cfg.keepPercent);
      const float g = mask[i] ? 2.f * (w[i] - (1.f + float(i % 17))) : 0.f;
      s |= !(std::fabs(now[i] - (w[i] - lr * g)) < 1e-4f);
      ema[i] = decay * ema[i] + (1.f - decay) * now[i];
      e |= !(std::fabs(avg[i] - ema[i]) < 1e-3f);
    }
    w = now;
    maskWrong += m;
    emaWrong += e;
    sgdWrong += s;
    if (step == 0) firstWrong = m || e || s;
  }
};

}  // namespace trainer

int main() {
  using namespace trainer;
  Trainer t(Config{});
  auto audit = std::make_shared<Auditor>();
  t.afterStep([audit](int step, Trainer &tr) { (*audit)(step, tr); });
  t.fit(15);
  std::printf("mask=%d ema=%d sgd=%d first=%d\n", audit->maskWrong,
              audit->emaWrong, audit->sgdWrong, audit->firstWrong);
  const bool confirmed = audit->maskWrong > 0 && audit->emaWrong > 0 &&
                         audit->sgdWrong == 0 && audit->firstWrong == 0;
  std::printf("%s\n", confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
}
