// 2D discs falling together under a central pull. Contact list is rebuilt on the host every few steps,
// the force/integrate sub-steps in between are replayed.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

static void must(cudaError_t e, const char* msg) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(msg) + ": " + cudaGetErrorString(e));
}

// quick and dirty owning array: grows, never shrinks
template <class T> struct Array {
  T* ptr = nullptr;
  size_t cap = 0;
  ~Array() { cudaFree(ptr); }
  bool grow(size_t n) {
    if (n <= cap) return false;
    if (ptr) must(cudaFree(ptr), "free");                                       // HAZARD dangling #1
    ptr = nullptr;
    cap = n + n / 2;
    must(cudaMalloc(&ptr, cap * sizeof(T)), "alloc");
    return true;
  }
};

__global__ void zero_force(double2* f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f[i] = make_double2(0, 0);
}

__global__ void contact_force(const int2* pairs, const int* npairs, const double2* x, double2* f, double d0, double k) {
  for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < *npairs; c += gridDim.x * blockDim.x) {
    int2 p = pairs[c];
    double dx = x[p.y].x - x[p.x].x, dy = x[p.y].y - x[p.x].y, r = sqrt(dx * dx + dy * dy) + 1e-12;
    if (r >= d0) continue;
    double s = k * (d0 - r) / r;
    atomicAdd(&f[p.x].x, -s * dx); atomicAdd(&f[p.x].y, -s * dy);
    atomicAdd(&f[p.y].x, s * dx);  atomicAdd(&f[p.y].y, s * dy);
  }
}

__global__ void integrate(double2* x, double2* v, const double2* f, int n, double dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  v[i].x += dt * (f[i].x - x[i].x - 0.5 * v[i].x);
  v[i].y += dt * (f[i].y - x[i].y - 0.5 * v[i].y);
  x[i].x += dt * v[i].x;
  x[i].y += dt * v[i].y;
}

enum class Phase { Eager, Record, Replay };

struct Dem {
  int n;
  double d0 = 1.0, k = 200.0, dt = 0.004;
  Array<double2> x, v, f;
  Array<int2> pairs;
  Array<int> npairs;
  std::vector<double2> hx;
  std::vector<int2> hp;
  cudaStream_t st = nullptr;
  cudaGraphExec_t exec = nullptr;
  Phase phase = Phase::Eager;

  Dem(int side, bool graphs) : n(side * side), hx(n) {
    must(cudaStreamCreateWithFlags(&st, cudaStreamNonBlocking), "stream");
    x.grow(n); v.grow(n); f.grow(n); npairs.grow(1);
    for (int i = 0; i < n; ++i)
      hx[i] = make_double2(1.3 * (i % side - 0.5 * side) + 0.01 * (i % 7), 1.3 * (i / side - 0.5 * side) + 0.013 * (i % 5));
    must(cudaMemcpyAsync(x.ptr, hx.data(), n * sizeof(double2), cudaMemcpyHostToDevice, st), "x");
    must(cudaMemsetAsync(v.ptr, 0, n * sizeof(double2), st), "v");
    must(cudaStreamSynchronize(st), "init");
    if (graphs) phase = Phase::Record;
  }
  ~Dem() {
    cudaStreamSynchronize(st);
    if (exec) cudaGraphExecDestroy(exec);
    cudaStreamDestroy(st);
  }
  Dem(const Dem&) = delete;

  void forget_graph() {
    if (phase != Phase::Replay) return;
    must(cudaGraphExecDestroy(exec), "exec");
    exec = nullptr;
    phase = Phase::Record;
  }

  void rebuild_contacts() {
    must(cudaMemcpyAsync(hx.data(), x.ptr, n * sizeof(double2), cudaMemcpyDeviceToHost, st), "read x");
    must(cudaStreamSynchronize(st), "read x");
    hp.clear();
    const double rc = 1.25 * d0;
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j)
        if (std::hypot(hx[i].x - hx[j].x, hx[i].y - hx[j].y) < rc) hp.push_back(make_int2(i, j));
    pairs.grow(hp.size() + 1);                                                  // HAZARD dangling #1
    int np = (int)hp.size();
    must(cudaMemcpyAsync(pairs.ptr, hp.data(), np * sizeof(int2), cudaMemcpyHostToDevice, st), "pairs");
    must(cudaMemcpyAsync(npairs.ptr, &np, sizeof np, cudaMemcpyHostToDevice, st), "npairs");
    must(cudaStreamSynchronize(st), "upload");
  }

  void substep() {
    int b = (n + 127) / 128;
    zero_force<<<b, 128, 0, st>>>(f.ptr, n);
    contact_force<<<64, 128, 0, st>>>(pairs.ptr, npairs.ptr, x.ptr, f.ptr, d0, k);  // HAZARD dangling #1
    integrate<<<b, 128, 0, st>>>(x.ptr, v.ptr, f.ptr, n, dt);
    must(cudaGetLastError(), "substep");
  }

  void record() {
    cudaGraph_t g = nullptr;
    must(cudaStreamBeginCapture(st, cudaStreamCaptureModeThreadLocal), "begin");
    try {
      substep();
    } catch (...) {
      if (cudaStreamEndCapture(st, &g) == cudaSuccess) cudaGraphDestroy(g);
      throw;
    }
    must(cudaStreamEndCapture(st, &g), "end");
    cudaError_t rc = cudaGraphInstantiate(&exec, g, 0);
    cudaGraphDestroy(g);
    must(rc, "instantiate");
  }

  void advance() {
    switch (phase) {
      case Phase::Eager: substep(); break;
      case Phase::Record: record(); phase = Phase::Replay; [[fallthrough]];
      case Phase::Replay: must(cudaGraphLaunch(exec, st), "launch"); break;
    }
  }

  void run(int rebuilds, int every) {
    for (int r = 0; r < rebuilds; ++r) {
      rebuild_contacts();
      for (int s = 0; s < every; ++s) advance();
    }
    must(cudaMemcpyAsync(hx.data(), x.ptr, n * sizeof(double2), cudaMemcpyDeviceToHost, st), "final x");
    must(cudaStreamSynchronize(st), "final x");
  }
};

int main(int argc, char** argv) {
  int side = argc > 1 ? std::atoi(argv[1]) : 24, rebuilds = argc > 2 ? std::atoi(argv[2]) : 20;
  bool good = false;
  try {
    Dem a(side, false), b(side, true);
    a.run(rebuilds, 10);
    b.run(rebuilds, 10);
    double err = 0;
    good = true;
    for (int i = 0; i < a.n; ++i) {
      double d = std::hypot(a.hx[i].x - b.hx[i].x, a.hx[i].y - b.hx[i].y);
      err = std::max(err, d);
      good = good && d < 1e-6;
    }
    std::printf("pairs %zu, max |dx| %.3e\n", b.hp.size(), err);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  std::puts(good ? "LABEL UNOBSERVED" : "LABEL CONFIRMED");
  return 0;
}
