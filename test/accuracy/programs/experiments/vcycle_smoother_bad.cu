// Two-level Poisson solver. Smoothers keep their own recorded sweeps; the cycle is recorded as a whole.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#define RETURN_IF(x)                       \
  do {                                     \
    cudaError_t rc_ = (x);                 \
    if (rc_ != cudaSuccess) return rc_;    \
  } while (0)

// -u'' = f on n interior points, h = 1 / (n + 1)
__global__ void jacobi(const float* u, float* v, const float* f, int n, float h2, float omega) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float l = i ? u[i - 1] : 0.f, r = i + 1 < n ? u[i + 1] : 0.f;
  v[i] = u[i] + omega * (0.5f * (l + r + h2 * f[i]) - u[i]);
}
__global__ void restrict_residual(const float* u, const float* f, float* fc, float* uc, int nc, int n, float inv_h2) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= nc) return;
  auto res = [&](int i) {
    float l = i ? u[i - 1] : 0.f, r = i + 1 < n ? u[i + 1] : 0.f;
    return f[i] - (2.f * u[i] - l - r) * inv_h2;
  };
  int i = 2 * j + 1;
  fc[j] = 0.25f * (res(i - 1) + 2.f * res(i) + res(i + 1));
  uc[j] = 0.f;
}
__global__ void prolong_add(float* u, const float* uc, int n, int nc) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i & 1) u[i] += uc[i / 2];
  else u[i] += 0.5f * ((i / 2 > 0 ? uc[i / 2 - 1] : 0.f) + (i / 2 < nc ? uc[i / 2] : 0.f));
}

struct Level {
  int n;
  float h2;
  float *u = nullptr, *tmp = nullptr, *f = nullptr;
  explicit Level(int n_) : n(n_), h2(1.f / float((n_ + 1) * (n_ + 1))) {}
  ~Level() { cudaFree(u); cudaFree(tmp); cudaFree(f); }
  Level(const Level&) = delete;
  cudaError_t allocate() {
    for (float** p : {&u, &tmp, &f}) {
      RETURN_IF(cudaMalloc(p, n * sizeof(float)));
      RETURN_IF(cudaMemset(*p, 0, n * sizeof(float)));
    }
    return cudaDeviceSynchronize();
  }
};

class Smoother {
 public:
  Smoother(Level& l, int pairs) : l_(l), pairs_(pairs) {}
  ~Smoother() { if (exec_) cudaGraphExecDestroy(exec_); }
  Smoother(const Smoother&) = delete;

  cudaError_t apply(cudaStream_t s) {
    if (!exec_) RETURN_IF(record(s));
    return cudaGraphLaunch(exec_, s);
  }

 private:
  cudaError_t sweeps(cudaStream_t s) {
    const int g = (l_.n + 127) / 128;
    for (int k = 0; k < pairs_; ++k) {
      jacobi<<<g, 128, 0, s>>>(l_.u, l_.tmp, l_.f, l_.n, l_.h2, 0.8f);
      jacobi<<<g, 128, 0, s>>>(l_.tmp, l_.u, l_.f, l_.n, l_.h2, 0.8f);
    }
    return cudaGetLastError();
  }
  cudaError_t record(cudaStream_t s) {
    cudaGraph_t graph = nullptr;
    RETURN_IF(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));  // HAZARD scope
    cudaError_t body = sweeps(s);
    cudaError_t end = cudaStreamEndCapture(s, &graph);
    cudaError_t inst = cudaSuccess;
    if (body == cudaSuccess && end == cudaSuccess) inst = cudaGraphInstantiateWithFlags(&exec_, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    return body != cudaSuccess ? body : end != cudaSuccess ? end : inst;
  }

  Level& l_;
  int pairs_;
  cudaGraphExec_t exec_ = nullptr;
};

class TwoGrid {
 public:
  explicit TwoGrid(int nc) : fine_(2 * nc + 1), coarse_(nc), pre_(fine_, 2), post_(fine_, 2), bottom_(coarse_, 400) {}
  ~TwoGrid() {
    if (cycle_) cudaGraphExecDestroy(cycle_);
    if (stream_) cudaStreamDestroy(stream_);
  }

  cudaError_t setup(const std::vector<float>& f) {
    RETURN_IF(cudaStreamCreate(&stream_));
    RETURN_IF(fine_.allocate());
    RETURN_IF(coarse_.allocate());
    RETURN_IF(cudaMemcpy(fine_.f, f.data(), f.size() * sizeof(float), cudaMemcpyHostToDevice));
    return cudaDeviceSynchronize();
  }
  cudaError_t presmooth() {
    Smoother initial(fine_, 8);
    RETURN_IF(initial.apply(stream_));
    return cudaStreamSynchronize(stream_);
  }
  cudaError_t compile() {
    cudaGraph_t graph = nullptr;
    RETURN_IF(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    cudaError_t body = vcycle();
    cudaError_t end = cudaStreamEndCapture(stream_, &graph);
    cudaError_t inst = cudaSuccess;
    if (body == cudaSuccess && end == cudaSuccess) inst = cudaGraphInstantiateWithFlags(&cycle_, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    return body != cudaSuccess ? body : end != cudaSuccess ? end : inst;
  }
  cudaError_t solve(int cycles, std::vector<float>& u) {
    for (int i = 0; i < cycles; ++i) RETURN_IF(cudaGraphLaunch(cycle_, stream_));
    u.resize(fine_.n);
    RETURN_IF(cudaMemcpyAsync(u.data(), fine_.u, u.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_));
    return cudaStreamSynchronize(stream_);
  }

 private:
  cudaError_t vcycle() {
    const int nc = coarse_.n, n = fine_.n;
    RETURN_IF(pre_.apply(stream_));
    restrict_residual<<<(nc + 127) / 128, 128, 0, stream_>>>(fine_.u, fine_.f, coarse_.f, coarse_.u, nc, n, 1.f / fine_.h2);
    RETURN_IF(bottom_.apply(stream_));
    prolong_add<<<(n + 127) / 128, 128, 0, stream_>>>(fine_.u, coarse_.u, n, nc);
    return post_.apply(stream_);
  }

  cudaStream_t stream_ = nullptr;
  Level fine_, coarse_;
  Smoother pre_, post_, bottom_;
  cudaGraphExec_t cycle_ = nullptr;
};

int main() {
  const int nc = 31, n = 2 * nc + 1;
  const double pi = 3.14159265358979;
  std::vector<float> f(n), u;
  for (int i = 0; i < n; ++i) f[i] = float(pi * pi * std::sin(pi * (i + 1) / (n + 1)));
  TwoGrid solver(nc);
  cudaError_t setup = solver.setup(f);
  cudaError_t smooth = setup == cudaSuccess ? solver.presmooth() : setup;
  cudaError_t compile = smooth == cudaSuccess ? solver.compile() : smooth;
  std::printf("setup %s, smooth %s, compile %s\n", cudaGetErrorName(setup), cudaGetErrorName(smooth), cudaGetErrorName(compile));
  bool confirmed = setup == cudaSuccess && smooth == cudaSuccess && compile != cudaSuccess;
  if (compile == cudaSuccess) {
    cudaError_t solve = solver.solve(12, u);
    std::printf("solve %s\n", cudaGetErrorName(solve));
  }
  std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
  return confirmed ? 0 : 1;
}
