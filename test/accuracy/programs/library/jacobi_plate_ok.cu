// Jacobi relaxation of a heated plate, sweeps are batched into a graph and stopped by tolerance.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

constexpr int NX = 64;
constexpr int CELLS = NX * NX;
constexpr double TOL = 1e-3;
constexpr int MAX_SWEEPS = 20000;
constexpr int SWEEPS_PER_BATCH = 20;

__global__ void jacobi_sweep(const double* u, double* v) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int c = y * NX + x;
  if (x == 0 || y == 0 || x == NX - 1 || y == NX - 1)
    v[c] = u[c];
  else
    v[c] = 0.25 * (u[c - 1] + u[c + 1] + u[c - NX] + u[c + NX]);
}

__global__ void max_change(const double* u, const double* v, double* out) {
  __shared__ double m[256];
  double local = 0;
  for (int i = threadIdx.x; i < CELLS; i += 256) local = fmax(local, fabs(u[i] - v[i]));
  m[threadIdx.x] = local;
  __syncthreads();
  for (int h = 128; h > 0; h /= 2) {
    if (static_cast<int>(threadIdx.x) < h) m[threadIdx.x] = fmax(m[threadIdx.x], m[threadIdx.x + h]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = m[0];
}

struct Plate {
  double* u = nullptr;
  double* v = nullptr;
  double* d_change = nullptr;
  double* h_change = nullptr;  // pinned
  cudaStream_t stream = nullptr;
  cudaGraphExec_t exec = nullptr;
  int sweeps = 0;

  cudaError_t init() {
    std::vector<double> start(CELLS, 0.0);
    for (int x = 0; x < NX; ++x) start[x] = 1.0;
    cudaError_t e;
    if ((e = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)) != cudaSuccess) return e;
    if ((e = cudaMalloc(&u, CELLS * sizeof(double))) != cudaSuccess) return e;
    if ((e = cudaMalloc(&v, CELLS * sizeof(double))) != cudaSuccess) return e;
    if ((e = cudaMalloc(&d_change, sizeof(double))) != cudaSuccess) return e;
    if ((e = cudaMallocHost(&h_change, sizeof(double))) != cudaSuccess) return e;
    *h_change = HUGE_VAL;
    if ((e = cudaMemcpy(u, start.data(), CELLS * sizeof(double), cudaMemcpyHostToDevice)) != cudaSuccess) return e;
    if ((e = cudaMemcpy(v, start.data(), CELLS * sizeof(double), cudaMemcpyHostToDevice)) != cudaSuccess) return e;
    return cudaDeviceSynchronize();
  }
  ~Plate() {
    if (exec) cudaGraphExecDestroy(exec);
    cudaFree(u);
    cudaFree(v);
    cudaFree(d_change);
    cudaFreeHost(h_change);
    if (stream) cudaStreamDestroy(stream);
  }

  cudaError_t sweep_pair() {
    const dim3 block(16, 16), grid(NX / 16, NX / 16);
    jacobi_sweep<<<grid, block, 0, stream>>>(u, v);
    jacobi_sweep<<<grid, block, 0, stream>>>(v, u);
    return cudaGetLastError();
  }

  cudaError_t measure() {
    max_change<<<1, 256, 0, stream>>>(u, v, d_change);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) return e;
    e = cudaMemcpyAsync(h_change, d_change, sizeof(double), cudaMemcpyDeviceToHost, stream);
    return e;
  }

  cudaError_t batch() {
    for (int k = 0; k < SWEEPS_PER_BATCH; k += 2)
      if (const cudaError_t e = sweep_pair(); e != cudaSuccess) return e;
    return measure();
  }

  cudaError_t compile() {
    cudaGraph_t g = nullptr;
    cudaError_t e = cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    if (e != cudaSuccess) return e;
    const cudaError_t work = batch();
    e = cudaStreamEndCapture(stream, &g);
    if (work == cudaSuccess && e == cudaSuccess) e = cudaGraphInstantiate(&exec, g, 0);
    if (g) cudaGraphDestroy(g);
    return work != cudaSuccess ? work : e;
  }

  cudaError_t solve() {
    cudaError_t e = exec ? cudaSuccess : compile();
    while (e == cudaSuccess && *h_change > TOL && sweeps < MAX_SWEEPS) {
      e = cudaGraphLaunch(exec, stream);
      if (e == cudaSuccess) e = cudaStreamSynchronize(stream);
      sweeps += SWEEPS_PER_BATCH;
    }
    return e;
  }
};

static double host_change_after(int sweeps) {
  std::vector<double> a(CELLS, 0.0), b;
  for (int x = 0; x < NX; ++x) a[x] = 1.0;
  b = a;
  double change = 0;
  for (int s = 0; s < sweeps; ++s) {
    change = 0;
    for (int y = 1; y < NX - 1; ++y)
      for (int x = 1; x < NX - 1; ++x) {
        const int c = y * NX + x;
        b[c] = 0.25 * (a[c - 1] + a[c + 1] + a[c - NX] + a[c + NX]);
        change = std::fmax(change, std::fabs(b[c] - a[c]));
      }
    a.swap(b);
  }
  return change;
}

int main() {
  Plate plate;
  if (plate.init() != cudaSuccess) return 2;
  const cudaError_t rc = plate.solve();
  std::printf("%d sweeps, change %.3e, %s\n", plate.sweeps, *plate.h_change, cudaGetErrorString(rc));
  const double host = host_change_after(plate.sweeps);
  const bool right = rc == cudaSuccess && plate.sweeps > SWEEPS_PER_BATCH && std::fabs(host - *plate.h_change) < 1e-9;
  std::puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
