// warmup_trainer: momentum SGD on a linear regressor, the training step is a graph after one eager warm-up step.
// The learning rate follows a linear warm-up and cosine decay and is read by the update from device memory.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace mlrt {

constexpr int kDim = 32, kBatch = 64, kBatches = 6, kSteps = 48;
constexpr float kMomentum = 0.8f;

static void Ensure(cudaError_t e, const char* where) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(where) + ": " + cudaGetErrorString(e));
}

struct HyperParams {
  float lr;
  float momentum;
};

class WarmupCosine {
 public:
  WarmupCosine(float peak, int warmup, int total) : peak_(peak), warmup_(warmup), total_(total) {}
  float At(int step) const {
    if (step < warmup_) return peak_ * (step + 1) / warmup_;
    return 0.5f * peak_ * (1.f + std::cos(3.14159265f * (step - warmup_) / (total_ - warmup_)));
  }
  void Step(HyperParams* hp) { hp->lr = At(step_++); }

 private:
  float peak_;
  int warmup_, total_, step_ = 0;
};

class DataLoader {
 public:
  DataLoader(const std::vector<float>& x, const std::vector<float>& y) {
    Ensure(cudaMalloc(&x_, x.size() * sizeof(float)), "loader x");
    Ensure(cudaMalloc(&y_, y.size() * sizeof(float)), "loader y");
    Ensure(cudaMemcpy(x_, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice), "upload x");
    Ensure(cudaMemcpy(y_, y.data(), y.size() * sizeof(float), cudaMemcpyHostToDevice), "upload y");
    Ensure(cudaDeviceSynchronize(), "upload");
  }
  ~DataLoader() {
    cudaFree(x_);
    cudaFree(y_);
  }
  void Next() { cursor_ = (cursor_ + 1) % kBatches; }
  const float* x() const { return x_ + cursor_ * kBatch * kDim; }
  const float* y() const { return y_ + cursor_ * kBatch; }

 private:
  float *x_ = nullptr, *y_ = nullptr;
  int cursor_ = 0;
};

__global__ void Residual(const float* x, const float* y, const float* w, float* r) {
  int row = threadIdx.x;
  float sum = -y[row];
  for (int j = 0; j < kDim; ++j) sum += x[row * kDim + j] * w[j];
  r[row] = sum;
}

__global__ void Gradient(const float* x, const float* r, float* g) {
  int j = threadIdx.x;
  float sum = 0.f;
  for (int row = 0; row < kBatch; ++row) sum += x[row * kDim + j] * r[row];
  g[j] = sum / kBatch;
}

__global__ void SgdUpdate(float* w, float* v, const float* g, const HyperParams* hp) {
  int j = threadIdx.x;
  v[j] = hp->momentum * v[j] + g[j];
  w[j] -= hp->lr * v[j];
}

class Trainer {
 public:
  Trainer(DataLoader& loader, WarmupCosine schedule) : loader_(loader), schedule_(schedule) {
    Ensure(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    for (float** p : {&w_, &v_, &g_}) {
      Ensure(cudaMalloc(p, kDim * sizeof(float)), "parameter");
      Ensure(cudaMemsetAsync(*p, 0, kDim * sizeof(float), stream_), "zero");
    }
    Ensure(cudaMalloc(&r_, kBatch * sizeof(float)), "residual");
    Ensure(cudaMalloc(&d_hp_, sizeof(HyperParams)), "hyper");
    Ensure(cudaMallocHost(&hp_, sizeof(HyperParams)), "hyper host");
    hp_->momentum = kMomentum;
  }
  ~Trainer() {
    if (exec_) cudaGraphExecDestroy(exec_);
    for (float* p : {w_, v_, g_, r_}) cudaFree(p);
    cudaFree(d_hp_);
    cudaFreeHost(hp_);
    cudaStreamDestroy(stream_);
  }

  void Train(int steps) {
    for (int s = 0; s < steps; ++s) {
      if (s == 0) {
        Body();  // eager warm-up
        Ensure(cudaGetLastError(), "warm-up");
      } else {
        if (!exec_) Record();
        Ensure(cudaGraphLaunch(exec_, stream_), "launch");
      }
      Ensure(cudaStreamSynchronize(stream_), "step");
      loader_.Next();
    }
  }

  std::vector<float> Weights() {
    std::vector<float> w(kDim);
    Ensure(cudaMemcpyAsync(w.data(), w_, kDim * sizeof(float), cudaMemcpyDeviceToHost, stream_), "weights");
    Ensure(cudaStreamSynchronize(stream_), "weights");
    return w;
  }

 private:
  void Body() {
    schedule_.Step(hp_); // HAZARD host_logic
    cudaMemcpyAsync(d_hp_, hp_, sizeof(HyperParams), cudaMemcpyHostToDevice, stream_);
    Residual<<<1, kBatch, 0, stream_>>>(loader_.x(), loader_.y(), w_, r_); // HAZARD frozen #batch
    Gradient<<<1, kDim, 0, stream_>>>(loader_.x(), r_, g_); // HAZARD frozen #batch
    SgdUpdate<<<1, kDim, 0, stream_>>>(w_, v_, g_, d_hp_);
  }

  void Record() {
    cudaGraph_t graph = nullptr;
    Ensure(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin capture");
    Body();
    Ensure(cudaStreamEndCapture(stream_, &graph), "end capture");
    Ensure(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    Ensure(cudaGraphDestroy(graph), "destroy");
  }

  DataLoader& loader_;
  WarmupCosine schedule_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *w_ = nullptr, *v_ = nullptr, *g_ = nullptr, *r_ = nullptr;
  HyperParams *d_hp_ = nullptr, *hp_ = nullptr;  // hp_ is pinned
};

static std::vector<float> ReferenceWeights(const std::vector<float>& x, const std::vector<float>& y,
                                           const WarmupCosine& schedule) {
  std::vector<float> w(kDim), v(kDim), r(kBatch);
  for (int s = 0; s < kSteps; ++s) {
    const float* bx = &x[(s % kBatches) * kBatch * kDim];
    const float* by = &y[(s % kBatches) * kBatch];
    for (int row = 0; row < kBatch; ++row) {
      r[row] = -by[row];
      for (int j = 0; j < kDim; ++j) r[row] += bx[row * kDim + j] * w[j];
    }
    for (int j = 0; j < kDim; ++j) {
      float g = 0.f;
      for (int row = 0; row < kBatch; ++row) g += bx[row * kDim + j] * r[row];
      v[j] = kMomentum * v[j] + g / kBatch;
      w[j] -= schedule.At(s) * v[j];
    }
  }
  return w;
}

}  // namespace mlrt

int main() {
  using namespace mlrt;
  unsigned state = 12345;
  auto uniform = [&state] { state = state * 1664525u + 1013904223u; return (state >> 8) / 8388608.f - 1.f; };
  std::vector<float> x(kBatches * kBatch * kDim), y(kBatches * kBatch);
  for (float& v : x) v = uniform();
  for (size_t row = 0; row < y.size(); ++row) {
    y[row] = 0.3f * uniform();
    for (int j = 0; j < kDim; ++j) y[row] += x[row * kDim + j] * (0.2f * j - 2.f);
  }
  WarmupCosine schedule(0.3f, 8, kSteps);
  bool same = false;
  try {
    DataLoader loader(x, y);
    Trainer trainer(loader, schedule);
    trainer.Train(kSteps);
    std::vector<float> got = trainer.Weights(), want = ReferenceWeights(x, y, schedule);
    float worst = 0.f;
    for (int j = 0; j < kDim; ++j) worst = std::fmax(worst, std::fabs(got[j] - want[j]));
    std::printf("largest difference to the reference weights %.2e\n", worst);
    same = worst < 2e-3f;
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
  }
  std::puts(same ? "LABEL UNOBSERVED" : "LABEL CONFIRMED");
  return 0;
}
