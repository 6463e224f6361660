// expert_router: top-1 mixture-of-experts layer. Every expert runs on its own stream; the layer forward is
// captured once and replayed on a static input buffer.
#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <vector>

#define MOE_CHECK(call)                                                                     \
  do {                                                                                      \
    cudaError_t status_ = (call);                                                           \
    if (status_ != cudaSuccess) {                                                           \
      std::ostringstream os_;                                                               \
      os_ << #call << " failed with " << cudaGetErrorName(status_) << " at line " << __LINE__; \
      throw std::runtime_error(os_.str());                                                  \
    }                                                                                       \
  } while (0)

constexpr int kTokens = 96;
constexpr int kDim = 32;
constexpr int kExperts = 4;

class StreamHandle {
 public:
  StreamHandle() { MOE_CHECK(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking)); }
  ~StreamHandle() { cudaStreamDestroy(s_); }
  StreamHandle(const StreamHandle&) = delete;
  operator cudaStream_t() const { return s_; }

 private:
  cudaStream_t s_ = nullptr;
};

class EventHandle {
 public:
  EventHandle() { MOE_CHECK(cudaEventCreateWithFlags(&e_, cudaEventDisableTiming)); }
  ~EventHandle() { cudaEventDestroy(e_); }
  EventHandle(const EventHandle&) = delete;
  operator cudaEvent_t() const { return e_; }

 private:
  cudaEvent_t e_ = nullptr;
};

template <typename T>
class Buffer {
 public:
  explicit Buffer(size_t n) : n_(n) { MOE_CHECK(cudaMalloc(&p_, n * sizeof(T))); }
  ~Buffer() { cudaFree(p_); }
  Buffer(const Buffer&) = delete;
  T* get() const { return p_; }
  size_t size() const { return n_; }

 private:
  T* p_ = nullptr;
  size_t n_;
};

__global__ void GateKernel(const float* x, const float* gate, int* choice) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= kTokens) return;
  int best = 0;
  float best_score = 0.f;
  for (int e = 0; e < kExperts; ++e) {
    float s = 0.f;
    for (int j = 0; j < kDim; ++j) s += x[t * kDim + j] * gate[e * kDim + j];
    if (e == 0 || s > best_score) {
      best = e;
      best_score = s;
    }
  }
  choice[t] = best;
}

__global__ void ExpertKernel(const float* x, const float* w, const int* choice, int expert, float* out, int* load) {
  int t = blockIdx.x, j = threadIdx.x;
  if (choice[t] != expert) return;
  float s = 0.f;
  for (int k = 0; k < kDim; ++k) s += x[t * kDim + k] * w[j * kDim + k];
  out[t * kDim + j] = s;
  if (j == 0) atomicAdd(&load[expert], 1);
}

__global__ void ResidualKernel(const float* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kTokens * kDim) out[i] += x[i];
}

class MoeLayer {
 public:
  MoeLayer(const std::vector<float>& gate, const std::vector<float>& experts)
      : x_(kTokens * kDim), gate_(gate.size()), experts_(experts.size()), out_(kTokens * kDim), choice_(kTokens), load_(kExperts) {
    MOE_CHECK(cudaMemcpyAsync(gate_.get(), gate.data(), gate.size() * sizeof(float), cudaMemcpyHostToDevice, main_));
    MOE_CHECK(cudaMemcpyAsync(experts_.get(), experts.data(), experts.size() * sizeof(float), cudaMemcpyHostToDevice, main_));
    MOE_CHECK(cudaMemsetAsync(load_.get(), 0, kExperts * sizeof(int), main_));
    MOE_CHECK(cudaStreamSynchronize(main_));
  }
  ~MoeLayer() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }

  void Compile() {
    cudaGraph_t graph = nullptr;
    MOE_CHECK(cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal));
    Enqueue();
    MOE_CHECK(cudaStreamEndCapture(main_, &graph));
    MOE_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
    MOE_CHECK(cudaGraphDestroy(graph));
  }

  std::vector<float> Forward(const std::vector<float>& x) {
    std::vector<float> y(out_.size());
    MOE_CHECK(cudaMemcpyAsync(x_.get(), x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice, main_));
    MOE_CHECK(cudaGraphLaunch(exec_, main_));
    MOE_CHECK(cudaMemcpyAsync(y.data(), out_.get(), y.size() * sizeof(float), cudaMemcpyDeviceToHost, main_));
    MOE_CHECK(cudaStreamSynchronize(main_));
    return y;
  }

  int TotalLoad() {
    std::array<int, kExperts> load{};
    MOE_CHECK(cudaMemcpyAsync(load.data(), load_.get(), sizeof load, cudaMemcpyDeviceToHost, main_));
    MOE_CHECK(cudaStreamSynchronize(main_));
    int total = 0;
    for (int n : load) total += n;
    return total;
  }

 private:
  void Enqueue() {
    GateKernel<<<(kTokens + 31) / 32, 32, 0, main_>>>(x_.get(), gate_.get(), choice_.get());
    cudaEventRecord(routed_, main_);
    for (int e = 0; e < kExperts; ++e) {
      cudaStreamWaitEvent(side_[e], routed_, 0);
      // experts write disjoint rows of out_ (a token has one expert) and their own load counter
      ExpertKernel<<<kTokens, kDim, 0, side_[e]>>>(x_.get(), experts_.get() + e * kDim * kDim, choice_.get(), e, out_.get(), load_.get());
      cudaEventRecord(computed_[e], side_[e]);
    }
    for (const EventHandle& done : computed_) cudaStreamWaitEvent(main_, done, 0);
    ResidualKernel<<<kTokens * kDim / 128, 128, 0, main_>>>(x_.get(), out_.get());
  }

  StreamHandle main_;
  std::array<StreamHandle, kExperts> side_;
  EventHandle routed_;
  std::array<EventHandle, kExperts> computed_;
  Buffer<float> x_, gate_, experts_, out_;
  Buffer<int> choice_, load_;
  cudaGraphExec_t exec_ = nullptr;
};

static std::vector<float> Pattern(size_t n, float step, float phase) {
  std::vector<float> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = std::sin(step * i + phase) * 0.5f;
  return v;
}

static int CountWrong(const std::vector<float>& x, const std::vector<float>& gate, const std::vector<float>& w, const std::vector<float>& y) {
  int wrong = 0;
  for (int t = 0; t < kTokens; ++t) {
    // Two experts may be so close that rounding decides; accept either of them.
    float score[kExperts], top = -1e30f;
    for (int e = 0; e < kExperts; ++e) {
      score[e] = 0.f;
      for (int j = 0; j < kDim; ++j) score[e] += x[t * kDim + j] * gate[e * kDim + j];
      top = std::fmax(top, score[e]);
    }
    bool matched = false;
    for (int e = 0; e < kExperts && !matched; ++e) {
      if (score[e] < top - 1e-4f) continue;
      matched = true;
      for (int j = 0; j < kDim && matched; ++j) {
        float s = x[t * kDim + j];
        for (int k = 0; k < kDim; ++k) s += x[t * kDim + k] * w[(e * kDim + j) * kDim + k];
        matched = std::fabs(s - y[t * kDim + j]) < 1e-3f;
      }
    }
    wrong += !matched;
  }
  return wrong;
}

int main() {
  int wrong = 0;
  bool threw = false;
  try {
    auto gate = Pattern(kExperts * kDim, 1.37f, 0.2f), experts = Pattern(kExperts * kDim * kDim, 0.73f, 1.1f);
    MoeLayer layer(gate, experts);
    layer.Compile();
    for (int step = 0; step < 5; ++step) {
      auto x = Pattern(kTokens * kDim, 0.91f + 0.05f * step, 0.3f * step);
      wrong += CountWrong(x, gate, experts, layer.Forward(x));
    }
    int load = layer.TotalLoad();
    std::printf("%d tokens wrong, %d tokens routed\n", wrong, load);
    wrong += load != 5 * kTokens;
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
    threw = true;
  }
  std::printf(!threw && !wrong ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
  return 0;
}
