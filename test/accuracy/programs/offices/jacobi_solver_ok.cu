// 1-D Laplace problem by Jacobi relaxation; views and an executor in the manner of a performance portability layer.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define HPC_CALL(call)                                                                        \
  do {                                                                                        \
    cudaError_t status_ = (call);                                                             \
    if (status_ != cudaSuccess) {                                                             \
      std::printf("%s:%d %s\nLABEL UNOBSERVED\n", __FILE__, __LINE__, cudaGetErrorName(status_)); \
      std::exit(0);                                                                           \
    }                                                                                         \
  } while (0)

namespace hpc {

// Non-owning view, cheap to copy into functors.
template <class T>
struct View {
  T* ptr = nullptr;
  int extent = 0;
  __host__ __device__ T& operator()(int i) const { return ptr[i]; }
};

template <class T>
View<T> make_view(int n) {
  View<T> v;
  v.extent = n;
  HPC_CALL(cudaMalloc(&v.ptr, n * sizeof(T)));
  return v;
}

template <class F>
__global__ void for_kernel(F f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

template <class F>
__global__ void max_kernel(F f, int n, double* out) {
  __shared__ double best[128];
  double m = 0.0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) m = fmax(m, f(i));
  best[threadIdx.x] = m;
  __syncthreads();
  for (int w = 64; w > 0; w >>= 1) {
    if (threadIdx.x < w) best[threadIdx.x] = fmax(best[threadIdx.x], best[threadIdx.x + w]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = best[0];
}

class Executor {
 public:
  Executor() { HPC_CALL(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Executor() { cudaStreamDestroy(stream_); }
  template <class F>
  void parallel_for(int n, F f) const {
    for_kernel<<<(n + 127) / 128, 128, 0, stream_>>>(f, n);
    HPC_CALL(cudaGetLastError());
  }
  template <class F>
  void reduce_max(int n, F f, double* out) const {
    max_kernel<<<1, 128, 0, stream_>>>(f, n, out);
    HPC_CALL(cudaGetLastError());
  }
  void fence() const { HPC_CALL(cudaStreamSynchronize(stream_)); }
  cudaStream_t stream() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

struct InitBoundary {
  View<double> u;
  __device__ void operator()(int i) const { u(i) = i == u.extent - 1 ? 1.0 : 0.0; }
};
struct Sweep {
  View<double> in, out;
  __device__ void operator()(int i) const {
    bool edge = i == 0 || i == in.extent - 1;
    out(i) = edge ? in(i) : 0.5 * (in(i - 1) + in(i + 1));
  }
};
struct AbsDiff {
  View<double> a, b;
  __device__ double operator()(int i) const { return fabs(a(i) - b(i)); }
};

class JacobiSolver {
 public:
  JacobiSolver(const Executor& ex, int n, double tol) : ex_(ex), tol_(tol), u_(make_view<double>(n)), v_(make_view<double>(n)), res_(make_view<double>(1)) {
    HPC_CALL(cudaMallocHost(&res_host_, sizeof(double)));
    *res_host_ = 1e30;
    ex_.parallel_for(n, InitBoundary{u_});
    ex_.parallel_for(n, InitBoundary{v_});
    ex_.fence();
  }
  ~JacobiSolver() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(u_.ptr);
    cudaFree(v_.ptr);
    cudaFree(res_.ptr);
    cudaFreeHost(res_host_);
  }

  // One relaxation step with its residual; current() names the newest iterate.
  void step() {
    ex_.parallel_for(u_.extent, Sweep{u_, v_});
    ex_.reduce_max(u_.extent, AbsDiff{u_, v_}, res_.ptr);
    HPC_CALL(cudaMemcpyAsync(res_host_, res_.ptr, sizeof(double), cudaMemcpyDeviceToHost, ex_.stream()));
    std::swap(u_, v_);
  }

  void record() {
    cudaGraph_t graph;
    HPC_CALL(cudaStreamBeginCapture(ex_.stream(), cudaStreamCaptureModeGlobal));
    step();
    step();  // an even number: the views have their old roles again
    HPC_CALL(cudaStreamEndCapture(ex_.stream(), &graph));
    HPC_CALL(cudaGraphInstantiate(&exec_, graph, 0));
    HPC_CALL(cudaGraphDestroy(graph));
  }

  int solve(int max_replays) {
    int k = 0;
    while (!converged_ && k < max_replays) {
      HPC_CALL(cudaGraphLaunch(exec_, ex_.stream()));
      ex_.fence();
      if (*res_host_ < tol_) converged_ = true;
      ++k;
    }
    return k;
  }
  bool converged() const { return converged_; }
  View<double> current() const { return u_; }

 private:
  const Executor& ex_;
  double tol_;
  View<double> u_, v_, res_;
  double* res_host_ = nullptr;
  bool converged_ = false;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace hpc

int main() {
  constexpr int kN = 32, kMaxReplays = 8000;
  hpc::Executor ex;
  hpc::JacobiSolver solver(ex, kN, 1e-8);
  solver.record();
  int replays = solver.solve(kMaxReplays);

  std::vector<double> u(kN);
  HPC_CALL(cudaMemcpy(u.data(), solver.current().ptr, kN * sizeof(double), cudaMemcpyDeviceToHost));
  double err = 0.0;
  for (int i = 0; i < kN; ++i) err = std::fmax(err, std::fabs(u[i] - double(i) / (kN - 1)));
  std::printf("%d replays, converged %d, error %.3e\n", replays, int(solver.converged()), err);
  bool solved = solver.converged() && err < 1e-4;
  std::puts(solved ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
