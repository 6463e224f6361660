// neighbor_forces: fixed-point molecular dynamics of a compressed chain with a pair list that is
// built and kept on the device. One time step is one graph launch; the list is refreshed between.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace md {

constexpr int kAtoms = 512;
constexpr int kBlock = 128;
constexpr int kMaxPairs = kAtoms * 96;
constexpr int kCutoff = 40;
constexpr int kRebuildEvery = 2;
constexpr int kThermostatEvery = 3;
constexpr int kSteps = 12;

int g_failures = 0;

bool ok(cudaError_t e, const char* where) {
  if (e == cudaSuccess) return true;
  std::fprintf(stderr, "md: %s: %s\n", where, cudaGetErrorString(e));
  ++g_failures;
  return false;
}

struct System {
  int* x = nullptr;
  int* v = nullptr;
  int* f = nullptr;
  int2* pairs = nullptr;
  int* pair_count = nullptr;
  int* step = nullptr;
  cudaStream_t stream = nullptr;
};

__global__ void build_pairs(const int* x, int2* pairs, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kAtoms) return;
  for (int j = i + 1; j < kAtoms; ++j) {
    if (abs(x[i] - x[j]) < kCutoff) {
      const int slot = atomicAdd(count, 1);
      if (slot < kMaxPairs) pairs[slot] = make_int2(i, j);
    }
  }
}

__global__ void pair_forces(const int* x, int* f, const int2* pairs, const int* count) {
  const int n = min(*count, kMaxPairs);
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += gridDim.x * blockDim.x) {
    const int2 ij = pairs[p];
    const int d = x[ij.x] - x[ij.y];
    const int push = d == 0 ? 0 : (d > 0 ? kCutoff - d : -(kCutoff + d));
    atomicAdd(&f[ij.x], push);
    atomicAdd(&f[ij.y], -push);
  }
}

__global__ void integrate(int* x, int* v, const int* f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kAtoms) return;
  v[i] += f[i] / 64;
  x[i] += v[i];
}

__global__ void thermostat(int* v, const int* step) {
  if (*step % kThermostatEvery != 0) return;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kAtoms) v[i] = v[i] * 3 / 4;
}

__global__ void advance_clock(int* step) { ++*step; }

constexpr int kAtomBlocks = kAtoms / kBlock;

void rebuild_list(System& s) {
  ok(cudaMemsetAsync(s.pair_count, 0, sizeof(int), s.stream), "clear count");
  build_pairs<<<kAtomBlocks, kBlock, 0, s.stream>>>(s.x, s.pairs, s.pair_count);
  ok(cudaGetLastError(), "build_pairs");
}

void enqueue_step(System& s) {
  ok(cudaMemsetAsync(s.f, 0, kAtoms * sizeof(int), s.stream), "clear forces");
  const int blocks = kMaxPairs / kBlock / 8;
  pair_forces<<<blocks, kBlock, 0, s.stream>>>(s.x, s.f, s.pairs, s.pair_count);
  integrate<<<kAtomBlocks, kBlock, 0, s.stream>>>(s.x, s.v, s.f);
  thermostat<<<kAtomBlocks, kBlock, 0, s.stream>>>(s.v, s.step);
  advance_clock<<<1, 1, 0, s.stream>>>(s.step);
}

cudaGraphExec_t record_step(System& s) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  if (!ok(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeGlobal), "begin")) return nullptr;
  enqueue_step(s);
  if (!ok(cudaStreamEndCapture(s.stream, &graph), "end")) return nullptr;
  if (!ok(cudaGraphInstantiate(&exec, graph, 0), "instantiate")) exec = nullptr;
  ok(cudaGraphDestroy(graph), "destroy graph");
  return exec;
}

void setup(System& s, const std::vector<int>& x, const std::vector<int>& v) {
  const size_t bytes = kAtoms * sizeof(int);
  ok(cudaStreamCreate(&s.stream), "stream");
  ok(cudaMalloc(&s.x, bytes), "x");
  ok(cudaMalloc(&s.v, bytes), "v");
  ok(cudaMalloc(&s.f, bytes), "f");
  ok(cudaMalloc(&s.pairs, kMaxPairs * sizeof(int2)), "pairs");
  ok(cudaMalloc(&s.pair_count, sizeof(int)), "count");
  ok(cudaMalloc(&s.step, sizeof(int)), "step");
  ok(cudaMemcpy(s.x, x.data(), bytes, cudaMemcpyHostToDevice), "x upload");
  ok(cudaMemcpy(s.v, v.data(), bytes, cudaMemcpyHostToDevice), "v upload");
  ok(cudaMemset(s.step, 0, sizeof(int)), "step clear");
}

void teardown(System& s) {
  for (void* p : {(void*)s.x, (void*)s.v, (void*)s.f, (void*)s.pairs, (void*)s.pair_count, (void*)s.step})
    ok(cudaFree(p), "free");
  ok(cudaStreamDestroy(s.stream), "stream destroy");
}

// The same integer arithmetic on the host.
void reference(std::vector<int>& x, std::vector<int>& v) {
  std::vector<std::pair<int, int>> pairs;
  for (int step = 0; step < kSteps; ++step) {
    if (step % kRebuildEvery == 0) {
      pairs.clear();
      for (int i = 0; i < kAtoms; ++i)
        for (int j = i + 1; j < kAtoms; ++j)
          if (std::abs(x[i] - x[j]) < kCutoff) pairs.emplace_back(i, j);
    }
    std::vector<int> f(kAtoms, 0);
    for (auto [i, j] : pairs) {
      const int d = x[i] - x[j];
      const int push = d == 0 ? 0 : (d > 0 ? kCutoff - d : -(kCutoff + d));
      f[i] += push;
      f[j] -= push;
    }
    for (int i = 0; i < kAtoms; ++i) {
      v[i] += f[i] / 64;
      x[i] += v[i];
      if (step % kThermostatEvery == 0) v[i] = v[i] * 3 / 4;
    }
  }
}

}  // namespace md

int main() {
  using namespace md;
  std::vector<int> x(kAtoms), v(kAtoms), got(kAtoms);
  for (int i = 0; i < kAtoms; ++i) {
    x[i] = 16 * i + (i * 7) % 5;
    v[i] = (kAtoms / 2 - i) / 2;
  }
  System sys;
  setup(sys, x, v);
  cudaGraphExec_t exec = record_step(sys);
  for (int step = 0; step < kSteps && exec; ++step) {
    if (step % kRebuildEvery == 0) rebuild_list(sys);
    ok(cudaGraphLaunch(exec, sys.stream), "launch");
  }
  ok(cudaStreamSynchronize(sys.stream), "sync");
  ok(cudaMemcpy(got.data(), sys.x, kAtoms * sizeof(int), cudaMemcpyDeviceToHost), "download");
  if (exec) ok(cudaGraphExecDestroy(exec), "exec destroy");
  teardown(sys);

  reference(x, v);
  int wrong = 0;
  for (int i = 0; i < kAtoms; ++i) wrong += got[i] != x[i];
  std::printf("failures %d, misplaced atoms %d\n", g_failures, wrong);
  std::puts(g_failures == 0 && wrong == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
