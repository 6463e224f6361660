// nsl - Monte Carlo transport of neutrons through a homogeneous slab.
//
// Every execution of a plan simulates one generation of histories; the generations of a plan are independent samples.
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <curand_kernel.h>

#include <cstdint>
#include <cstdio>

// ------------------------------------------------------------------------------------------------------------ interface
enum nslStatus { NSL_OK = 0, NSL_BAD_PARAM = 1, NSL_NO_MEMORY = 2, NSL_CUDA_ERROR = 3 };

struct nslProblem {
  int histories;
  float thickness;   // cm
  float sigmaTotal;  // 1/cm
  float absorption;  // probability of absorption in a collision
};

struct nslTally {
  int absorbed;
  int exited;
};

struct nslWorkspace {
  void* cubTemp = nullptr;
  size_t cubBytes = 0;
  int* exitFlags = nullptr;
  int* absorbed = nullptr;
  int* exited = nullptr;
  nslTally* host = nullptr;
};

struct nslPlanRec {
  cudaStream_t stream = nullptr;
  nslProblem problem{};
  unsigned long long seed = 0;
  unsigned long long generation = 0;
  nslWorkspace ws;
  cudaGraphExec_t exec = nullptr;
};
typedef nslPlanRec* nslPlan;

constexpr int kMaxCollisions = 64;
constexpr unsigned long long kDrawsPerHistory = 256;  // at least three draws per collision

#define NSL_TRY(expr)                                                                  \
  do {                                                                                 \
    cudaError_t err_ = (expr);                                                         \
    if (err_ != cudaSuccess) {                                                         \
      std::fprintf(stderr, "nsl: %s -> %s\n", #expr, cudaGetErrorString(err_));        \
      return err_ == cudaErrorMemoryAllocation ? NSL_NO_MEMORY : NSL_CUDA_ERROR;       \
    }                                                                                  \
  } while (0)

// --------------------------------------------------------------------------------------------------------------- physics
__global__ void nslTransport(nslProblem pb, unsigned long long seed, unsigned long long offset, int* exitFlags,
                             int* absorbed) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= pb.histories) return;
  curandStatePhilox4_32_10_t rng;
  curand_init(seed, id, offset, &rng);
  float x = 0.0f, mu = 1.0f;
  int outside = 0;
  for (int c = 0; c < kMaxCollisions; ++c) {
    x += mu * -logf(curand_uniform(&rng)) / pb.sigmaTotal;
    if (x < 0.0f || x > pb.thickness) {
      outside = 1;
      break;
    }
    if (curand_uniform(&rng) < pb.absorption) break;
    mu = 2.0f * curand_uniform(&rng) - 1.0f;
  }
  exitFlags[id] = outside;
  if (!outside) atomicAdd(absorbed, 1);
}

// -------------------------------------------------------------------------------------------------------- implementation
static int nslBlocks(const nslProblem& pb) { return (pb.histories + 255) / 256; }

static nslStatus nslEnqueue(nslPlan p) {
  nslWorkspace& ws = p->ws;
  const unsigned long long offset = p->generation * kDrawsPerHistory;
  NSL_TRY(cudaMemsetAsync(ws.absorbed, 0, sizeof(int), p->stream));
  nslTransport<<<nslBlocks(p->problem), 256, 0, p->stream>>>(p->problem, p->seed, offset, ws.exitFlags, ws.absorbed);  // HAZARD random
  NSL_TRY(cudaGetLastError());
  NSL_TRY(cub::DeviceReduce::Sum(ws.cubTemp, ws.cubBytes, ws.exitFlags, ws.exited, p->problem.histories));  // HAZARD default_stream
  NSL_TRY(cudaMemcpyAsync(&ws.host->absorbed, ws.absorbed, sizeof(int), cudaMemcpyDeviceToHost, p->stream));
  NSL_TRY(cudaMemcpyAsync(&ws.host->exited, ws.exited, sizeof(int), cudaMemcpyDeviceToHost, p->stream));
  return NSL_OK;
}

static nslStatus nslAllocate(nslPlan p) {
  nslWorkspace& ws = p->ws;
  const int n = p->problem.histories;
  NSL_TRY(cudaMalloc(&ws.exitFlags, n * sizeof(int)));
  NSL_TRY(cudaMalloc(&ws.absorbed, sizeof(int)));
  NSL_TRY(cudaMalloc(&ws.exited, sizeof(int)));
  NSL_TRY(cudaMallocHost(&ws.host, sizeof(nslTally)));
  NSL_TRY(cub::DeviceReduce::Sum(nullptr, ws.cubBytes, ws.exitFlags, ws.exited, n, p->stream));
  NSL_TRY(cudaMalloc(&ws.cubTemp, ws.cubBytes));
  NSL_TRY(cudaMemset(ws.exitFlags, 0, n * sizeof(int)));
  NSL_TRY(cudaDeviceSynchronize());
  return NSL_OK;
}

nslStatus nslPlanCreate(nslPlan* out, const nslProblem& problem, unsigned long long seed) {
  if (problem.histories < 1 || problem.sigmaTotal <= 0.0f) return NSL_BAD_PARAM;
  nslPlan p = *out = new nslPlanRec;
  p->problem = problem;
  p->seed = seed;
  NSL_TRY(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking));
  nslStatus st = nslAllocate(p);
  if (st != NSL_OK) return st;

  // Loads all kernels; the tallies of this pass are dropped.
  st = nslEnqueue(p);
  if (st != NSL_OK) return st;
  NSL_TRY(cudaDeviceSynchronize());
  NSL_TRY(cudaMemset(p->ws.exitFlags, 0, problem.histories * sizeof(int)));
  NSL_TRY(cudaDeviceSynchronize());

  cudaGraph_t graph = nullptr;
  NSL_TRY(cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeThreadLocal));
  st = nslEnqueue(p);
  NSL_TRY(cudaStreamEndCapture(p->stream, &graph));
  if (st == NSL_OK && cudaGraphInstantiate(&p->exec, graph, 0) != cudaSuccess) st = NSL_CUDA_ERROR;
  cudaGraphDestroy(graph);
  NSL_TRY(cudaDeviceSynchronize());
  return st;
}

// Simulates the next generation.
nslStatus nslPlanExecute(nslPlan p, nslTally* tally) {
  if (!p || !p->exec) return NSL_BAD_PARAM;
  NSL_TRY(cudaGraphLaunch(p->exec, p->stream));
  NSL_TRY(cudaStreamSynchronize(p->stream));
  ++p->generation;
  *tally = *p->ws.host;
  return NSL_OK;
}

void nslPlanDestroy(nslPlan p) {
  if (!p) return;
  if (p->exec) cudaGraphExecDestroy(p->exec);
  cudaFree(p->ws.cubTemp);
  cudaFree(p->ws.exitFlags);
  cudaFree(p->ws.absorbed);
  cudaFree(p->ws.exited);
  cudaFreeHost(p->ws.host);
  cudaStreamDestroy(p->stream);
  delete p;
}

// ------------------------------------------------------------------------------------------------------------ self-test
// The number of absorbed histories of one generation, simulated without a plan.
static int referenceAbsorbed(const nslProblem& pb, unsigned long long seed, unsigned long long generation) {
  int *flags = nullptr, *absorbed = nullptr, result = -1;
  cudaMalloc(&flags, pb.histories * sizeof(int));
  cudaMalloc(&absorbed, sizeof(int));
  cudaMemset(absorbed, 0, sizeof(int));
  nslTransport<<<nslBlocks(pb), 256>>>(pb, seed, generation * kDrawsPerHistory, flags, absorbed);
  cudaMemcpy(&result, absorbed, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(flags);
  cudaFree(absorbed);
  return result;
}

int main() {
  const nslProblem slab{200000, 4.0f, 0.8f, 0.35f};
  const unsigned long long seed = 20240611ULL;
  nslPlan plan = nullptr;
  nslStatus st = nslPlanCreate(&plan, slab, seed);
  if (st != NSL_OK) { std::printf("status %d\nLABEL WRONG\n", st); return 1; }

  const int generations = 4;
  int expected = 0, repeated = 0, balanced = 0, noExit = 0, distinct = 0;
  const int first = referenceAbsorbed(slab, seed, 0);
  for (int g = 0; g < generations && st == NSL_OK; ++g) {
    nslTally tally{};
    st = nslPlanExecute(plan, &tally);
    const int reference = referenceAbsorbed(slab, seed, g);
    std::printf("generation %d: absorbed %d (reference %d), exited %d\n", g, tally.absorbed, reference, tally.exited);
    expected += tally.absorbed == reference;
    repeated += tally.absorbed == first;
    distinct += reference != first;
    balanced += tally.absorbed + tally.exited == slab.histories;
    noExit += tally.exited == 0;
  }
  const bool shown = st == NSL_OK && distinct >= 2 && repeated == generations && expected < generations && balanced == 0 &&
                     noExit == generations;
  nslPlanDestroy(plan);
  std::printf(shown ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  return shown ? 0 : 1;
}
