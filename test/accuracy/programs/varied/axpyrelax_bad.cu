// Damped Jacobi relaxation on top of cuBLAS; the damping follows the residual.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace relax {

struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};
inline void run(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw failure(std::string(what) + ": " + cudaGetErrorString(e));
}
inline void run(cublasStatus_t e, const char* what) {
  if (e != CUBLAS_STATUS_SUCCESS) throw failure(std::string(what) + ": " + cublasGetStatusString(e));
}

__global__ void residual(const float* b, const float* x, float* r, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) r[i] = b[i] - x[i];
}

class Damping {
 public:
  float omega() const { return omega_; }
  void adapt() { omega_ *= 0.5f; }

 private:
  float omega_ = 0.5f;
};

class Workspace {
 public:
  explicit Workspace(cublasHandle_t h) {
    run(cudaMalloc(&p_, kBytes), "workspace");
    run(cublasSetWorkspace(h, p_, kBytes), "set workspace");
  }
  ~Workspace() { cudaFree(p_); }

 private:
  static constexpr std::size_t kBytes = 32u << 20;
  void* p_ = nullptr;
};

class Solver {
 public:
  explicit Solver(int n) : n_(n) {
    run(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    run(cublasCreate(&blas_), "cublas");
    run(cublasSetStream(blas_, stream_), "cublas stream");
    workspace_ = std::make_unique<Workspace>(blas_);
    for (float** v : {&b_, &x_, &r_}) run(cudaMalloc(v, n * sizeof(float)), "vector");
    run(cudaMemset(x_, 0, n * sizeof(float)), "x");
    run(cudaDeviceSynchronize(), "setup");
  }
  ~Solver() {
    if (exec_) cudaGraphExecDestroy(exec_);
    for (float* v : {b_, x_, r_}) cudaFree(v);
    cublasDestroy(blas_);
    cudaStreamDestroy(stream_);
  }

  void rhs(const std::vector<float>& b) {
    run(cudaMemcpyAsync(b_, b.data(), n_ * sizeof(float), cudaMemcpyHostToDevice, stream_), "rhs");
    run(cudaStreamSynchronize(stream_), "rhs");
  }

  void sweep() {
    if (!exec_) record();
    run(cudaGraphLaunch(exec_, stream_), "sweep");
    damping_.adapt();
  }

  float x(int i) const {
    float v = 0.0f;
    run(cudaMemcpyAsync(&v, x_ + i, sizeof v, cudaMemcpyDeviceToHost, stream_), "x");
    run(cudaStreamSynchronize(stream_), "x");
    return v;
  }

 private:
  void record() {
    run(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    residual<<<(n_ + 127) / 128, 128, 0, stream_>>>(b_, x_, r_, n_);
    const float omega = damping_.omega();
    run(cublasSaxpy(blas_, n_, &omega, r_, 1, x_, 1), "axpy");  // HAZARD frozen #1
    cudaGraph_t graph = nullptr;
    run(cudaStreamEndCapture(stream_, &graph), "end");
    run(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    run(cudaGraphDestroy(graph), "destroy");
  }

  int n_;
  Damping damping_;
  cudaStream_t stream_ = nullptr;
  cublasHandle_t blas_ = nullptr;
  std::unique_ptr<Workspace> workspace_;
  cudaGraphExec_t exec_ = nullptr;
  float *b_ = nullptr, *x_ = nullptr, *r_ = nullptr;
};

}  // namespace relax

int main() {
  try {
    relax::Solver solver(1000);
    solver.rhs(std::vector<float>(1000, 8.0f));
    float want = 0.0f, omega = 0.5f;
    bool right = true;
    for (int k = 0; k < 4; ++k, omega *= 0.5f) {
      solver.sweep();
      want += omega * (8.0f - want);
      right = right && std::fabs(solver.x(321) - want) < 1e-4f;
    }
    std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::puts("LABEL REFUTED");
  }
  return 0;
}
