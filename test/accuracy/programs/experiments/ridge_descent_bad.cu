// link: -lcublas
// Gradient descent for linear least squares with a step-decay schedule.
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

static void check(cudaError_t e, const char* w) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(w) + ": " + cudaGetErrorString(e));
}
static void check(cublasStatus_t e, const char* w) {
  if (e != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(std::string(w) + ": cublas " + std::to_string(int(e)));
}

struct Problem {
  int rows, cols;
  std::vector<float> X, y;  // X is column major
};

class DescentTrainer {
 public:
  using Schedule = std::function<float(int)>;

  DescentTrainer(const Problem& p, Schedule sched) : rows_(p.rows), cols_(p.cols), schedule_(std::move(sched)) {
    check(cudaStreamCreate(&stream_), "stream");
    check(cublasCreate(&blas_), "create");
    check(cublasSetStream(blas_, stream_), "set stream");
    check(cudaMalloc(&X_, p.X.size() * sizeof(float)), "X");
    check(cudaMalloc(&y_, rows_ * sizeof(float)), "y");
    check(cudaMalloc(&r_, rows_ * sizeof(float)), "r");
    check(cudaMalloc(&g_, cols_ * sizeof(float)), "g");
    check(cudaMalloc(&w_, cols_ * sizeof(float)), "w");
    check(cudaMemcpy(X_, p.X.data(), p.X.size() * sizeof(float), cudaMemcpyHostToDevice), "X up");
    check(cudaMemcpy(y_, p.y.data(), rows_ * sizeof(float), cudaMemcpyHostToDevice), "y up");
    begin_epoch(0);
    // one throw-away iteration so that cuBLAS loads its kernels
    check(cudaMemset(w_, 0, cols_ * sizeof(float)), "w0");
    check(cudaDeviceSynchronize(), "upload");
    iterate();
    check(cudaStreamSynchronize(stream_), "warm up");
    check(cudaMemsetAsync(w_, 0, cols_ * sizeof(float), stream_), "w1");
    check(cudaStreamSynchronize(stream_), "reset");
  }
  ~DescentTrainer() {
    if (exec_) cudaGraphExecDestroy(exec_);
    for (float* p : {X_, y_, r_, g_, w_}) cudaFree(p);
    cublasDestroy(blas_);
    cudaStreamDestroy(stream_);
  }

  void compile() {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "begin");
    try {
      iterate();
    } catch (...) {
      cudaStreamEndCapture(stream_, &graph);
      throw;
    }
    check(cudaStreamEndCapture(stream_, &graph), "end");
    check(cudaGraphInstantiateWithFlags(&exec_, graph, 0), "instantiate");
    check(cudaGraphDestroy(graph), "destroy");
  }

  void begin_epoch(int epoch) {
    const float lr = schedule_(epoch);
    neg_lr_ = -lr;  // HAZARD frozen #rate
  }

  std::vector<float> fit(int epochs, int iters) {
    for (int e = 0; e < epochs; ++e) {
      begin_epoch(e);
      for (int i = 0; i < iters; ++i) check(cudaGraphLaunch(exec_, stream_), "launch");
    }
    check(cudaStreamSynchronize(stream_), "fit");
    std::vector<float> w(cols_);
    check(cudaMemcpy(w.data(), w_, cols_ * sizeof(float), cudaMemcpyDeviceToHost), "w");
    return w;
  }

 private:
  void iterate() {
    const float one = 1.f, minus = -1.f, zero = 0.f, inv = 1.f / rows_;
    check(cudaMemcpyAsync(r_, y_, rows_ * sizeof(float), cudaMemcpyDeviceToDevice, stream_), "copy");
    check(cublasSgemv(blas_, CUBLAS_OP_N, rows_, cols_, &one, X_, rows_, w_, 1, &minus, r_, 1), "Xw-y");
    check(cublasSgemv(blas_, CUBLAS_OP_T, rows_, cols_, &inv, X_, rows_, r_, 1, &zero, g_, 1), "grad");
    check(cublasSaxpy(blas_, cols_, &neg_lr_, g_, 1, w_, 1), "update");  // HAZARD frozen #rate
  }

  int rows_, cols_;
  Schedule schedule_;
  float neg_lr_ = 0.f;
  cudaStream_t stream_ = nullptr;
  cublasHandle_t blas_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *X_ = nullptr, *y_ = nullptr, *r_ = nullptr, *g_ = nullptr, *w_ = nullptr;
};

static std::vector<float> reference(const Problem& p, int epochs, int iters, const std::function<float(int)>& lr) {
  std::vector<double> w(p.cols, 0.0);
  for (int e = 0; e < epochs; ++e)
    for (int it = 0; it < iters; ++it) {
      std::vector<double> g(p.cols, 0.0);
      for (int r = 0; r < p.rows; ++r) {
        double d = -p.y[r];
        for (int c = 0; c < p.cols; ++c) d += double(p.X[c * p.rows + r]) * w[c];
        for (int c = 0; c < p.cols; ++c) g[c] += p.X[c * p.rows + r] * d / p.rows;
      }
      for (int c = 0; c < p.cols; ++c) w[c] -= lr(e) * g[c];
    }
  return {w.begin(), w.end()};
}

static float distance(const std::vector<float>& a, const std::vector<float>& b) {
  float m = 0;
  for (size_t i = 0; i < a.size(); ++i) m = std::fmax(m, std::fabs(a[i] - b[i]));
  return m;
}

int main() try {
  Problem p{64, 6, {}, {}};
  p.X.resize(p.rows * p.cols);
  p.y.resize(p.rows);
  for (size_t i = 0; i < p.X.size(); ++i) p.X[i] = std::sin(1.7f * i + 0.3f);
  for (int r = 0; r < p.rows; ++r) p.y[r] = 2.f * p.X[r] - p.X[p.rows + r] + 0.5f;
  auto decay = [](int epoch) { return 0.2f * std::pow(0.1f, float(epoch)); };

  DescentTrainer t(p, decay);
  t.compile();
  auto w = t.fit(3, 4);
  float scheduled = distance(w, reference(p, 3, 4, decay));
  float constant = distance(w, reference(p, 3, 4, [&](int) { return decay(0); }));
  if (scheduled > 1e-2f && constant < 1e-3f) { std::printf("LABEL CONFIRMED\n"); return 0; }
  std::printf("scheduled %g constant %g\nLABEL UNOBSERVED\n", scheduled, constant);
  return 1;
} catch (const std::exception& e) {
  std::printf("%s\nLABEL UNOBSERVED\n", e.what());
  return 1;
}
