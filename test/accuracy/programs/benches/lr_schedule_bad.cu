// SGD trainer: learning rate schedule evaluated per iteration, weight decay chosen by data statistics.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#define CKE(x)                                                                              \
  do {                                                                                      \
    cudaError_t k_ = (x);                                                                   \
    if (k_ != cudaSuccess) {                                                                \
      std::printf("line %d: %s\nLABEL UNOBSERVED\n", __LINE__, cudaGetErrorString(k_));     \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

__global__ void grad(const float* w, float* g, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) g[i] = w[i] - 1.f;
}
__global__ void sgd(float* w, const float* g, int n, float lr) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) w[i] -= lr * g[i];
}
__global__ void shrink(float* w, int n, float k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) w[i] *= k;
}

struct Recipe {
  std::string name;
  float lr;
  int warmup;
};

class Trainer {
 public:
  Trainer(const Recipe& r, int n) : recipe_(r), n_(n) {
    CKE(cudaStreamCreate(&stream_));
    CKE(cudaMalloc(&w_, n * sizeof(float)));
    CKE(cudaMalloc(&g_, n * sizeof(float)));
    std::vector<float> init(n, 5.f);
    CKE(cudaMemcpy(w_, init.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  }
  Trainer(const Trainer&) = delete;
  virtual ~Trainer() {
    for (cudaGraphExec_t e : execs_) cudaGraphExecDestroy(e);
    cudaFree(w_);
    cudaFree(g_);
    cudaStreamDestroy(stream_);
  }

  void enqueue_step() {
    grad<<<(n_ + 127) / 128, 128, 0, stream_>>>(w_, g_, n_);
    sgd<<<(n_ + 127) / 128, 128, 0, stream_>>>(w_, g_, n_, recipe_.lr);
    if (iter_ >= recipe_.warmup) {  // HAZARD host_logic
      shrink<<<(n_ + 127) / 128, 128, 0, stream_>>>(w_, n_, 0.99f);
    }
    CKE(cudaGetLastError());
  }

  virtual void iteration() = 0;

  void fit(int iters) {
    for (int i = 0; i < iters; ++i) {
      iteration();
      ++iter_;
    }
    CKE(cudaStreamSynchronize(stream_));
  }
  float weight() const {
    float v = 0;
    CKE(cudaMemcpy(&v, w_ + n_ / 2, sizeof(float), cudaMemcpyDeviceToHost));
    return v;
  }
  const Recipe& recipe() const { return recipe_; }

 protected:
  cudaGraphExec_t record() {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ex = nullptr;
    CKE(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    enqueue_step();
    CKE(cudaStreamEndCapture(stream_, &graph));
    CKE(cudaGraphInstantiate(&ex, graph, 0));
    CKE(cudaGraphDestroy(graph));
    execs_.push_back(ex);
    return ex;
  }
  Recipe recipe_;
  int n_;
  int iter_ = 0;
  cudaStream_t stream_ = nullptr;
  float *w_ = nullptr, *g_ = nullptr;
  std::vector<cudaGraphExec_t> execs_;
};

class EagerTrainer final : public Trainer {
 public:
  using Trainer::Trainer;
  void iteration() override { enqueue_step(); }
};

class GraphTrainer final : public Trainer {
 public:
  using Trainer::Trainer;
  void iteration() override {
    if (!current_) current_ = record();
    CKE(cudaGraphLaunch(current_, stream_));
  }

 private:
  cudaGraphExec_t current_ = nullptr;
};

static float expected(const Recipe& r, int iters) {
  float w = 5.f;
  for (int i = 0; i < iters; ++i) {
    w -= r.lr * (w - 1.f);
    if (i >= r.warmup) w *= 0.99f;
  }
  return w;
}

int main() {
  const std::vector<Recipe> recipes = {{"no warmup", 0.05f, 0}, {"short", 0.05f, 5}, {"long", 0.02f, 15}, {"hot", 0.2f, 10}};
  const int iters = 30, n = 1000;
  int eager_bad = 0, flat_bad = 0, warm_bad = 0;
  auto close = [](float a, float b) { return std::fabs(a - b) < 1e-3f; };
  auto run_pair = [&](const Recipe& r) {
    std::vector<std::unique_ptr<Trainer>> arms;
    arms.push_back(std::make_unique<EagerTrainer>(r, n));
    arms.push_back(std::make_unique<GraphTrainer>(r, n));
    for (auto& t : arms) t->fit(iters);
    const float want = expected(r, iters);
    std::printf("%-10s want %.4f eager %.4f graph %.4f\n", r.name.c_str(), want, arms[0]->weight(), arms[1]->weight());
    if (!close(arms[0]->weight(), want)) ++eager_bad;
    if (!close(arms[1]->weight(), want)) (r.warmup ? warm_bad : flat_bad)++;
  };
  for (int repeat = 0; repeat < 2; ++repeat)
    for (const Recipe& r : recipes) run_pair(r);
  if (eager_bad == 0 && flat_bad == 0 && warm_bad == 6) {
    std::printf("LABEL CONFIRMED\n");
    return 0;
  }
  std::printf("eager %d flat %d warm %d\nLABEL UNOBSERVED\n", eager_bad, flat_bad, warm_bad);
  return 1;
}
