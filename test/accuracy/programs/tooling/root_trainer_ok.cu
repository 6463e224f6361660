#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#define C10_LIKE_CHECK(call)                                                                  \
  do {                                                                                        \
    cudaError_t err__ = (call);                                                               \
    if (err__ != cudaSuccess) throw std::runtime_error(std::string(#call) + " " + cudaGetErrorName(err__)); \
  } while (0)

struct CudaGraph {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaStream_t stream = nullptr;
  void capture_begin(cudaStream_t s, cudaStreamCaptureMode mode) {
    stream = s;
    C10_LIKE_CHECK(cudaStreamBeginCapture(stream, mode));
  }
  void capture_end() {
    C10_LIKE_CHECK(cudaStreamEndCapture(stream, &graph));
    C10_LIKE_CHECK(cudaGraphInstantiate(&exec, graph, 0));
  }
  void replay() { C10_LIKE_CHECK(cudaGraphLaunch(exec, stream)); }
  ~CudaGraph() {
    if (exec) cudaGraphExecDestroy(exec);
    if (graph) cudaGraphDestroy(graph);
  }
};

struct WarmupDecay {
  double base, factor;
  double at(int epoch) const { return base * std::pow(factor, epoch); }
};

__global__ void k_grad(const float* w, const float* target, float* g, int n) {
  int i = threadIdx.x;
  if (i < n) g[i] = w[i] - target[i];
}

__global__ void k_tick(int* step) { ++*step; }

__global__ void k_update(float* w, float* m, const float* g, int n, const float* lr_p, float beta, const int* step) {
  int i = threadIdx.x;
  const float lr = *lr_p, correction = 1.f - powf(beta, float(*step));
  if (i >= n) return;
  m[i] = beta * m[i] + (1.f - beta) * g[i];
  w[i] -= lr * m[i] / correction;
}

class MomentumTrainer {
 public:
  MomentumTrainer(int n, float beta) : n_(n), beta_(beta) {
    C10_LIKE_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (float** p : {&w_, &m_, &g_, &target_}) C10_LIKE_CHECK(cudaMalloc(p, n * sizeof(float)));
    C10_LIKE_CHECK(cudaMalloc(&step_dev_, sizeof(int)));
    C10_LIKE_CHECK(cudaMalloc(&lr_dev_, sizeof(float)));
    float t[32];
    for (int i = 0; i < n; ++i) t[i] = 1.f + i;
    C10_LIKE_CHECK(cudaMemcpy(target_, t, n * sizeof(float), cudaMemcpyHostToDevice));
    reset_state();
  }
  ~MomentumTrainer() {
    graph_.reset();
    for (float* p : {w_, m_, g_, target_}) cudaFree(p);
    cudaFree(step_dev_);
    cudaFree(lr_dev_);
    cudaStreamDestroy(stream_);
  }
  void set_lr(float lr) {
    lr_ = lr;
    C10_LIKE_CHECK(cudaMemcpyAsync(lr_dev_, &lr_, sizeof lr_, cudaMemcpyHostToDevice, stream_));
    C10_LIKE_CHECK(cudaStreamSynchronize(stream_));
  }
  void compile(int warmups) {
    auto body = [this] { step_body(); };
    for (int i = 0; i < warmups; ++i) body();
    C10_LIKE_CHECK(cudaStreamSynchronize(stream_));
    reset_state();
    graph_ = std::make_unique<CudaGraph>();
    graph_->capture_begin(stream_, cudaStreamCaptureModeGlobal);
    body();
    graph_->capture_end();
  }
  void train_step() {
    graph_->replay();
    ++step_;
  }
  float weight(int i) {
    float v = 0.f;
    C10_LIKE_CHECK(cudaMemcpyAsync(&v, w_ + i, sizeof v, cudaMemcpyDeviceToHost, stream_));
    C10_LIKE_CHECK(cudaStreamSynchronize(stream_));
    return v;
  }
  int steps() const { return step_; }

 private:
  void reset_state() {
    C10_LIKE_CHECK(cudaMemset(w_, 0, n_ * sizeof(float)));
    C10_LIKE_CHECK(cudaMemset(m_, 0, n_ * sizeof(float)));
    C10_LIKE_CHECK(cudaMemset(step_dev_, 0, sizeof(int)));
    C10_LIKE_CHECK(cudaDeviceSynchronize());
    step_ = 0;
  }
  void step_body() {
    k_grad<<<1, 32, 0, stream_>>>(w_, target_, g_, n_);
    k_tick<<<1, 1, 0, stream_>>>(step_dev_);
    k_update<<<1, 32, 0, stream_>>>(w_, m_, g_, n_, lr_dev_, beta_, step_dev_);
  }

  int n_;
  float beta_, lr_ = 0.f;
  int step_ = 0;
  cudaStream_t stream_ = nullptr;
  float *w_ = nullptr, *m_ = nullptr, *g_ = nullptr, *target_ = nullptr;
  float* lr_dev_ = nullptr;
  int* step_dev_ = nullptr;
  std::unique_ptr<CudaGraph> graph_;
};

int main() {
  try {
    const float beta = 0.9f;
    WarmupDecay sched{0.5, 0.5};
    MomentumTrainer tr(16, beta);
    tr.set_lr(float(sched.at(0)));
    tr.compile(3);
    float w = 0.f, m = 0.f;
    for (int e = 0; e < 4; ++e) {
      const float lr = float(sched.at(e));
      tr.set_lr(lr);
      tr.train_step();
      m = beta * m + (1.f - beta) * (w - 4.f);
      w -= lr * m / (1.f - std::pow(beta, float(e + 1)));
    }
    const float got = tr.weight(3);
    const bool same = std::fabs(got - w) < 1e-3f;
    const bool ok = same && tr.steps() == 4;
    std::printf("LABEL %s (got %g, want %g, steps %d)\n", ok ? "CONFIRMED" : "REFUTED", got, w, tr.steps());
  } catch (const std::exception& e) {
    std::printf("LABEL REFUTED %s\n", e.what());
  }
  return 0;
}
