// 1D electrostatic PIC, field frozen (diagnostics mini-app): push + kinetic energy per species, injection at the wall.
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

static void cu(cudaError_t e, const char* where) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(where) + ": " + cudaGetErrorString(e));
}

template <class T> class Buf {
  T* p_ = nullptr;
 public:
  explicit Buf(size_t n) { cu(cudaMalloc(&p_, n * sizeof(T)), "Buf"); cu(cudaMemset(p_, 0, n * sizeof(T)), "Buf"); }
  ~Buf() { cudaFree(p_); }
  Buf(const Buf&) = delete;
  Buf& operator=(const Buf&) = delete;
  operator T*() const { return p_; }
};

__global__ void inject(float* x, float* v, float* w, int first, int count, float vth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int k = first + i;
  x[k] = 0.001f * (k % 97);
  v[k] = vth * (1.0f + 0.01f * (k % 13));
  w[k] = 1.0f;
}

__global__ void push(float* x, float* v, const float* w, double* ke, int n, float qm, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float e = sinf(6.2831853f * x[i]);
  v[i] += w[i] * qm * e * dt;
  x[i] += v[i] * dt;
  x[i] -= floorf(x[i]);
  ke[i] = 0.5 * w[i] * v[i] * v[i];
}

struct Species {
  int id;
  float qm, vth;
  int np = 0, cap;
  Buf<float> x, v, w;
  Buf<double> ke, total;
  size_t scratch_bytes = 0;
  std::unique_ptr<Buf<char>> scratch;

  Species(int id_, float qm_, float vth_, int cap_)
      : id(id_), qm(qm_), vth(vth_), cap(cap_), x(cap_), v(cap_), w(cap_), ke(cap_), total(1) {
    cu(cub::DeviceReduce::Sum(nullptr, scratch_bytes, (double*)ke, (double*)total, cap), "cub size");
    scratch = std::make_unique<Buf<char>>(scratch_bytes);
  }
  // storage is zeroed up to cap: a slot past np has weight 0 and stays at rest
  int padded() const { return (np + 1023) / 1024 * 1024; }
};

class Pic {
  cudaStream_t st_ = nullptr;
  std::vector<std::unique_ptr<Species>> sp_;
  std::map<std::pair<int, int>, cudaGraphExec_t> steps_;
  float dt_ = 0.01f;

  void advance(Species& s) {
    const int n = s.padded();
    push<<<(n + 255) / 256, 256, 0, st_>>>(s.x, s.v, s.w, s.ke, n, s.qm, dt_);
    cu(cudaGetLastError(), "push");
    cu(cub::DeviceReduce::Sum(*s.scratch, s.scratch_bytes, (double*)s.ke, (double*)s.total, n, st_), "sum");
  }

  template <class Fn> cudaGraphExec_t trace(Fn fn) {
    cu(cudaStreamBeginCapture(st_, cudaStreamCaptureModeRelaxed), "begin");
    cudaGraph_t g = nullptr;
    try {
      fn();
    } catch (...) {
      if (cudaStreamEndCapture(st_, &g) == cudaSuccess) cudaGraphDestroy(g);
      throw;
    }
    cu(cudaStreamEndCapture(st_, &g), "end");
    cudaGraphExec_t e = nullptr;
    cudaError_t rc = cudaGraphInstantiate(&e, g, 0);
    cudaGraphDestroy(g);
    cu(rc, "instantiate");
    return e;
  }

 public:
  Pic() {
    cu(cudaStreamCreateWithFlags(&st_, cudaStreamNonBlocking), "stream");
    sp_.push_back(std::make_unique<Species>(0, -1.0f, 0.3f, 1 << 14));
    sp_.push_back(std::make_unique<Species>(1, 0.01f, 0.02f, 1 << 14));
    cu(cudaDeviceSynchronize(), "init");
  }
  ~Pic() {
    cudaStreamSynchronize(st_);
    for (auto& kv : steps_) cudaGraphExecDestroy(kv.second);
    cudaStreamDestroy(st_);
  }

  void add(int k, int count) {
    Species& s = *sp_.at(k);
    if (s.np + count > s.cap) throw std::length_error("species full");
    inject<<<(count + 255) / 256, 256, 0, st_>>>(s.x, s.v, s.w, s.np, count, s.vth);
    cu(cudaGetLastError(), "inject");
    s.np += count;
  }

  void step(bool graphs) {
    for (auto& s : sp_) {
      if (!graphs) {
        advance(*s);
        continue;
      }
      auto key = std::make_pair(s->id, s->padded());
      auto it = steps_.find(key);
      if (it == steps_.end()) it = steps_.emplace(key, trace([&] { advance(*s); })).first;
      cu(cudaGraphLaunch(it->second, st_), "launch");
    }
  }

  double energy(int k) {
    double e = 0;
    cu(cudaMemcpyAsync(&e, sp_.at(k)->total, sizeof e, cudaMemcpyDeviceToHost, st_), "energy");
    cu(cudaStreamSynchronize(st_), "energy");
    return e;
  }
};

static std::pair<double, double> campaign(int steps, int rate, bool graphs) {
  Pic pic;
  pic.add(0, 1500);
  pic.add(1, 900);
  for (int t = 0; t < steps; ++t) {
    pic.step(graphs);
    if (t % 5 == 4) {
      pic.add(0, rate);
      pic.add(1, rate / 2);
    }
  }
  pic.step(graphs);
  return {pic.energy(0), pic.energy(1)};
}

int main(int argc, char** argv) try {
  int steps = argc > 1 ? std::atoi(argv[1]) : 60, rate = argc > 2 ? std::atoi(argv[2]) : 400;
  auto a = campaign(steps, rate, false), b = campaign(steps, rate, true);
  std::printf("electrons %.9g / %.9g   ions %.9g / %.9g\n", a.first, b.first, a.second, b.second);
  bool same = std::fabs(a.first - b.first) < 1e-6 * a.first && std::fabs(a.second - b.second) < 1e-6 * a.second;
  std::puts(same ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  std::puts("LABEL REFUTED");
  return 0;
}
