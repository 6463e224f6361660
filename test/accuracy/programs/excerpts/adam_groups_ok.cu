// adam_groups: Adam with parameter groups and a warm-up/cosine learning-rate schedule.
// The update of all groups is recorded once; groups run side by side on a small stream pool.
#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace optim {

class CudaCategory : public std::error_category {
 public:
  const char* name() const noexcept override { return "cuda"; }
  std::string message(int code) const override { return cudaGetErrorString(static_cast<cudaError_t>(code)); }
};
inline const std::error_category& cuda_category() {
  static const CudaCategory category;
  return category;
}
inline void expect(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::system_error(static_cast<int>(e), cuda_category(), what);
}

class Stream {
 public:
  Stream() { expect(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking), "stream"); }
  Stream(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(s_); }
  operator cudaStream_t() const { return s_; }
 private:
  cudaStream_t s_ = nullptr;
};

class Event {
 public:
  Event() { expect(cudaEventCreateWithFlags(&e_, cudaEventDisableTiming), "event"); }
  Event(const Event&) = delete;
  ~Event() { cudaEventDestroy(e_); }
  void record(cudaStream_t s) { expect(cudaEventRecord(e_, s), "event record"); }
  void block(cudaStream_t s, unsigned flags = 0) { expect(cudaStreamWaitEvent(s, e_, flags), "stream wait"); }
 private:
  cudaEvent_t e_ = nullptr;
};

// Closes the capture on every way out; take() hands over the graph.
class Recording {
 public:
  explicit Recording(cudaStream_t s) : s_(s) { expect(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal), "begin recording"); }
  Recording(const Recording&) = delete;
  ~Recording() {
    if (open_) cudaStreamEndCapture(s_, &graph_);
    if (graph_) cudaGraphDestroy(graph_);
  }
  cudaGraph_t take() {
    open_ = false;
    expect(cudaStreamEndCapture(s_, &graph_), "end recording");
    return graph_;
  }
 private:
  cudaStream_t s_;
  cudaGraph_t graph_ = nullptr;
  bool open_ = true;
};

struct Hyper {
  float lr, weight_decay, bias1, bias2;
};

constexpr float kBeta1 = 0.9f, kBeta2 = 0.999f, kEps = 1e-8f;

__host__ __device__ inline void adam_update(float& w, float g, float& m, float& v, const Hyper& h) {
  m = kBeta1 * m + (1.f - kBeta1) * g;
  v = kBeta2 * v + (1.f - kBeta2) * g * g;
  w -= h.lr * ((m / h.bias1) / (sqrtf(v / h.bias2) + kEps) + h.weight_decay * w);
}

__host__ __device__ inline float target(int group, int i) { return 5.f + group + 0.01f * i; }

__global__ void adam_kernel(float* w, const float* g, float* m, float* v, const Hyper* hyper, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) adam_update(w[i], g[i], m[i], v[i], *hyper);
}

__global__ void backward_kernel(const float* w, float* g, int group, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) g[i] = w[i] - target(group, i);
}

struct ParamGroup {
  int size;
  float base_lr, weight_decay;
  float *w = nullptr, *g = nullptr, *m = nullptr, *v = nullptr;
  ParamGroup(int n, float lr, float wd) : size(n), base_lr(lr), weight_decay(wd) {
    for (float** p : {&w, &g, &m, &v}) {
      expect(cudaMalloc(p, n * sizeof(float)), "parameters");
      expect(cudaMemset(*p, 0, n * sizeof(float)), "parameters");
    }
  }
  ParamGroup(const ParamGroup&) = delete;
  ~ParamGroup() {
    for (float* p : {w, g, m, v}) cudaFree(p);
  }
};

constexpr int kGroups = 3;
using Groups = std::array<std::unique_ptr<ParamGroup>, kGroups>;

Hyper scheduled(float base_lr, float weight_decay, int step, int total) {
  const int warmup = 5;
  const float lr = step <= warmup ? base_lr * step / warmup
                                  : 0.5f * base_lr * (1.f + std::cos(3.14159265f * (step - warmup) / (total - warmup)));
  return {lr, weight_decay, 1.f - std::pow(kBeta1, float(step)), 1.f - std::pow(kBeta2, float(step))};
}

class Adam {
 public:
  Adam(Groups& groups, Event& grads_ready, int total_steps) : groups_(groups), grads_ready_(grads_ready), total_(total_steps) {
    expect(cudaMallocHost(&h_hyper_, kGroups * sizeof(Hyper)), "hyper-parameters");
    expect(cudaMalloc(&d_hyper_, kGroups * sizeof(Hyper)), "hyper-parameters");
  }
  ~Adam() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(d_hyper_);
    cudaFreeHost(h_hyper_);
  }

  void step() {
    ++step_;
    for (int k = 0; k < kGroups; ++k) h_hyper_[k] = scheduled(groups_[k]->base_lr, groups_[k]->weight_decay, step_, total_);
    if (!exec_) record();
    expect(cudaGraphLaunch(exec_, main_), "optimizer step");
    expect(cudaStreamSynchronize(main_), "optimizer step");
  }

 private:
  void record() {
    Recording recording(main_);
    expect(cudaMemcpyAsync(d_hyper_, h_hyper_, kGroups * sizeof(Hyper), cudaMemcpyHostToDevice, main_), "hyper-parameters");
    // The backward pass is not part of the graph: a wait node for whatever it recorded last.
    grads_ready_.block(main_, cudaEventWaitExternal);
    fork_.record(main_);
    for (int k = 0; k < kGroups; ++k) {
      ParamGroup& p = *groups_[k];
      fork_.block(pool_[k]);
      adam_kernel<<<(p.size + 127) / 128, 128, 0, pool_[k]>>>(p.w, p.g, p.m, p.v, d_hyper_ + k, p.size);
      done_[k].record(pool_[k]);
    }
    for (Event& d : done_) d.block(main_);
    expect(cudaGraphInstantiate(&exec_, recording.take(), 0), "instantiate");
  }

  Groups& groups_;
  Event& grads_ready_;
  const int total_;
  int step_ = 0;
  Hyper *h_hyper_ = nullptr, *d_hyper_ = nullptr;
  Stream main_;
  std::array<Stream, kGroups> pool_;
  Event fork_;
  std::array<Event, kGroups> done_;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace optim

int main() {
  using namespace optim;
  const int total_steps = 25;
  const int sizes[kGroups] = {1000, 257, 64};
  const float lrs[kGroups] = {0.1f, 0.05f, 0.2f}, decay[kGroups] = {0.01f, 0.f, 0.02f};
  int wrong = 0, error = 0, steps = 0;
  try {
    Groups groups;
    for (int k = 0; k < kGroups; ++k) groups[k] = std::make_unique<ParamGroup>(sizes[k], lrs[k], decay[k]);
    expect(cudaDeviceSynchronize(), "setup");
    Stream backward;
    Event grads_ready;
    Adam adam(groups, grads_ready, total_steps);
    for (; steps < total_steps; ++steps) {
      for (int k = 0; k < kGroups; ++k)
        backward_kernel<<<(sizes[k] + 127) / 128, 128, 0, backward>>>(groups[k]->w, groups[k]->g, k, sizes[k]);
      expect(cudaGetLastError(), "backward");
      grads_ready.record(backward);
      adam.step();
    }
    for (int k = 0; k < kGroups; ++k) {
      std::vector<float> got(sizes[k]);
      expect(cudaMemcpy(got.data(), groups[k]->w, sizes[k] * sizeof(float), cudaMemcpyDeviceToHost), "download");
      for (int i = 0; i < sizes[k]; ++i) {
        float w = 0.f, m = 0.f, v = 0.f;
        for (int s = 1; s <= total_steps; ++s) adam_update(w, w - target(k, i), m, v, scheduled(lrs[k], decay[k], s, total_steps));
        wrong += std::fabs(w - got[i]) > 2e-3f;
      }
    }
  } catch (const std::system_error& e) {
    std::fprintf(stderr, "adam_groups: %s\n", e.what());
    error = e.code().value();
  }
  std::printf("steps %d, wrong parameters %d, error %d\n", steps, wrong, error);
  std::puts(error == 0 && wrong == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
