// Heavy-ball minimisation of a badly conditioned least squares energy
//     E(x) = 1/2 sum d_i x_i^2 + 1/2 sum c (x_i - x_{i+1})^2 - sum b_i x_i
// with a periodic restart of the momentum. Prototype for the restart experiment.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    cudaError_t err__ = (call);                                                           \
    if (err__ != cudaSuccess) {                                                           \
      std::printf("%d: %s\nLABEL WRONG\n", __LINE__, cudaGetErrorString(err__));          \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (0)

static const int N = 2048;
static const int RESTART = 8;
static const int ITERS = 30;
static const double LR = 0.015;
static const double BETA = 0.92;
static const double COUPLING = 0.5;

static double *d_diag, *d_rhs, *d_x, *d_v, *d_g, *d_energy;
static int g_iter = 0;
static int g_restarts = 0;
static cudaStream_t g_s;

static std::vector<double> h_diag(N), h_rhs(N);

__global__ void gradient(const double* diag, const double* rhs, const double* x, double* g) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  double left = i > 0 ? x[i] - x[i - 1] : 0.0;
  double right = i + 1 < N ? x[i] - x[i + 1] : 0.0;
  g[i] = diag[i] * x[i] + COUPLING * (left + right) - rhs[i];
}

__global__ void clear_momentum(double* v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) v[i] = 0.0;
}

__global__ void step_kernel(double* x, double* v, const double* g) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  v[i] = BETA * v[i] - LR * g[i];
  x[i] += v[i];
}

__global__ void energy_kernel(const double* diag, const double* rhs, const double* x, double* out) {
  __shared__ double part[256];
  double acc = 0.0;
  for (int i = threadIdx.x; i < N; i += blockDim.x) {
    double next = i + 1 < N ? x[i] - x[i + 1] : 0.0;
    acc += 0.5 * diag[i] * x[i] * x[i] + 0.5 * COUPLING * next * next - rhs[i] * x[i];
  }
  part[threadIdx.x] = acc;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) {
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = part[0];
}

static int blocks() { return (N + 255) / 256; }

static void momentum_policy(cudaStream_t s) {
  if (g_iter % RESTART == 0) {  // HAZARD host_logic #restart
    clear_momentum<<<blocks(), 256, 0, s>>>(d_v);
    ++g_restarts;  // HAZARD host_logic #restart
  }
}

static void iterate(cudaStream_t s) {
  gradient<<<blocks(), 256, 0, s>>>(d_diag, d_rhs, d_x, d_g);
  momentum_policy(s);
  step_kernel<<<blocks(), 256, 0, s>>>(d_x, d_v, d_g);
  energy_kernel<<<1, 256, 0, s>>>(d_diag, d_rhs, d_x, d_energy);
  CHECK(cudaGetLastError());
  ++g_iter;  // HAZARD host_logic #restart
}

static cudaGraphExec_t capture_iteration() {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(g_s, cudaStreamCaptureModeGlobal));
  iterate(g_s);
  CHECK(cudaStreamEndCapture(g_s, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return exec;
}

// plain C++ copy of the method
struct Host {
  std::vector<double> x, v, g;
  int iter = 0;
  bool restarting;
  explicit Host(bool r) : x(N, 0.0), v(N, 0.0), g(N, 0.0), restarting(r) {}
  void iterate() {
    for (int i = 0; i < N; ++i) {
      double left = i > 0 ? x[i] - x[i - 1] : 0.0;
      double right = i + 1 < N ? x[i] - x[i + 1] : 0.0;
      g[i] = h_diag[i] * x[i] + COUPLING * (left + right) - h_rhs[i];
    }
    if (restarting && iter % RESTART == 0)
      for (double& e : v) e = 0.0;
    for (int i = 0; i < N; ++i) {
      v[i] = BETA * v[i] - LR * g[i];
      x[i] += v[i];
    }
    ++iter;
  }
};

static double distance(const Host& h, const std::vector<double>& x) {
  double worst = 0.0;
  for (int i = 0; i < N; ++i) worst = std::fmax(worst, std::fabs(h.x[i] - x[i]));
  return worst;
}

static double* upload(const std::vector<double>& h) {
  double* p;
  CHECK(cudaMalloc(&p, h.size() * sizeof(double)));
  CHECK(cudaMemcpy(p, h.data(), h.size() * sizeof(double), cudaMemcpyHostToDevice));
  return p;
}

int main() {
  for (int i = 0; i < N; ++i) {
    h_diag[i] = 0.2 + 40.0 * (i % 64) / 64.0;
    h_rhs[i] = 1.0 + 0.01 * (i % 100);
  }
  std::vector<double> zero(N, 0.0), one(1, 0.0), x(N);
  d_diag = upload(h_diag);
  d_rhs = upload(h_rhs);
  d_x = upload(zero);
  d_v = upload(zero);
  d_g = upload(zero);
  d_energy = upload(one);
  CHECK(cudaStreamCreate(&g_s));

  Host ref(true), plain(false);

  // first iteration eagerly, which also loads the kernels
  iterate(g_s);
  CHECK(cudaStreamSynchronize(g_s));
  ref.iterate();
  plain.iterate();

  cudaGraphExec_t exec = capture_iteration();

  bool early = true, late = true, explained = true;
  for (int it = 1; it < ITERS; ++it) {
    double energy = 0.0;
    CHECK(cudaGraphLaunch(exec, g_s));
    CHECK(cudaMemcpyAsync(&energy, d_energy, sizeof energy, cudaMemcpyDeviceToHost, g_s));
    CHECK(cudaMemcpyAsync(x.data(), d_x, N * sizeof(double), cudaMemcpyDeviceToHost, g_s));
    CHECK(cudaStreamSynchronize(g_s));
    ref.iterate();
    plain.iterate();
    bool same = distance(ref, x) < 1e-9;
    (it < RESTART ? early : late) &= same;
    explained &= distance(plain, x) < 1e-9;
    if (it % 5 == 0) std::printf("iter %3d  energy %.8f  err %.2e\n", it, energy, distance(ref, x));
  }
  std::printf("iterations %d restarts %d\n", g_iter, g_restarts);

  CHECK(cudaGraphExecDestroy(exec));
  for (double* p : {d_diag, d_rhs, d_x, d_v, d_g, d_energy}) CHECK(cudaFree(p));
  CHECK(cudaStreamDestroy(g_s));
  std::puts(early && !late && explained ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
}
