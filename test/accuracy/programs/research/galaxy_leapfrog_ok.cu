// softened N-body, kick-drift-kick, one global adaptive step.
// parallel_for layer lifted from our mini-app so that the physics reads like the Kokkos version.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace kk {
inline void check(cudaError_t e, const char* what, int line) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "kk: %s (line %d): %s\n", what, line, cudaGetErrorString(e));
  std::exit(1);
}
#define KK_CHECK(x) ::kk::check((x), #x, __LINE__)

struct Space {
  cudaStream_t stream = nullptr;
  Space() { KK_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
  ~Space() { cudaStreamDestroy(stream); }
  Space(const Space&) = delete;
  void fence() const { KK_CHECK(cudaStreamSynchronize(stream)); }
};

template <class T> struct View {
  T* p = nullptr;
  int n = 0;
  explicit View(int n_) : n(n_) { KK_CHECK(cudaMalloc(&p, n * sizeof(T))); }
  ~View() { cudaFree(p); }
  View(const View&) = delete;
};

template <class F> __global__ void pf_kernel(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}

template <class F> void parallel_for(const Space& s, int n, F f) {
  pf_kernel<<<(n + 127) / 128, 128, 0, s.stream>>>(n, f);
  KK_CHECK(cudaGetLastError());
}

class Graph {
  cudaGraphExec_t exec_ = nullptr;
 public:
  Graph() = default;
  ~Graph() { if (exec_) cudaGraphExecDestroy(exec_); }
  Graph(const Graph&) = delete;
  explicit operator bool() const { return exec_ != nullptr; }
  template <class Fn> void record(const Space& s, Fn&& fn) {
    cudaGraph_t g = nullptr;
    KK_CHECK(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeGlobal));
    std::forward<Fn>(fn)();
    KK_CHECK(cudaStreamEndCapture(s.stream, &g));
    KK_CHECK(cudaGraphInstantiate(&exec_, g, 0));
    KK_CHECK(cudaGraphDestroy(g));
  }
  void submit(const Space& s) const { KK_CHECK(cudaGraphLaunch(exec_, s.stream)); }
};
}  // namespace kk

constexpr double kEps2 = 1e-3;

struct Body {
  double x, y, z, w;
};

struct Gravity {
  const Body* x;
  double3* a;
  unsigned long long* amax;
  int n;
  __device__ void operator()(int i) const {
    Body xi = x[i];
    double3 s = make_double3(0, 0, 0);
    for (int j = 0; j < n; ++j) {
      Body xj = x[j];
      double dx = xj.x - xi.x, dy = xj.y - xi.y, dz = xj.z - xi.z;
      double w = rsqrt(dx * dx + dy * dy + dz * dz + kEps2);
      w = xj.w * w * w * w;
      s.x += w * dx; s.y += w * dy; s.z += w * dz;
    }
    a[i] = s;
    double m = sqrt(s.x * s.x + s.y * s.y + s.z * s.z);
    atomicMax(amax, (unsigned long long)__double_as_longlong(m));
  }
};
struct Kick {
  double3* v;
  const double3* a;
  const double* h;
  __device__ void operator()(int i) const {
    const double w = 0.5 * *h;
    v[i].x += w * a[i].x; v[i].y += w * a[i].y; v[i].z += w * a[i].z;
  }
};
struct Drift {
  Body* x;
  const double3* v;
  const double* h;
  __device__ void operator()(int i) const {
    const double w = *h;
    x[i].x += w * v[i].x; x[i].y += w * v[i].y; x[i].z += w * v[i].z;
  }
};

struct Clock {
  double t = 0, dt = 1e-4, eta = 0.02;
  kk::View<double> dev{1};
  void publish(const kk::Space& s) {
    KK_CHECK(cudaMemcpyAsync(dev.p, &dt, sizeof dt, cudaMemcpyHostToDevice, s.stream));
  }
};

struct Galaxy {
  int n;
  kk::Space space;
  kk::View<Body> x;
  kk::View<double3> v, a;
  kk::View<unsigned long long> amax;
  Clock clock;
  kk::Graph kdk;

  explicit Galaxy(int n_) : n(n_), x(n_), v(n_), a(n_), amax(1) {
    std::vector<Body> hx(n);
    std::vector<double3> hv(n);
    for (int i = 0; i < n; ++i) {
      double r = 0.2 + double(i) / n, th = 2.399963 * i, u = 0.6 / std::sqrt(r);
      hx[i] = Body{r * std::cos(th), r * std::sin(th), 0.02 * std::sin(7.0 * i), 1.0 / n};
      hv[i] = make_double3(-u * std::sin(th), u * std::cos(th), 0);
    }
    KK_CHECK(cudaMemcpy(x.p, hx.data(), n * sizeof(Body), cudaMemcpyHostToDevice));
    KK_CHECK(cudaMemcpy(v.p, hv.data(), n * sizeof(double3), cudaMemcpyHostToDevice));
    KK_CHECK(cudaMemset(a.p, 0, n * sizeof(double3)));
    KK_CHECK(cudaDeviceSynchronize());
    clock.publish(space);
  }

  void step_body() {
    kk::parallel_for(space, n, Kick{v.p, a.p, clock.dev.p});
    kk::parallel_for(space, n, Drift{x.p, v.p, clock.dev.p});
    KK_CHECK(cudaMemsetAsync(amax.p, 0, sizeof(unsigned long long), space.stream));
    kk::parallel_for(space, n, Gravity{x.p, a.p, amax.p, n});
    kk::parallel_for(space, n, Kick{v.p, a.p, clock.dev.p});
  }

  void new_timestep() {
    double m = 0;
    KK_CHECK(cudaMemcpyAsync(&m, amax.p, sizeof m, cudaMemcpyDeviceToHost, space.stream));
    space.fence();
    clock.t += clock.dt;
    clock.dt = std::min(2.0 * clock.dt, clock.eta / std::sqrt(m + 1e-12));
    clock.publish(space);
  }

  void evolve(int steps, bool use_graph) {
    for (int s = 0; s < steps; ++s) {
      if (!use_graph) {
        step_body();
      } else {
        if (!kdk) kdk.record(space, [this] { step_body(); });
        kdk.submit(space);
      }
      new_timestep();
    }
  }

  std::vector<Body> positions() const {
    std::vector<Body> h(n);
    KK_CHECK(cudaMemcpyAsync(h.data(), x.p, n * sizeof(Body), cudaMemcpyDeviceToHost, space.stream));
    space.fence();
    return h;
  }
};

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1024, steps = argc > 2 ? std::atoi(argv[2]) : 40;
  Galaxy eager(n), graph(n);
  eager.evolve(steps, false);
  graph.evolve(steps, true);
  auto p = eager.positions(), q = graph.positions();
  double err = 0;
  for (int i = 0; i < n; ++i) err = std::max({err, std::fabs(p[i].x - q[i].x), std::fabs(p[i].y - q[i].y)});
  std::printf("t eager %.6f graph %.6f  max |dx| = %.3e\n", eager.clock.t, graph.clock.t, err);
  std::puts(err > 1e-9 ? "LABEL REFUTED" : "LABEL CONFIRMED");
  return 0;
}
