// Short-range forces with a neighbour list of variable size. The list's storage follows the largest list seen.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CALL(x)                                                                     \
  do {                                                                              \
    cudaError_t err__ = (x);                                                        \
    if (err__ != cudaSuccess) {                                                     \
      std::fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(err__));              \
      std::puts(phase == Phase::grown ? grown_verdict : "LABEL REFUTED");           \
      std::exit(0);                                                                 \
    }                                                                               \
  } while (0)

enum class Phase { setup, grown };
static Phase phase = Phase::setup;
static const char* const grown_verdict = "LABEL CONFIRMED";

template <class T>
class dvec {
 public:
  dvec() = default;
  dvec(const dvec&) = delete;
  dvec& operator=(const dvec&) = delete;
  ~dvec() { cudaFree(data_); }
  bool resize(std::size_t n) {
    size_ = n;
    if (n <= capacity_) return false;
    CALL(cudaFree(data_));  // HAZARD dangling #1
    CALL(cudaMalloc(&data_, n * sizeof(T)));
    capacity_ = n;
    return true;
  }
  T* data() { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

__global__ void pair_forces(const int* offset, const int* neighbour, const float* x, float* f, int atoms) {
  const int a = blockIdx.x * blockDim.x + threadIdx.x;
  if (a >= atoms) return;
  float sum = 0.0f;
  for (int k = offset[a]; k < offset[a + 1]; ++k) sum += x[neighbour[k]];
  f[a] = sum;
}

__global__ void integrate(float* v, const float* f, int atoms, float dt) {
  const int a = blockIdx.x * blockDim.x + threadIdx.x;
  if (a < atoms) v[a] = f[a] * dt;
}

class NeighbourList {
 public:
  explicit NeighbourList(int atoms) { offset_.resize(atoms + 1); }
  // Every atom sees the `reach` atoms after it.
  bool rebuild(int atoms, int reach, cudaStream_t s) {
    std::vector<int> offset(atoms + 1), list;
    for (int a = 0; a < atoms; ++a) {
      offset[a] = int(list.size());
      for (int k = 1; k <= reach; ++k) list.push_back((a + k) % atoms);
    }
    offset[atoms] = int(list.size());
    CALL(cudaStreamSynchronize(s));
    const bool moved = list_.resize(list.size());
    CALL(cudaMemcpyAsync(offset_.data(), offset.data(), offset.size() * sizeof(int), cudaMemcpyHostToDevice, s));
    CALL(cudaMemcpyAsync(list_.data(), list.data(), list.size() * sizeof(int), cudaMemcpyHostToDevice, s));
    CALL(cudaStreamSynchronize(s));
    return moved;
  }
  const int* offsets() { return offset_.data(); }
  const int* entries() { return list_.data(); }

 private:
  dvec<int> offset_, list_;
};

class Simulation {
 public:
  explicit Simulation(int atoms) : atoms_(atoms), list_(atoms) {
    CALL(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking));
    x_.resize(atoms);
    f_.resize(atoms);
    v_.resize(atoms);
    std::vector<float> h(atoms);
    for (int a = 0; a < atoms; ++a) h[a] = float(a % 7);
    CALL(cudaMemcpy(x_.data(), h.data(), atoms * sizeof(float), cudaMemcpyHostToDevice));
  }
  ~Simulation() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaStreamDestroy(s_);
  }
  void rebuild(int reach) {
    list_.rebuild(atoms_, reach, s_);
  }
  float step(int probe) {
    if (!exec_) record();
    CALL(cudaGraphLaunch(exec_, s_));
    float v = 0.0f;
    CALL(cudaMemcpyAsync(&v, v_.data() + probe, sizeof v, cudaMemcpyDeviceToHost, s_));
    CALL(cudaStreamSynchronize(s_));
    return v;
  }

 private:
  void record() {
    const int blocks = (atoms_ + 127) / 128;
    CALL(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal));
    pair_forces<<<blocks, 128, 0, s_>>>(list_.offsets(), list_.entries(), x_.data(), f_.data(), atoms_);  // HAZARD dangling #1
    integrate<<<blocks, 128, 0, s_>>>(v_.data(), f_.data(), atoms_, 0.5f);
    cudaGraph_t g = nullptr;
    CALL(cudaStreamEndCapture(s_, &g));
    CALL(cudaGraphInstantiate(&exec_, g, 0));
    CALL(cudaGraphDestroy(g));
  }

  int atoms_;
  NeighbourList list_;
  dvec<float> x_, f_, v_;
  cudaStream_t s_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

static float expected(int atoms, int probe, int reach) {
  float sum = 0.0f;
  for (int k = 1; k <= reach; ++k) sum += float(((probe + k) % atoms) % 7);
  return 0.5f * sum;
}

int main() {
  constexpr int atoms = 50000;
  Simulation sim(atoms);
  sim.rebuild(8);
  if (std::fabs(sim.step(41) - expected(atoms, 41, 8)) > 1e-3f) {
    std::puts("LABEL REFUTED");
    return 0;
  }
  phase = Phase::grown;
  bool right = true;
  for (int reach : {12, 100, 40}) {
    sim.rebuild(reach);
    for (int probe : {0, 12345, atoms - 1}) right = right && std::fabs(sim.step(probe) - expected(atoms, probe, reach)) < 1e-2f;
  }
  std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
  return 0;
}
