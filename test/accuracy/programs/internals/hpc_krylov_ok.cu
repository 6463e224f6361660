#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define OK_OR_RETURN(x)                   \
  do {                                    \
    cudaError_t rc_ = (x);                \
    if (rc_ != cudaSuccess) return rc_;   \
  } while (0)

constexpr int N = 256;

__global__ void relax(float* x, const float* b, const float* diag) {
  int i = threadIdx.x;
  x[i] += 0.5f * (b[i] - diag[i] * x[i]) / diag[i];
}
__global__ void residual_norm(const float* x, const float* b, const float* diag, float* out) {
  __shared__ float part[N];
  int i = threadIdx.x;
  part[i] = fabsf(b[i] - diag[i] * x[i]);
  __syncthreads();
  for (int w = N / 2; w > 0; w /= 2) {
    if (i < w) part[i] = fmaxf(part[i], part[i + w]);
    __syncthreads();
  }
  if (i == 0) *out = part[0];
}
__global__ void products(const float* x, const float* y, float* tmp) { tmp[threadIdx.x] = x[threadIdx.x] * y[threadIdx.x]; }
__global__ void accumulate(const float* tmp, float* out) {
  float s = 0;
  for (int i = 0; i < N; ++i) s += tmp[i];
  *out = s;
}
__global__ void orthogonalize(float* basis, int columns) {
  for (int c = 1; c < columns; ++c) basis[c * N + threadIdx.x] -= basis[(c - 1) * N + threadIdx.x];
}

class ConvergenceMonitor {
 public:
  ConvergenceMonitor(float tol, int limit) : tol_(tol), limit_(limit) {}
  void observe(float residual) {
    history_.push_back(residual);
    converged_ = residual < tol_;
  }
  bool done(int iterations) const { return converged_ || iterations >= limit_; }
  bool converged() const { return converged_; }
  const std::vector<float>& history() const { return history_; }

 private:
  float tol_;
  int limit_;
  bool converged_ = false;
  std::vector<float> history_;
};

class Krylov {
 public:
  explicit Krylov(ConvergenceMonitor& monitor) : monitor_(monitor) {}
  ~Krylov() {
    for (cudaGraphExec_t e : {sweep_, dot_, restart_})
      if (e) cudaGraphExecDestroy(e);
    cudaFree(x_), cudaFree(b_), cudaFree(diag_), cudaFree(scalars_), cudaFree(basis_);
    cudaFreeHost(residual_);
    cudaStreamDestroy(stream_);
  }
  cudaError_t setup() {
    std::vector<float> b(N, 8.0f), d(N, 2.0f);
    OK_OR_RETURN(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (float** p : {&x_, &b_, &diag_, &scalars_}) OK_OR_RETURN(cudaMalloc(p, N * sizeof(float)));
    OK_OR_RETURN(cudaMalloc(&basis_, kMaxBasis * N * sizeof(float)));
    OK_OR_RETURN(cudaMallocHost(&residual_, sizeof(float)));
    *residual_ = 1e30f;
    OK_OR_RETURN(cudaMemsetAsync(x_, 0, N * sizeof(float), stream_));
    OK_OR_RETURN(cudaMemsetAsync(basis_, 0, kMaxBasis * N * sizeof(float), stream_));
    OK_OR_RETURN(cudaMemcpyAsync(b_, b.data(), N * sizeof(float), cudaMemcpyHostToDevice, stream_));
    OK_OR_RETURN(cudaMemcpyAsync(diag_, d.data(), N * sizeof(float), cudaMemcpyHostToDevice, stream_));
    return cudaStreamSynchronize(stream_);
  }
  cudaError_t record_sweep() {
    OK_OR_RETURN(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    relax<<<1, N, 0, stream_>>>(x_, b_, diag_);
    residual_norm<<<1, N, 0, stream_>>>(x_, b_, diag_, scalars_);
    cudaMemcpyAsync(residual_, scalars_, sizeof(float), cudaMemcpyDeviceToHost, stream_);
    return finish(&sweep_);
  }
  cudaError_t record_dot() {
    float* tmp = nullptr;
    OK_OR_RETURN(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    cudaMallocAsync(&tmp, N * sizeof(float), stream_);
    products<<<1, N, 0, stream_>>>(x_, x_, tmp);
    accumulate<<<1, 1, 0, stream_>>>(tmp, scalars_ + 1);
    cudaFreeAsync(tmp, stream_);
    return finish(&dot_);
  }
  cudaError_t record_restart(int columns) {
    if (columns > kMaxBasis) return cudaErrorInvalidValue;
    OK_OR_RETURN(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    orthogonalize<<<1, N, 0, stream_>>>(basis_, columns);
    return finish(&restart_);
  }
  int solve() {
    int it = 0;
    while (!monitor_.done(it)) {
      if (cudaGraphLaunch(sweep_, stream_) != cudaSuccess) return -1;
      if (cudaStreamSynchronize(stream_) != cudaSuccess) return -1;
      monitor_.observe(*residual_);
      ++it;
    }
    return it;
  }
  cudaError_t dot(float* value) {
    OK_OR_RETURN(cudaGraphLaunch(dot_, stream_));
    OK_OR_RETURN(cudaMemcpyAsync(value, scalars_ + 1, sizeof(float), cudaMemcpyDeviceToHost, stream_));
    return cudaStreamSynchronize(stream_);
  }
  cudaStream_t stream() const { return stream_; }

 private:
  static constexpr int kMaxBasis = 8;
  cudaError_t finish(cudaGraphExec_t* exec) {
    cudaGraph_t graph = nullptr;
    OK_OR_RETURN(cudaStreamEndCapture(stream_, &graph));
    cudaError_t rc = cudaGraphInstantiate(exec, graph, 0);
    cudaGraphDestroy(graph);
    return rc;
  }
  ConvergenceMonitor& monitor_;
  cudaStream_t stream_ = nullptr;
  float *x_ = nullptr, *b_ = nullptr, *diag_ = nullptr, *scalars_ = nullptr, *basis_ = nullptr, *residual_ = nullptr;
  cudaGraphExec_t sweep_ = nullptr, dot_ = nullptr, restart_ = nullptr;
};

int main() {
  ConvergenceMonitor monitor(1e-3f, 40);
  Krylov solver(monitor);
  cudaError_t setup = solver.setup(), sweep = solver.record_sweep();
  int iterations = solver.solve();
  float d1 = 0, d2 = 0;
  cudaError_t rec = solver.record_dot(), dot1 = solver.dot(&d1), dot2 = solver.dot(&d2);
  cudaGetLastError();
  cudaError_t restart = solver.record_restart(12);
  cudaStreamCaptureStatus st = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(solver.stream(), &st);
  bool ready = setup == cudaSuccess && sweep == cudaSuccess && rec == cudaSuccess && dot1 == cudaSuccess;
  bool dots = std::fabs(d1 - 4096.0f) < 5.0f && d1 == d2 && dot2 == cudaSuccess;
  bool solved = iterations < 40 && monitor.converged() && int(monitor.history().size()) == iterations;
  bool closed = restart == cudaErrorInvalidValue && st == cudaStreamCaptureStatusNone && solver.record_restart(4) == cudaSuccess;
  if (ready && dots && solved && closed) std::printf("LABEL CONFIRMED\n");
  else std::printf("LABEL REFUTED ready %d it %d dots %f %f rc %d %d closed %d\n", ready, iterations, d1, d2, int(dot1), int(dot2), closed);
  return 0;
}
