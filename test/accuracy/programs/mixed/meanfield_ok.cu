// Mean-field annealing of a spin lattice; header-only style, schedule and update rule are policies.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace lattice {

inline void check(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

template <class T>
class device_vector {
 public:
  explicit device_vector(std::size_t n) : n_(n) { check(cudaMalloc(&p_, n * sizeof(T)), "cudaMalloc"); }
  device_vector(device_vector&& o) noexcept : p_(std::exchange(o.p_, nullptr)), n_(o.n_) {}
  device_vector(const device_vector&) = delete;
  ~device_vector() { cudaFree(p_); }
  T* get() const noexcept { return p_; }
  std::size_t size() const noexcept { return n_; }

 private:
  T* p_ = nullptr;
  std::size_t n_;
};

class recording {
 public:
  explicit recording(cudaStream_t s) : s_(s) {
    check(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal), "begin");
  }
  recording(const recording&) = delete;
  ~recording() {
    if (open_) {
      cudaGraph_t partial = nullptr;
      if (cudaStreamEndCapture(s_, &partial) == cudaSuccess) cudaGraphDestroy(partial);
    }
  }
  cudaGraphExec_t finish() {
    open_ = false;
    cudaGraph_t g = nullptr;
    check(cudaStreamEndCapture(s_, &g), "end");
    cudaGraphExec_t x = nullptr;
    const cudaError_t e = cudaGraphInstantiate(&x, g, 0);
    cudaGraphDestroy(g);
    check(e, "instantiate");
    return x;
  }

 private:
  cudaStream_t s_;
  bool open_ = true;
};

__global__ void tanh_update(const float* field, float* spin, int n, float coupling, const float* beta) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) spin[i] = tanhf(*beta * coupling * field[i]);
}

struct tanh_rule {
  template <class... Knobs>
  static void apply(cudaStream_t s, const float* field, float* spin, int n, Knobs... knobs) {
    tanh_update<<<(n + 63) / 64, 64, 0, s>>>(field, spin, n, knobs...);
    check(cudaGetLastError(), "tanh_update");
  }
};

template <class Derived>
class schedule {
 public:
  auto knobs() const { return static_cast<const Derived&>(*this).do_knobs(); }
  void cool(cudaStream_t s) { static_cast<Derived&>(*this).do_cool(s); }
};

class geometric : public schedule<geometric> {
 public:
  geometric(float coupling, float beta0, float ratio, cudaStream_t s)
      : coupling_(coupling), ratio_(ratio), beta_(beta0), mirror_(1) {
    push(s);
  }
  std::tuple<float, const float*> do_knobs() const { return {coupling_, mirror_.get()}; }
  void do_cool(cudaStream_t s) {
    beta_ *= ratio_;
    push(s);
  }

 private:
  void push(cudaStream_t s) {
    check(cudaMemcpyAsync(mirror_.get(), &beta_, sizeof beta_, cudaMemcpyHostToDevice, s), "beta");
  }

  const float coupling_;
  const float ratio_;
  float beta_;
  device_vector<float> mirror_;
};

template <class Schedule, class Rule>
class annealer {
 public:
  annealer(Schedule& sched, const device_vector<float>& field, device_vector<float>& spin)
      : sched_(sched), field_(field), spin_(spin) {}
  annealer(const annealer&) = delete;
  ~annealer() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }

  void sweep(cudaStream_t s) {
    if (exec_ == nullptr) {
      recording rec(s);
      std::apply(
          [&](auto... k) { Rule::apply(s, field_.get(), spin_.get(), static_cast<int>(spin_.size()), k...); },
          sched_.knobs());
      exec_ = rec.finish();
    }
    check(cudaGraphLaunch(exec_, s), "launch");
    sched_.cool(s);
  }

 private:
  schedule<Schedule>& sched_;
  const device_vector<float>& field_;
  device_vector<float>& spin_;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace lattice

int main() try {
  constexpr int n = 500;
  cudaStream_t s;
  lattice::check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "stream");
  bool right = true;
  {
    lattice::device_vector<float> field(n), spin(n);
    std::vector<float> h(n), m(n);
    for (int i = 0; i < n; ++i) h[i] = 0.004f * float(i - n / 2);
    lattice::check(cudaMemcpyAsync(field.get(), h.data(), n * sizeof(float), cudaMemcpyHostToDevice, s), "field");
    lattice::geometric sched(0.5f, 1.0f, 2.0f, s);
    lattice::annealer<lattice::geometric, lattice::tanh_rule> run(sched, field, spin);
    float beta = 1.0f;
    for (int step = 0; step < 4; ++step, beta *= 2.0f) {
      run.sweep(s);
      lattice::check(cudaMemcpyAsync(m.data(), spin.get(), n * sizeof(float), cudaMemcpyDeviceToHost, s), "spin");
      lattice::check(cudaStreamSynchronize(s), "sync");
      for (int i = 0; i < n; ++i) right = right && std::fabs(m[i] - std::tanh(beta * 0.5f * h[i])) < 1e-4f;
    }
  }
  lattice::check(cudaStreamDestroy(s), "stream");
  std::puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  std::puts("LABEL REFUTED");
  return 0;
}
