// Fine-tuning loop: SGD with a learning-rate schedule.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tune {

struct Constant { float lr; };
struct StepDecay { float lr; int every; };
using Schedule = std::variant<Constant, StepDecay>;

template <class... F> struct overloaded : F... { using F::operator()...; };
template <class... F> overloaded(F...) -> overloaded<F...>;

inline float lr_at(const Schedule& s, int step) {
  return std::visit(overloaded{[](const Constant& c) { return c.lr; },
                               [step](const StepDecay& d) { return std::ldexp(d.lr, -(step / d.every)); }},
                    s);
}

inline void must(cudaError_t e) {
  if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

__global__ void sgd(float* w, const float* g, int n, const float* lr) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) w[i] -= *lr * g[i];
}

struct Free { void operator()(float* p) const noexcept { cudaFree(p); } };
using Floats = std::unique_ptr<float, Free>;
inline Floats floats(std::size_t n) {
  float* p = nullptr;
  must(cudaMalloc(&p, n * sizeof(float)));
  return Floats(p);
}

class Exec {
 public:
  template <class Body> static std::optional<Exec> record(cudaStream_t s, Body&& body) {
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) != cudaSuccess) return std::nullopt;
    const cudaError_t inner = std::forward<Body>(body)(s);
    cudaGraph_t g = nullptr;
    const cudaError_t end = cudaStreamEndCapture(s, &g);
    cudaGraphExec_t e = nullptr;
    const bool built = inner == cudaSuccess && end == cudaSuccess && cudaGraphInstantiate(&e, g, 0) == cudaSuccess;
    if (g) cudaGraphDestroy(g);
    if (!built) return std::nullopt;
    return Exec(e);
  }
  Exec(Exec&& o) noexcept : e_(std::exchange(o.e_, nullptr)) {}
  Exec& operator=(Exec&& o) noexcept {
    std::swap(e_, o.e_);
    return *this;
  }
  ~Exec() {
    if (e_) cudaGraphExecDestroy(e_);
  }
  void operator()(cudaStream_t s) const { must(cudaGraphLaunch(e_, s)); }

 private:
  explicit Exec(cudaGraphExec_t e) : e_(e) {}
  cudaGraphExec_t e_;
};

class Trainer {
 public:
  Trainer(int n, Schedule s)
      : n_(n), schedule_(std::move(s)), w_(floats(n)), g_(floats(n))
      , lr_(floats(1))
  {
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    const std::vector<float> ones(n, 1.f);
    must(cudaMemcpy(g_.get(), ones.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    must(cudaMemset(w_.get(), 0, n * sizeof(float)));
    must(cudaDeviceSynchronize());
  }
  ~Trainer() { cudaStreamDestroy(stream_); }
  Trainer(const Trainer&) = delete;

  void step() {
    const float now = rate();
    must(cudaMemcpyAsync(lr_.get(), &now, sizeof now, cudaMemcpyHostToDevice, stream_));
    if (!exec_) {
      exec_ = Exec::record(stream_, [this](cudaStream_t s) { return update(s); });
      if (!exec_) throw std::runtime_error("recording failed");
    }
    (*exec_)(stream_);
    must(cudaStreamSynchronize(stream_));
    ++step_;
  }

  float rate() const { return lr_at(schedule_, step_); }
  float weight(int i) const {
    float v = 0.f;
    must(cudaMemcpy(&v, w_.get() + i, sizeof v, cudaMemcpyDeviceToHost));
    return v;
  }

 private:
  cudaError_t update(cudaStream_t s) const {
    sgd<<<(n_ + 127) / 128, 128, 0, s>>>(w_.get(), g_.get(), n_, lr_.get());
    return cudaGetLastError();
  }

  const int n_;
  const Schedule schedule_;
  int step_ = 0;
  Floats w_, g_;
  Floats lr_;
  cudaStream_t stream_{};
  std::optional<Exec> exec_;
};

}  // namespace tune

int main() {
  tune::Trainer t(1000, tune::StepDecay{0.5f, 2});
  float expected = 0.f;
  for (int i = 0; i < 8; ++i) {
    expected -= t.rate();
    t.step();
  }
  const float got = t.weight(999);
  std::printf("weight %.6f expected %.6f\n", got, expected);
  const bool right = std::fabs(got - expected) < 1e-6f;
  std::puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
}
