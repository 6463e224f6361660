// Lennard-Jones-ish toy with a "remote" halo. Two streams: comm and force.
#include <cuda_runtime.h>

#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

constexpr int kAtoms = 2048;
constexpr int kHalo = 128;

struct Sim {
  cudaStream_t force = nullptr, comm = nullptr;
  cudaEvent_t halo_ready = nullptr, force_done = nullptr;
  float *x = nullptr, *halo = nullptr, *f = nullptr;
} sim;

std::string g_err;
bool ok(cudaError_t e, const char* what) {
  if (e == cudaSuccess) return true;
  if (g_err.empty()) g_err = std::string(what) + ": " + cudaGetErrorName(e);
  return false;
}
#define OK(x) ok((x), #x)

__global__ void pack_halo(float* halo, const float* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kHalo) halo[i] = x[kAtoms - 1 - i];
}
__global__ void bonded(float* f, const float* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kAtoms) f[i] = -0.5f * x[i];
}
__global__ void nonlocal(float* f, const float* halo) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kHalo) f[i] += halo[i];
}
__global__ void integrate(float* x, const float* f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kAtoms) x[i] += f[i];
}

using Op = std::function<bool()>;

bool exchange_halo() {
  if (!OK(cudaStreamWaitEvent(sim.comm, sim.force_done))) return false;
  pack_halo<<<1, kHalo, 0, sim.comm>>>(sim.halo, sim.x);
  return OK(cudaGetLastError()) && OK(cudaEventRecord(sim.halo_ready, sim.comm));
}

std::vector<Op> force_ops() {
  std::vector<Op> ops;
  ops.emplace_back([] { bonded<<<kAtoms / 128, 128, 0, sim.force>>>(sim.f, sim.x); return OK(cudaGetLastError()); });
  ops.emplace_back([] { return OK(cudaStreamWaitEvent(sim.force, sim.halo_ready)); });  // HAZARD dependency
  ops.emplace_back([] { nonlocal<<<1, kHalo, 0, sim.force>>>(sim.f, sim.halo); return OK(cudaGetLastError()); });
  ops.emplace_back([] { integrate<<<kAtoms / 128, 128, 0, sim.force>>>(sim.x, sim.f); return OK(cudaGetLastError()); });
  return ops;
}

struct StepGraph {
  cudaGraphExec_t exec = nullptr;
  ~StepGraph() { if (exec) cudaGraphExecDestroy(exec); }

  bool build(const std::vector<Op>& ops) {
    if (!OK(cudaStreamBeginCapture(sim.force, cudaStreamCaptureModeGlobal))) return false;
    bool fine = true;
    for (const Op& op : ops)
      if (!(fine = op())) break;
    cudaGraph_t g = nullptr;
    const bool ended = OK(cudaStreamEndCapture(sim.force, &g));
    const bool made = fine && ended && OK(cudaGraphInstantiate(&exec, g, 0));
    if (g) cudaGraphDestroy(g);
    return made;
  }
};

bool init() {
  std::vector<float> h(kAtoms);
  for (int i = 0; i < kAtoms; ++i) h[i] = i < kHalo ? 2.f : 4.f;
  return OK(cudaStreamCreateWithFlags(&sim.force, cudaStreamNonBlocking)) &&
         OK(cudaStreamCreateWithFlags(&sim.comm, cudaStreamNonBlocking)) &&
         OK(cudaEventCreateWithFlags(&sim.halo_ready, cudaEventDisableTiming)) &&
         OK(cudaEventCreateWithFlags(&sim.force_done, cudaEventDisableTiming)) &&
         OK(cudaMalloc(&sim.x, kAtoms * sizeof(float))) && OK(cudaMalloc(&sim.f, kAtoms * sizeof(float))) &&
         OK(cudaMalloc(&sim.halo, kHalo * sizeof(float))) &&
         OK(cudaMemcpy(sim.x, h.data(), kAtoms * sizeof(float), cudaMemcpyHostToDevice)) &&
         OK(cudaDeviceSynchronize());
}

void fini() {
  cudaFree(sim.x); cudaFree(sim.f); cudaFree(sim.halo);
  cudaEventDestroy(sim.halo_ready); cudaEventDestroy(sim.force_done);
  cudaStreamDestroy(sim.force); cudaStreamDestroy(sim.comm);
}

int main() {
  float local = 2.f, remote = 4.f, got = 0.f;
  bool up = init(), built = false, fine = false;
  if (up) {
    StepGraph step;
    fine = exchange_halo();
    built = fine && step.build(force_ops());
    fine = built;
    for (int n = 0; fine && n < 4; ++n) {
      if (n) fine = exchange_halo();
      fine = fine && OK(cudaGraphLaunch(step.exec, sim.force)) && OK(cudaEventRecord(sim.force_done, sim.force));
      local += -0.5f * local + remote;
      remote += -0.5f * remote;
    }
    fine = fine && OK(cudaMemcpyAsync(&got, sim.x + 5, sizeof got, cudaMemcpyDeviceToHost, sim.force)) &&
           OK(cudaStreamSynchronize(sim.force)) && OK(cudaStreamSynchronize(sim.comm));
    fine = fine && got == local;
  }
  printf("%s got %g want %g\n", g_err.c_str(), got, local);
  fini();
  puts(up && !built ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
