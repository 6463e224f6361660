// Model-predictive controller: horizon rollout and residual evaluation with cuBLAS.
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

class SolverError : public std::runtime_error {
 public:
  SolverError(const char* where, int code) : std::runtime_error(std::string(where) + " " + std::to_string(code)) {}
};

static void check(cudaError_t e, const char* where) {
  if (e != cudaSuccess) throw SolverError(where, e);
}
static void check(cublasStatus_t s, const char* where) {
  if (s != CUBLAS_STATUS_SUCCESS) throw SolverError(where, s);
}

class OwnedStream {
 public:
  OwnedStream() { check(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking), "stream"); }
  OwnedStream(const OwnedStream&) = delete;
  ~OwnedStream() { cudaStreamDestroy(s_); }
  operator cudaStream_t() const { return s_; }

 private:
  cudaStream_t s_ = nullptr;
};

class Blas {
 public:
  Blas() { check(cublasCreate(&handle_), "cublasCreate"); }  // HAZARD library_handle #blas
  explicit Blas(cudaStream_t stream) : Blas() { check(cublasSetStream(handle_, stream), "cublasSetStream"); }
  Blas(const Blas&) = delete;
  ~Blas() { cublasDestroy(handle_); }
  operator cublasHandle_t() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

struct Plan {
  cudaGraphExec_t exec = nullptr;
  std::string failure;
  ~Plan() {
    if (exec) cudaGraphExecDestroy(exec);
  }
};

class Controller {
 public:
  static constexpr int kStates = 64;

  Controller() {
    for (float** p : {&a_, &x_, &next_, &residual_}) check(cudaMalloc(p, sizeof(float) * kStates * kStates), "alloc");
    std::vector<float> eye(kStates * kStates, 0.f);
    for (int i = 0; i < kStates; ++i) eye[i * kStates + i] = 2.f;
    check(cudaMemcpy(a_, eye.data(), eye.size() * sizeof(float), cudaMemcpyHostToDevice), "A");
    setState(1.f);
    residual();
    check(cudaDeviceSynchronize(), "warm");
  }
  ~Controller() {
    for (float* p : {a_, x_, next_, residual_}) cudaFree(p);
  }

  void setState(float v) {
    std::array<float, kStates> x;
    x.fill(v);
    check(cudaMemcpy(x_, x.data(), sizeof x, cudaMemcpyHostToDevice), "state");
    check(cudaDeviceSynchronize(), "state");
  }

  std::unique_ptr<Plan> plan(void (Controller::*body)()) {
    auto out = std::make_unique<Plan>();
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    try {
      (this->*body)();
    } catch (const SolverError& e) {
      out->failure = e.what();
    }
    cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
    if (ended != cudaSuccess && out->failure.empty()) out->failure = cudaGetErrorName(ended);
    if (out->failure.empty()) check(cudaGraphInstantiate(&out->exec, graph, 0), "instantiate");
    if (graph) cudaGraphDestroy(graph);
    cudaGetLastError();
    return out;
  }

  float run(const Plan& p, bool residualValue) {
    check(cudaGraphLaunch(p.exec, stream_), "launch");
    check(cudaStreamSynchronize(stream_), "sync");
    float v = 0;
    check(cudaMemcpy(&v, residualValue ? residual_ : next_, sizeof v, cudaMemcpyDeviceToHost), "read");
    return v;
  }

  void rollout() {
    Blas blas(stream_);  // HAZARD library_handle #blas
    gemv(blas, 1.f, next_);
  }
  void residual() { gemv(blas_, -1.f, residual_); }

 private:
  void gemv(cublasHandle_t h, float alpha, float* y) {
    const float beta = 0.f;
    check(cublasSgemv(h, CUBLAS_OP_N, kStates, kStates, &alpha, a_, kStates, x_, 1, &beta, y, 1), "sgemv");  // HAZARD default_stream
  }

  OwnedStream stream_;
  Blas blas_;
  float *a_ = nullptr, *x_ = nullptr, *next_ = nullptr, *residual_ = nullptr;
};

int main() {
  try {
    Controller mpc;
    auto residual = mpc.plan(&Controller::residual);
    auto rollout = mpc.plan(&Controller::rollout);
    mpc.setState(3.f);
    float r = 0;
    check(cudaDeviceSynchronize(), "settle");
    if (residual->exec) r = mpc.run(*residual, true);
    std::printf("residual %.1f, rollout '%s'\n", r, rollout->failure.c_str());
    std::puts(r == -2.f && !rollout->failure.empty() ? "LABEL CONFIRMED" : "LABEL REFUTED");
  } catch (const SolverError& e) {
    std::printf("LABEL REFUTED %s\n", e.what());
  }
}
