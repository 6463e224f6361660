// Checkerboard relaxation of several integer lattices (one per coupling).
// Usage: edit the configuration below, the program thermalises and then samples.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

struct Config {
  int sites = 4096;
  int replicas = 4;
  int sweeps_per_launch = 3;
  int thermal_launches = 5;
  int sample_launches = 4;
  bool measure = false;
  unsigned mask = 0xffffu;
} g_cfg;

static void finish(bool good)
{
  std::printf(good ? "LABEL CONFIRMED\n" : "LABEL WRONG\n");
  std::exit(good ? 0 : 1);
}

#define CU(x)                                                            \
  do {                                                                   \
    cudaError_t e_ = (x);                                                \
    if (e_ != cudaSuccess) {                                             \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
      finish(false);                                                     \
    }                                                                    \
  } while (0)

__host__ __device__ inline unsigned relax(const unsigned *x, int i, int n, unsigned coupling, unsigned mask)
{
  unsigned left = x[(i + n - 1) % n], right = x[(i + 1) % n];
  return (x[i] * 3u + coupling * (left + right) + 1u) & mask;
}

__global__ void sweep_parity(unsigned *x, int n, int parity, unsigned coupling, unsigned mask)
{
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + parity;
  if (i < n)
    x[i] = relax(x, i, n, coupling, mask);
}

__global__ void measure_sum(const unsigned *x, int n, unsigned long long *obs)
{
  __shared__ unsigned long long part;
  if (threadIdx.x == 0)
    part = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&part, (unsigned long long)x[i]);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(obs, part);
}

__global__ void collect(const unsigned long long *obs, int n, unsigned long long *trace)
{
  unsigned long long s = 0;
  for (int r = 0; r < n; ++r)
    s += obs[r] * (r + 1);
  *trace = s;
}

struct Context {
  unsigned coupling = 0;
  cudaStream_t stream = nullptr, probe = nullptr;
  cudaEvent_t done = nullptr, swept = nullptr;
  unsigned *x = nullptr;
  unsigned long long *obs = nullptr;
  std::vector<unsigned> host;
};

struct Lattices {
  std::vector<Context> ctx;
  cudaStream_t main = nullptr;
  cudaEvent_t fork = nullptr;
  unsigned long long *obs = nullptr, *trace = nullptr;
};

static void setup(Lattices &l)
{
  CU(cudaStreamCreateWithFlags(&l.main, cudaStreamNonBlocking));
  CU(cudaEventCreateWithFlags(&l.fork, cudaEventDisableTiming));
  CU(cudaMalloc(&l.obs, g_cfg.replicas * sizeof(unsigned long long)));
  CU(cudaMalloc(&l.trace, sizeof(unsigned long long)));
  CU(cudaMemset(l.obs, 0, g_cfg.replicas * sizeof(unsigned long long)));
  CU(cudaMemset(l.trace, 0, sizeof(unsigned long long)));
  l.ctx.resize(g_cfg.replicas);
  for (int r = 0; r < g_cfg.replicas; ++r) {
    Context &c = l.ctx[r];
    c.coupling = 5u + 2u * r;
    c.obs = l.obs + r;
    c.host.resize(g_cfg.sites);
    for (int i = 0; i < g_cfg.sites; ++i)
      c.host[i] = (unsigned)(i * 2654435761u + r * 97u) & g_cfg.mask;
    CU(cudaStreamCreateWithFlags(&c.stream, cudaStreamNonBlocking));
    CU(cudaStreamCreateWithFlags(&c.probe, cudaStreamNonBlocking));
    CU(cudaEventCreateWithFlags(&c.done, cudaEventDisableTiming));
    CU(cudaEventCreateWithFlags(&c.swept, cudaEventDisableTiming));
    CU(cudaMalloc(&c.x, g_cfg.sites * sizeof(unsigned)));
    CU(cudaMemcpy(c.x, c.host.data(), g_cfg.sites * sizeof(unsigned), cudaMemcpyHostToDevice));
  }
  CU(cudaDeviceSynchronize());
}

// Builds the graph of one launch for the current configuration. The status of
// the end of the capture is handed to the caller.
static cudaError_t build(Lattices &l, cudaGraphExec_t *exec)
{
  const int threads = 128;
  const int half = (g_cfg.sites / 2 + threads - 1) / threads;
  const int full = (g_cfg.sites + threads - 1) / threads;

  auto each = [&](const std::function<void(Context &)> &f) {
    for (Context &c : l.ctx)
      f(c);
  };
  auto fork = [&] {
    CU(cudaEventRecord(l.fork, l.main));
    each([&](Context &c) { CU(cudaStreamWaitEvent(c.stream, l.fork, 0)); });
  };
  auto join = [&] {
    each([&](Context &c) { CU(cudaStreamWaitEvent(l.main, c.done, 0)); });
  };
  auto sweeps = [&](Context &c) {
    for (int s = 0; s < g_cfg.sweeps_per_launch; ++s)
      for (int parity = 0; parity < 2; ++parity)
        sweep_parity<<<half, threads, 0, c.stream>>>(c.x, g_cfg.sites, parity, c.coupling, g_cfg.mask);
    CU(cudaEventRecord(c.swept, c.stream));
    CU(cudaEventRecord(c.done, c.stream));
  };
  auto observe = [&](Context &c) {
    if (!g_cfg.measure)
      return;
    CU(cudaStreamWaitEvent(c.probe, c.swept, 0));
    measure_sum<<<full, threads, 0, c.probe>>>(c.x, g_cfg.sites, c.obs);
    CU(cudaEventRecord(c.swept, c.probe));
    CU(cudaStreamWaitEvent(c.stream, c.swept, 0));
    CU(cudaEventRecord(c.done, c.stream));
  };

  cudaGraph_t graph = nullptr;
  CU(cudaStreamBeginCapture(l.main, cudaStreamCaptureModeThreadLocal));
  if (g_cfg.measure)
    CU(cudaMemsetAsync(l.obs, 0, g_cfg.replicas * sizeof(unsigned long long), l.main));
  fork();
  each(sweeps);
  each(observe);
  join();
  if (g_cfg.measure)
    collect<<<1, 1, 0, l.main>>>(l.obs, g_cfg.replicas, l.trace);
  CU(cudaGetLastError());
  cudaError_t status = cudaStreamEndCapture(l.main, &graph);
  if (status != cudaSuccess)
    return status;

  if (*exec)
    CU(cudaGraphExecDestroy(*exec));
  CU(cudaGraphInstantiate(exec, graph, 0));
  CU(cudaGraphDestroy(graph));
  return cudaSuccess;
}

static void host_launch(Lattices &l)
{
  for (Context &c : l.ctx)
    for (int s = 0; s < g_cfg.sweeps_per_launch; ++s)
      for (int parity = 0; parity < 2; ++parity)
        for (int i = parity; i < g_cfg.sites; i += 2)
          c.host[i] = relax(c.host.data(), i, g_cfg.sites, c.coupling, g_cfg.mask);
}

static bool lattices_match(Lattices &l)
{
  std::vector<unsigned> x(g_cfg.sites);
  for (Context &c : l.ctx) {
    CU(cudaMemcpy(x.data(), c.x, g_cfg.sites * sizeof(unsigned), cudaMemcpyDeviceToHost));
    if (x != c.host)
      return false;
  }
  return true;
}

static unsigned long long host_trace(const Lattices &l)
{
  unsigned long long s = 0;
  for (size_t r = 0; r < l.ctx.size(); ++r) {
    unsigned long long m = 0;
    for (unsigned v : l.ctx[r].host)
      m += v;
    s += m * (r + 1);
  }
  return s;
}

int main()
{
  Lattices l;
  cudaGraphExec_t exec = nullptr;
  setup(l);

  auto launch = [&] {
    CU(cudaGraphLaunch(exec, l.main));
    CU(cudaStreamSynchronize(l.main));
    host_launch(l);
  };

  // thermalisation
  CU(build(l, &exec));
  bool thermal_ok = true;
  for (int k = 0; k < g_cfg.thermal_launches; ++k) {
    launch();
    thermal_ok = thermal_ok && lattices_match(l);
  }
  std::printf("thermalised: %s\n", thermal_ok ? "ok" : "differs");

  // sampling
  g_cfg.measure = true;
  cudaError_t status = build(l, &exec);
  std::printf("sampling graph: %s\n", cudaGetErrorName(status));
  if (status != cudaSuccess)
    finish(false);

  int good = 0;
  for (int k = 0; k < g_cfg.sample_launches; ++k) {
    unsigned long long trace = 0;
    launch();
    CU(cudaMemcpy(&trace, l.trace, sizeof(trace), cudaMemcpyDeviceToHost));
    good += lattices_match(l) && trace == host_trace(l);
  }
  std::printf("samples: %d of %d\n", good, g_cfg.sample_launches);
  finish(thermal_ok && good == g_cfg.sample_launches);
}
