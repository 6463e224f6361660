// gridkit (header part) + a diffusion driver.  Operators are CRTP classes, algorithms take a queue as last argument.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace gk {

#define GK_CALL(x)                                                             \
  do {                                                                         \
    cudaError_t err__ = (x);                                                   \
    if (err__ != cudaSuccess) {                                                \
      std::printf("gridkit: %s: %s\n", #x, cudaGetErrorString(err__));         \
      ::gk::failures()++;                                                      \
    }                                                                          \
  } while (0)

inline int &failures() {
  static int count = 0;
  return count;
}

// A place where work is put in order.  A default constructed queue is the default stream.
struct queue {
  cudaStream_t handle = nullptr;
};

// Storage policies.
struct device_storage {
  static void *allocate(size_t bytes) {
    void *p = nullptr;
    GK_CALL(cudaMalloc(&p, bytes));
    GK_CALL(cudaMemset(p, 0, bytes));
    return p;
  }
  static void release(void *p) { GK_CALL(cudaFree(p)); }
};

template <class T, class Storage = device_storage> class field {
public:
  using value_type = T;
  explicit field(int n)
      : data_(static_cast<T *>(Storage::allocate(n * sizeof(T)))), n_(n) {}
  ~field() { Storage::release(data_); }
  field(const field &) = delete;
  field &operator=(const field &) = delete;

  int size() const { return n_; }
  T *begin() { return data_; }
  const T *begin() const { return data_; }

  void put(const std::vector<T> &h) {
    GK_CALL(cudaMemcpy(data_, h.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
    GK_CALL(cudaDeviceSynchronize());
  }
  std::vector<T> get() const {
    std::vector<T> h(n_);
    GK_CALL(cudaMemcpy(h.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
    return h;
  }

private:
  T *data_;
  int n_;
};

template <int Threads> struct block_of {
  static constexpr int threads = Threads;
  static int blocks(int n) { return (n + Threads - 1) / Threads; }
};

template <class F> __global__ void cell_kernel(int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    f(i, n);
}

template <class Shape = block_of<128>, class F>
void for_each_cell(int n, F f, queue q = {}) {
  cell_kernel<<<Shape::blocks(n), Shape::threads, 0, q.handle>>>(n, f);
  GK_CALL(cudaGetLastError());
}

// Functors of the algorithms below.
template <class Op> struct residual_fn {
  typename Op::stencil s;
  const float *b, *x;
  float *r;
  __device__ void operator()(int i, int n) const { r[i] = b[i] - s(x, i, n); }
};

struct correct_fn {
  float omega;
  const float *dinv, *r;
  float *x;
  __device__ void operator()(int i, int) const { x[i] += omega * dinv[i] * r[i]; }
};

template <class Op> struct diagonal_fn {
  typename Op::stencil s;
  float *dinv;
  __device__ void operator()(int i, int) const { dinv[i] = 1.0f / s.diagonal(i); }
};

template <class Derived> class linear_operator {
public:
  template <class V>
  void residual(const V &b, const V &x, V &r, queue q = {}) const {
    residual_fn<Derived> f{self().make(), b.begin(), x.begin(), r.begin()};
    for_each_cell(x.size(), f, q);
  }
  template <class V> void inverse_diagonal(V &dinv, queue q = {}) const {
    diagonal_fn<Derived> f{self().make(), dinv.begin()};
    for_each_cell(dinv.size(), f, q);
  }

private:
  const Derived &self() const { return static_cast<const Derived &>(*this); }
};

// (1 + 2 kappa) x_i - kappa (x_{i-1} + x_{i+1}), zero outside of the domain.
class implicit_diffusion : public linear_operator<implicit_diffusion> {
public:
  struct stencil {
    const float *kappa;
    __device__ float diagonal(int i) const { return 1.0f + 2.0f * kappa[i]; }
    __device__ float operator()(const float *x, int i, int n) const {
      float left = i > 0 ? x[i - 1] : 0.0f;
      float right = i + 1 < n ? x[i + 1] : 0.0f;
      return diagonal(i) * x[i] - kappa[i] * (left + right);
    }
  };
  explicit implicit_diffusion(const field<float> &kappa) : kappa_(kappa) {}
  stencil make() const { return {kappa_.begin()}; }

private:
  const field<float> &kappa_;
};

template <class Op, int Sweeps> class jacobi {
public:
  jacobi(const Op &op, int n) : op_(op), dinv_(n), r_(n) {}

  // The coefficients may have moved since the last solve.
  void refresh() {
    op_.inverse_diagonal(dinv_); // HAZARD escape
  }

  template <class V> void solve(const V &b, V &x, queue q) {
    refresh();
    for (int k = 0; k < Sweeps; ++k) {
      op_.residual(b, x, r_, q);
      for_each_cell(x.size(), correct_fn{0.6f, dinv_.begin(), r_.begin(), x.begin()}, q);
    }
  }

private:
  const Op &op_;
  field<float> dinv_, r_;
};

// Records a callable once and replays it.
class recorded {
public:
  template <class F> recorded(queue q, F &&f) : q_(q) {
    cudaGraph_t g = nullptr;
    GK_CALL(cudaStreamBeginCapture(q.handle, cudaStreamCaptureModeThreadLocal));
    std::forward<F>(f)(q);
    GK_CALL(cudaStreamEndCapture(q.handle, &g));
    GK_CALL(cudaGraphInstantiate(&exec_, g, 0));
    GK_CALL(cudaGraphDestroy(g));
  }
  ~recorded() { GK_CALL(cudaGraphExecDestroy(exec_)); }
  recorded(const recorded &) = delete;
  recorded &operator=(const recorded &) = delete;
  void operator()() { GK_CALL(cudaGraphLaunch(exec_, q_.handle)); }
  void wait() { GK_CALL(cudaStreamSynchronize(q_.handle)); }

private:
  queue q_;
  cudaGraphExec_t exec_ = nullptr;
};

} // namespace gk

namespace {

constexpr int kSweeps = 4;

struct copy_fn {
  const float *from;
  float *to;
  __device__ void operator()(int i, int) const { to[i] = from[i]; }
};

void host_solve(const std::vector<float> &kappa, std::vector<float> &x) {
  const std::vector<float> b = x;
  const int n = int(x.size());
  std::vector<float> r(n);
  for (int k = 0; k < kSweeps; ++k) {
    for (int i = 0; i < n; ++i) {
      float left = i > 0 ? x[i - 1] : 0.0f, right = i + 1 < n ? x[i + 1] : 0.0f;
      r[i] = b[i] - ((1.0f + 2.0f * kappa[i]) * x[i] - kappa[i] * (left + right));
    }
    for (int i = 0; i < n; ++i)
      x[i] += 0.6f / (1.0f + 2.0f * kappa[i]) * r[i];
  }
}

std::vector<float> conductivity(int n, int step) {
  std::vector<float> kappa(n);
  for (int i = 0; i < n; ++i)
    kappa[i] = 0.5f + 0.4f * std::sin(0.01f * float(i)) + 0.75f * float(step);
  return kappa;
}

float gap(const std::vector<float> &a, const std::vector<float> &b) {
  float worst = 0.0f;
  for (size_t i = 0; i < a.size(); ++i)
    worst = std::fmax(worst, std::fabs(a[i] - b[i]));
  return worst;
}

} // namespace

int main() {
  const int n = 3000;
  bool first_ok = false, drifted = false;
  {
    gk::queue q;
    GK_CALL(cudaStreamCreateWithFlags(&q.handle, cudaStreamNonBlocking));
    gk::field<float> kappa(n), temperature(n), rhs(n);
    gk::implicit_diffusion op(kappa);
    gk::jacobi<gk::implicit_diffusion, kSweeps> solver(op, n);

    std::vector<float> expected(n);
    for (int i = 0; i < n; ++i)
      expected[i] = (i / 25) % 2 ? 10.0f : -4.0f;
    temperature.put(expected);
    kappa.put(conductivity(n, 0));

    gk::recorded step(q, [&](gk::queue on) {
      gk::for_each_cell(n, copy_fn{temperature.begin(), rhs.begin()}, on);
      solver.solve(rhs, temperature, on);
    });

    for (int t = 0; t < 5; ++t) {
      const std::vector<float> now = conductivity(n, t);
      kappa.put(now);
      step();
      step.wait();
      host_solve(now, expected);
      const float error = gap(temperature.get(), expected);
      std::printf("step %d: error %g\n", t, error);
      if (t == 0)
        first_ok = error < 1e-3f;
      else
        drifted = drifted || !(error < 1e-1f);
    }
    GK_CALL(cudaStreamDestroy(q.handle));
  }
  const bool observed = first_ok && drifted && gk::failures() == 0;
  std::printf(observed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  return observed ? EXIT_SUCCESS : EXIT_FAILURE;
}
