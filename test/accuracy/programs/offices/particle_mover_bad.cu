// Particle-in-cell fragment: tiles, a scratch arena, and a step graph with two diagnostic branches.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace amr {

void abort_on(cudaError_t e, int line) {
  if (e == cudaSuccess) return;
  std::printf("CUDA failure at line %d: %s\nLABEL UNOBSERVED\n", line, cudaGetErrorString(e));
  std::exit(0);
}
#define AMR_SAFE(x) ::amr::abort_on((x), __LINE__)

constexpr int kCapacity = 256;
constexpr int kThreads = 128;

struct ParticleTile {
  float *x = nullptr, *v = nullptr, *m = nullptr;  // SoA; mass is zero in unused slots
  int* d_np = nullptr;
  int np = 0;

  void define(cudaStream_t s) {
    for (float** p : {&x, &v, &m}) {
      AMR_SAFE(cudaMalloc(p, kCapacity * sizeof(float)));
      AMR_SAFE(cudaMemsetAsync(*p, 0, kCapacity * sizeof(float), s));
    }
    AMR_SAFE(cudaMalloc(&d_np, sizeof(int)));
  }
  void inject(int count, float vel, float mass, cudaStream_t s) {
    std::vector<float> vv(count, vel), mm(count, mass);
    AMR_SAFE(cudaMemcpyAsync(v + np, vv.data(), count * sizeof(float), cudaMemcpyHostToDevice, s));
    AMR_SAFE(cudaMemcpyAsync(m + np, mm.data(), count * sizeof(float), cudaMemcpyHostToDevice, s));
    np += count;
    AMR_SAFE(cudaMemcpyAsync(d_np, &np, sizeof(int), cudaMemcpyHostToDevice, s));
    AMR_SAFE(cudaStreamSynchronize(s));
  }
  void clear() {
    cudaFree(x); cudaFree(v); cudaFree(m); cudaFree(d_np);
  }
};

struct ScratchArena {
  float* base = nullptr;
  void define(int slices) { AMR_SAFE(cudaMalloc(&base, slices * kCapacity * sizeof(float))); }
  float* slice(int i) const { return base + i * kCapacity; }
  void clear() { cudaFree(base); }
};

struct Diagnostics {
  float kinetic, potential, momentum;
};

__global__ void advance(float* x, const float* v, int np, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < np) x[i] += v[i] * dt;
}
__global__ void kinetic_terms(const float* v, const float* m, float* scratch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCapacity) scratch[i] = 0.5f * m[i] * v[i] * v[i];
}
__global__ void momentum_terms(const float* v, const float* m, float* scratch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCapacity) scratch[i] = m[i] * v[i];
}
// Direct sum over all pairs and periodic images.
__global__ void pair_potential(const float* x, const float* m, float* phi, int images) {
  int i = threadIdx.x;
  float acc = 0.f;
  for (int k = 0; k < images; ++k)
    for (int j = 0; j < kCapacity; ++j) acc += m[i] * m[j] / (1.f + fabsf(x[i] - x[j] + float(k)));
  phi[i] = acc;
}
// Mass density on 64 cells with a wide kernel.
__global__ void density(const float* x, const float* m, float* rho, int samples) {
  float c = threadIdx.x, acc = 0.f;
  for (int k = 0; k < samples; ++k)
    for (int j = 0; j < kCapacity; ++j) acc += m[j] / (1.f + fabsf(x[j] - c - k / float(samples)));
  rho[threadIdx.x] = acc / samples;
}
__global__ void sum_terms(const float* terms, float* out) {
  float s = 0.f;
  for (int i = 0; i < kCapacity; ++i) s += terms[i];
  *out = s;
}

class Mover {
 public:
  Mover() {
    AMR_SAFE(cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking));
    AMR_SAFE(cudaStreamCreateWithFlags(&aux_, cudaStreamNonBlocking));
    AMR_SAFE(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming));
    AMR_SAFE(cudaEventCreateWithFlags(&join_, cudaEventDisableTiming));
    AMR_SAFE(cudaMalloc(&diag_, sizeof(Diagnostics)));
    AMR_SAFE(cudaMalloc(&phi_, kCapacity * sizeof(float)));
    AMR_SAFE(cudaMalloc(&rho_, 64 * sizeof(float)));
    tile.define(main_);
    arena_.define(2);
  }
  ~Mover() {
    cudaGraphExecDestroy(exec_);
    tile.clear();
    arena_.clear();
    cudaFree(diag_); cudaFree(phi_); cudaFree(rho_);
    cudaEventDestroy(fork_); cudaEventDestroy(join_);
    cudaStreamDestroy(main_); cudaStreamDestroy(aux_);
  }

  void build_step(float dt) {
    const int grid = (kCapacity + kThreads - 1) / kThreads;
    float* terms = arena_.slice(0);
    cudaGraph_t graph;
    AMR_SAFE(cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal));
    advance<<<(tile.np + kThreads - 1) / kThreads, kThreads, 0, main_>>>(tile.x, tile.v, tile.np, dt);  // HAZARD dynamic_shape
    AMR_SAFE(cudaEventRecord(fork_, main_));
    AMR_SAFE(cudaStreamWaitEvent(aux_, fork_, 0));
    // energy
    kinetic_terms<<<grid, kThreads, 0, main_>>>(tile.v, tile.m, terms);  // HAZARD concurrent #terms
    pair_potential<<<1, kCapacity, 0, main_>>>(tile.x, tile.m, phi_, 512);
    sum_terms<<<1, 1, 0, main_>>>(terms, &diag_->kinetic);  // HAZARD concurrent #terms
    sum_terms<<<1, 1, 0, main_>>>(phi_, &diag_->potential);
    // density and momentum
    density<<<1, 64, 0, aux_>>>(tile.x, tile.m, rho_, 32);
    momentum_terms<<<grid, kThreads, 0, aux_>>>(tile.v, tile.m, terms);  // HAZARD concurrent #terms
    sum_terms<<<1, 1, 0, aux_>>>(terms, &diag_->momentum);  // HAZARD concurrent #terms
    AMR_SAFE(cudaEventRecord(join_, aux_));
    AMR_SAFE(cudaStreamWaitEvent(main_, join_, 0));
    AMR_SAFE(cudaStreamEndCapture(main_, &graph));
    AMR_SAFE(cudaGraphInstantiate(&exec_, graph, 0));
    AMR_SAFE(cudaGraphDestroy(graph));
  }
  Diagnostics run(int steps) {
    Diagnostics d{};
    for (int i = 0; i < steps; ++i) AMR_SAFE(cudaGraphLaunch(exec_, main_));
    AMR_SAFE(cudaMemcpyAsync(&d, diag_, sizeof d, cudaMemcpyDeviceToHost, main_));
    AMR_SAFE(cudaStreamSynchronize(main_));
    return d;
  }
  cudaStream_t stream() const { return main_; }
  ParticleTile tile;

 private:
  cudaStream_t main_ = nullptr, aux_ = nullptr;
  cudaEvent_t fork_ = nullptr, join_ = nullptr;
  ScratchArena arena_;
  Diagnostics* diag_ = nullptr;
  float *phi_ = nullptr, *rho_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace amr

int main() {
  using namespace amr;
  bool energy_ok = true, position_ok = true;
  {
    Mover mover;
    mover.tile.inject(100, 2.f, 1.f, mover.stream());
    mover.build_step(0.5f);
    Diagnostics a = mover.run(2);
    mover.tile.inject(60, 4.f, 1.f, mover.stream());
    Diagnostics b = mover.run(2);
    std::printf("kinetic %g %g, momentum %g %g, potential %g\n", a.kinetic, b.kinetic, a.momentum, b.momentum, b.potential);
    energy_ok = a.kinetic == 200.f && b.kinetic == 680.f && a.momentum == 200.f && b.momentum == 440.f && b.potential > 0.f;
    std::vector<float> x(kCapacity);
    AMR_SAFE(cudaMemcpy(x.data(), mover.tile.x, kCapacity * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < kCapacity; ++i) position_ok &= x[i] == (i < 100 ? 4.f : i < 160 ? 4.f : 0.f);
  }
  std::puts(!energy_ok && !position_ok ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
