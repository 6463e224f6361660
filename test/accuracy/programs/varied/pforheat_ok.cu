// Header-only parallel_for and a heat equation that uses it.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>
#include <vector>

// ---- pfor.hpp ----
namespace pfor {

inline void check(cudaError_t e, const char* what) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\nLABEL REFUTED\n", what, cudaGetErrorString(e));
  std::exit(0);
}

struct device_policy {
  cudaStream_t stream = nullptr;
  unsigned block = 128;
  constexpr device_policy on(cudaStream_t s) const { return {s, block}; }
};
inline constexpr device_policy device{};

template <class F>
__global__ void apply(int n, F f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

template <class F>
void for_each(const device_policy& policy, int n, F f) {
  apply<<<(n + policy.block - 1) / policy.block, policy.block, 0, policy.stream>>>(n, f);
  check(cudaGetLastError(), "for_each");
}

template <class T>
struct span {
  T* data;
  int size;
  __host__ __device__ T& operator[](int i) const { return data[i]; }
};

// Captures whatever `body` submits to the policy's stream.
template <class Body>
cudaGraphExec_t record(const device_policy& policy, Body&& body) {
  check(cudaStreamBeginCapture(policy.stream, cudaStreamCaptureModeThreadLocal), "begin");
  std::forward<Body>(body)(policy);
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(policy.stream, &graph), "end");
  cudaGraphExec_t exec = nullptr;
  check(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
  check(cudaGraphDestroy(graph), "destroy");
  return exec;
}

}  // namespace pfor

// ---- heat.hpp ----
namespace heat {

struct diffuse {
  pfor::span<const float> u;
  pfor::span<float> v;
  float r;
  __device__ void operator()(int i) const {
    const float l = u[i ? i - 1 : 0], h = u[i + 1 < u.size ? i + 1 : i];
    v[i] = u[i] + r * (l - 2.0f * u[i] + h);
  }
};
struct source {
  pfor::span<float> v;
  int at;
  __device__ void operator()(int i) const {
    if (i == at) v[i] += 1.0f;
  }
};
struct assign {
  pfor::span<const float> from;
  pfor::span<float> to;
  __device__ void operator()(int i) const { to[i] = from[i]; }
};

template <class Policy>
class rod {
 public:
  rod(Policy policy, int n) : policy_(policy), n_(n) {
    pfor::check(cudaMalloc(&u_, n * sizeof(float)), "u");
    pfor::check(cudaMalloc(&v_, n * sizeof(float)), "v");
    pfor::check(cudaMemset(u_, 0, n * sizeof(float)), "zero");
    pfor::check(cudaMemset(v_, 0, n * sizeof(float)), "zero");
    pfor::check(cudaDeviceSynchronize(), "setup");
  }
  ~rod() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(u_);
    cudaFree(v_);
  }
  void step() {
    if (!exec_)
      exec_ = pfor::record(policy_, [this](const auto& policy) {
        pfor::for_each(policy, n_, diffuse{{u_, n_}, {v_, n_}, 0.25f});
        pfor::for_each(policy, n_, source{{v_, n_}, n_ / 2});
        pfor::for_each(policy, n_, assign{{v_, n_}, {u_, n_}});
      });
    pfor::check(cudaGraphLaunch(exec_, policy_.stream), "step");
  }
  std::vector<float> values() const {
    std::vector<float> h(n_);
    pfor::check(cudaMemcpyAsync(h.data(), u_, n_ * sizeof(float), cudaMemcpyDeviceToHost, policy_.stream), "values");
    pfor::check(cudaStreamSynchronize(policy_.stream), "values");
    return h;
  }

 private:
  Policy policy_;
  int n_;
  float *u_ = nullptr, *v_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace heat

int main() {
  constexpr int n = 101, steps = 4;
  cudaStream_t s = nullptr;
  pfor::check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "stream");
  bool right = true;
  {
    heat::rod<pfor::device_policy> rod(pfor::device.on(s), n);
    for (int k = 0; k < steps; ++k) rod.step();
    const std::vector<float> got = rod.values();
    std::vector<float> u(n, 0.0f), v(n);
    for (int k = 0; k < steps; ++k) {
      for (int i = 0; i < n; ++i) v[i] = u[i] + 0.25f * (u[i ? i - 1 : 0] - 2.0f * u[i] + u[i + 1 < n ? i + 1 : i]);
      v[n / 2] += 1.0f;
      u = v;
    }
    for (int i = 0; i < n; ++i) right = right && std::fabs(u[i] - got[i]) < 1e-4f;
  }
  pfor::check(cudaStreamDestroy(s), "stream");
  std::puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
