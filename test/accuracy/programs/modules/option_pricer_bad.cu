// option_pricer: Monte Carlo price of a European call. Every batch draws fresh normals; the plain
// and the antithetic paths of a batch run side by side on two streams of the same graph.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace pricer {

constexpr int kPaths = 1 << 18;
constexpr int kLanes = 256;
constexpr int kBatches = 5;
constexpr double kPi = 3.14159265358979323846;

struct Contract {
  double spot, strike, drift, vol, discount;
};

inline void must(cudaError_t e, const char* what) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "pricer: %s: %s\n", what, cudaGetErrorString(e));
  std::puts("LABEL UNOBSERVED");
  std::exit(1);
}

__host__ __device__ inline double uniform(uint64_t seed, uint64_t i) {
  uint64_t z = seed * 0xD1342543DE82EF95ull + (i + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  return ((z >> 11) + 0.5) / 9007199254740992.0;
}

__host__ __device__ inline double normal(uint64_t seed, uint64_t i) {
  return sqrt(-2.0 * log(uniform(seed, 2 * i))) * cos(2.0 * kPi * uniform(seed, 2 * i + 1));
}

__host__ __device__ inline double payoff(const Contract& c, double z) {
  const double s = c.spot * exp(c.drift + c.vol * z);
  return s > c.strike ? c.discount * (s - c.strike) : 0.0;
}

__global__ void draw_normals(double* z, uint64_t seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kPaths) z[i] = normal(seed, i);
}

// Adds one leg to the running sums; every lane owns one slot of `sums`.
__global__ void run_leg(Contract c, const double* z, double sign, double* sums) {
  const int lane = threadIdx.x;
  double mine = sums[lane];
  for (int i = lane; i < kPaths; i += kLanes) mine += payoff(c, sign * z[i]);
  sums[lane] = mine;
}

__global__ void close_batch(const double* sums, double* total) {
  double t = 0.0;
  for (int i = 0; i < kLanes; ++i) t += sums[i];
  *total = t;
}

struct Workspace {
  double* z = nullptr;
  double* sums = nullptr;
  double* total = nullptr;
  cudaStream_t main = nullptr, side = nullptr;
  cudaEvent_t drawn = nullptr, anti_done = nullptr;
};

Workspace open_workspace() {
  Workspace w;
  must(cudaMalloc(&w.z, kPaths * sizeof(double)), "normals");
  must(cudaMalloc(&w.sums, kLanes * sizeof(double)), "sums");
  must(cudaMalloc(&w.total, sizeof(double)), "total");
  must(cudaMemset(w.sums, 0, kLanes * sizeof(double)), "clear");
  must(cudaStreamCreate(&w.main), "main stream");
  must(cudaStreamCreate(&w.side), "side stream");
  must(cudaEventCreateWithFlags(&w.drawn, cudaEventDisableTiming), "event");
  must(cudaEventCreateWithFlags(&w.anti_done, cudaEventDisableTiming), "event");
  return w;
}

void close_workspace(Workspace& w) {
  must(cudaFree(w.z), "free");
  must(cudaFree(w.sums), "free");
  must(cudaFree(w.total), "free");
  must(cudaEventDestroy(w.drawn), "event");
  must(cudaEventDestroy(w.anti_done), "event");
  must(cudaStreamDestroy(w.side), "side stream");
  must(cudaStreamDestroy(w.main), "main stream");
}

void enqueue_batch(const Workspace& w, const Contract& c, uint64_t seed) {
  draw_normals<<<kPaths / 256, 256, 0, w.main>>>(w.z, seed);  // HAZARD random #seed
  must(cudaEventRecord(w.drawn, w.main), "fork");
  must(cudaStreamWaitEvent(w.side, w.drawn, 0), "fork");
  run_leg<<<1, kLanes, 0, w.main>>>(c, w.z, +1.0, w.sums);  // HAZARD concurrent #sums
  run_leg<<<1, kLanes, 0, w.side>>>(c, w.z, -1.0, w.sums);  // HAZARD concurrent #sums
  must(cudaEventRecord(w.anti_done, w.side), "join");
  must(cudaStreamWaitEvent(w.main, w.anti_done, 0), "join");
  close_batch<<<1, 1, 0, w.main>>>(w.sums, w.total);
}

cudaGraphExec_t record_batch(const Workspace& w, const Contract& c, uint64_t seed) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  must(cudaStreamBeginCapture(w.main, cudaStreamCaptureModeGlobal), "begin");
  enqueue_batch(w, c, seed);
  must(cudaStreamEndCapture(w.main, &graph), "end");
  must(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
  must(cudaGraphDestroy(graph), "graph");
  return exec;
}

double reference_total(const Contract& c, uint64_t base_seed, int batches) {
  double t = 0.0;
  for (int b = 0; b < batches; ++b)
    for (int i = 0; i < kPaths; ++i) {
      const double z = normal(base_seed + b, i);
      t += payoff(c, z) + payoff(c, -z);
    }
  return t;
}

}  // namespace pricer

int main() {
  using namespace pricer;
  const uint64_t base_seed = 90210;
  const double rate = 0.03, sigma = 0.2, years = 1.0;
  const Contract call{100.0, 105.0, (rate - 0.5 * sigma * sigma) * years, sigma * std::sqrt(years), std::exp(-rate * years)};

  Workspace w = open_workspace();
  cudaGraphExec_t exec = nullptr;
  int wrong = 0;
  double expected = 0.0;
  for (int batch = 0; batch < kBatches; ++batch) {
    if (!exec) exec = record_batch(w, call, base_seed + batch);
    must(cudaGraphLaunch(exec, w.main), "launch");
    double total = 0.0;
    must(cudaMemcpyAsync(&total, w.total, sizeof total, cudaMemcpyDeviceToHost, w.main), "total");
    must(cudaStreamSynchronize(w.main), "batch");
    expected += reference_total(call, base_seed + batch, 1);
    const double paths = 2.0 * kPaths * (batch + 1);
    std::printf("batch %d: price %.6f (reference %.6f)\n", batch, total / paths, expected / paths);
    if (std::fabs(total - expected) > 1e-8 * expected) ++wrong;
  }
  must(cudaGraphExecDestroy(exec), "exec");
  close_workspace(w);
  std::puts(wrong > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
