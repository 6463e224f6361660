// langevin.cu - lx: a small expression template library for device vectors, and a Langevin sampler that uses it.
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace lx {

inline void check(cudaError_t e) {
  if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

// ---- expressions: CRTP base, every node is trivially copyable and can be passed to a kernel --------------------------

template <class Derived>
struct expr {
  __host__ __device__ const Derived& self() const { return static_cast<const Derived&>(*this); }
};

template <class T>
struct view : expr<view<T>> {
  using value_type = T;
  T* ptr;
  std::size_t n;
  view(T* p, std::size_t count) : ptr(p), n(count) {}
  __device__ T eval(std::size_t i) const { return ptr[i]; }
};

template <class T>
struct literal : expr<literal<T>> {
  using value_type = T;
  T v;
  explicit literal(T x) : v(x) {}
  __device__ T eval(std::size_t) const { return v; }
};

template <class T>
struct cell_ref : expr<cell_ref<T>> {
  using value_type = T;
  const T* ptr;
  explicit cell_ref(const T* p) : ptr(p) {}
  __device__ T eval(std::size_t) const { return *ptr; }
};

struct add { template <class T> __device__ static T apply(T a, T b) { return a + b; } };
struct sub { template <class T> __device__ static T apply(T a, T b) { return a - b; } };
struct mul { template <class T> __device__ static T apply(T a, T b) { return a * b; } };

template <class Op, class L, class R>
struct binary : expr<binary<Op, L, R>> {
  using value_type = typename L::value_type;
  static_assert(std::is_same<value_type, typename R::value_type>::value, "operands must have one value type");
  L l;
  R r;
  binary(const L& a, const R& b) : l(a), r(b) {}
  __device__ value_type eval(std::size_t i) const { return Op::apply(l.eval(i), r.eval(i)); }
};

template <class L, class R> binary<add, L, R> operator+(const expr<L>& a, const expr<R>& b) { return {a.self(), b.self()}; }
template <class L, class R> binary<sub, L, R> operator-(const expr<L>& a, const expr<R>& b) { return {a.self(), b.self()}; }
template <class L, class R> binary<mul, L, R> operator*(const expr<L>& a, const expr<R>& b) { return {a.self(), b.self()}; }

template <class T> literal<T> lit(T v) { return literal<T>(v); }

// ---- counter based noise ----------------------------------------------------------------------------------------------

struct mix64 {
  __host__ __device__ static std::uint64_t hash(std::uint64_t z) {
    z += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  __host__ __device__ static float uniform(std::uint64_t seed, std::uint64_t counter) {
    return float(hash(seed ^ hash(counter)) >> 40) * (2.0f / 16777216.0f) - 1.0f;
  }
};

template <class Engine>
struct noise : expr<noise<Engine>> {
  using value_type = float;
  std::uint64_t seed;
  const std::uint64_t* first;
  noise(std::uint64_t s, const std::uint64_t* f) : seed(s), first(f) {}
  __device__ float eval(std::size_t i) const { return Engine::uniform(seed, *first + i); }
};

static __global__ void skip_kernel(std::uint64_t* counter, std::uint64_t n) { *counter += n; }

template <class Engine = mix64>
class generator {
 public:
  explicit generator(std::uint64_t seed) : seed_(seed) {
    check(cudaMalloc(reinterpret_cast<void**>(&next_), sizeof(*next_)));
    check(cudaMemset(next_, 0, sizeof(*next_)));
    check(cudaDeviceSynchronize());
  }
  ~generator() { cudaFree(next_); }
  generator(const generator&) = delete;
  generator& operator=(const generator&) = delete;

  noise<Engine> uniform() const { return noise<Engine>(seed_, next_); }
  void skip(std::size_t n, cudaStream_t stream) {
    skip_kernel<<<1, 1, 0, stream>>>(next_, n);
    check(cudaGetLastError());
  }

 private:
  std::uint64_t seed_;
  std::uint64_t* next_ = nullptr;
};

// ---- storage and assignment -------------------------------------------------------------------------------------------

template <int Block>
struct launch_policy {
  static constexpr int block = Block;
  static int grid(std::size_t n) { return int((n + Block - 1) / Block); }
};

template <class T, class E>
__global__ void assign_kernel(T* dst, std::size_t n, E e) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = e.eval(i);
}

template <class T, class Policy = launch_policy<256>>
class vector : public expr<vector<T, Policy>> {
 public:
  using value_type = T;
  explicit vector(std::size_t n) : n_(n) { check(cudaMalloc(reinterpret_cast<void**>(&ptr_), n * sizeof(T))); }
  ~vector() { cudaFree(ptr_); }
  vector(const vector&) = delete;
  vector& operator=(const vector&) = delete;

  std::size_t size() const { return n_; }
  view<T> v() const { return {ptr_, n_}; }

  template <class E>
  void assign(const expr<E>& e, cudaStream_t stream) {
    assign_kernel<<<Policy::grid(n_), Policy::block, 0, stream>>>(ptr_, n_, e.self());
    check(cudaGetLastError());
  }

  void upload(const std::vector<T>& h) {
    check(cudaMemcpy(ptr_, h.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
    check(cudaDeviceSynchronize());
  }
  std::vector<T> download() const {
    std::vector<T> h(n_);
    check(cudaMemcpy(h.data(), ptr_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
    return h;
  }

 private:
  T* ptr_ = nullptr;
  std::size_t n_;
};

template <class F>
cudaGraphExec_t record(cudaStream_t stream, F&& body) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  std::forward<F>(body)();
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&exec, graph, 0));
  check(cudaGraphDestroy(graph));
  return exec;
}

}  // namespace lx

// ---- sampler ------------------------------------------------------------------------------------------------------------

struct schedule {
  int step = 0;
  float rate() const { return 0.4f / (1.0f + 0.5f * float(step)); }
  void advance() { ++step; }
};

class sampler {
 public:
  sampler(std::size_t n, std::uint64_t seed) : theta_(n), mode_(n), rate_(1), rng_(seed) {
    lx::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  ~sampler() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaStreamDestroy(stream_);
  }

  void reset(const std::vector<float>& theta, const std::vector<float>& mode) {
    theta_.upload(theta);
    mode_.upload(mode);
  }

  void draw() {
    if (!exec_) exec_ = lx::record(stream_, [this] { transition(); });
    rate_.upload({plan_.rate()});
    lx::check(cudaGraphLaunch(exec_, stream_));
    lx::check(cudaStreamSynchronize(stream_));
    plan_.advance();
  }

  std::vector<float> state() const { return theta_.download(); }

 private:
  void transition() {
    const auto drift = lx::cell_ref<float>(rate_.v().ptr) * (mode_.v() - theta_.v());
    const auto kick = lx::lit(temperature_) * rng_.uniform();
    theta_.assign(theta_.v() + drift + kick, stream_);
    rng_.skip(theta_.size(), stream_);
  }

  lx::vector<float> theta_, mode_, rate_;
  lx::generator<> rng_;
  schedule plan_;
  const float temperature_ = 0.25f;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

static void host_step(std::vector<float>& theta, const std::vector<float>& mode, std::uint64_t seed, int step) {
  schedule plan;
  plan.step = step;
  const std::uint64_t first = std::uint64_t(step) * theta.size();
  for (std::size_t i = 0; i < theta.size(); ++i)
    theta[i] += plan.rate() * (mode[i] - theta[i]) + 0.25f * lx::mix64::uniform(seed, first + i);
}

static float distance(const std::vector<float>& a, const std::vector<float>& b) {
  float d = 0.0f;
  for (std::size_t i = 0; i < a.size(); ++i) d = std::fmax(d, std::fabs(a[i] - b[i]));
  return d;
}

int main() try {
  const std::size_t n = 5000;
  const std::uint64_t seed = 2024;
  std::vector<float> theta(n), mode(n);
  for (std::size_t i = 0; i < n; ++i) {
    theta[i] = float(i % 11) - 5.0f;
    mode[i] = std::sin(0.1f * float(i));
  }
  sampler chain(n, seed);
  chain.reset(theta, mode);

  std::vector<float> model = theta;
  bool passed = true;
  for (int step = 0; step < 6; ++step) {
    chain.draw();
    const std::vector<float> got = chain.state();
    host_step(model, mode, seed, step);
    const float error = distance(got, model);
    passed = passed && error < 1e-4f;
    std::printf("step %d: %g\n", step, error);
  }
  std::printf(passed ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  return passed ? 0 : 1;
} catch (const std::exception& e) {
  std::printf("error: %s\nLABEL WRONG\n", e.what());
  return 1;
}
