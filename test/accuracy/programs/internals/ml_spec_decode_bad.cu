#include <cuda_runtime.h>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using u64 = unsigned long long;
constexpr int kDraft = 64;

struct CudaError : std::runtime_error {
  CudaError(cudaError_t e, int line) : std::runtime_error(std::string(cudaGetErrorName(e)) + " at " + std::to_string(line)) {}
};
#define TRY(x) if (cudaError_t e_ = (x); e_ != cudaSuccess) throw CudaError(e_, __LINE__)

__device__ u64 mix(u64 z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
__global__ void sample_tokens(u64 seed, u64 offset, int* tokens) {
  tokens[threadIdx.x] = int(mix(seed + 0x9e3779b97f4a7c15ull * (offset + threadIdx.x)) % 32000);
}
__global__ void project(float* scratch, float value, long long cycles) {
  scratch[threadIdx.x] = value;
  __syncthreads();
  long long t0 = clock64();
  while (clock64() - t0 < cycles) {}
}
__global__ void collect(const float* scratch, float* logits) { logits[threadIdx.x] = scratch[threadIdx.x]; }

class PhiloxState {
 public:
  explicit PhiloxState(u64 seed) : seed_(seed) {}
  u64 seed() const { return seed_; }
  u64 reserve(u64 n) {
    u64 at = offset_;
    offset_ += n;
    return at;
  }

 private:
  u64 seed_, offset_ = 0;
};

struct DeviceBlock {
  void* p = nullptr;
  explicit DeviceBlock(size_t bytes) { TRY(cudaMalloc(&p, bytes)); }
  DeviceBlock(const DeviceBlock&) = delete;
  ~DeviceBlock() { cudaFree(p); }
  template <class T> T* as() const { return static_cast<T*>(p); }
};

struct Stats {
  int rounds = 0, drafted = 0;
};

class Model {
 public:
  Model(float value, std::shared_ptr<DeviceBlock> scratch) : value_(value), scratch_(std::move(scratch)), logits_(kDraft * sizeof(float)) {
    TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  virtual ~Model() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaStreamDestroy(stream_);
  }
  void compile() {
    cudaGraph_t graph = nullptr;
    TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    enqueue(stream_);
    project<<<1, kDraft, 0, stream_>>>(scratch_->as<float>(), value_, 40000000LL);  // HAZARD concurrent_work #scratch
    collect<<<1, kDraft, 0, stream_>>>(scratch_->as<float>(), logits_.as<float>());  // HAZARD concurrent_work #scratch
    TRY(cudaStreamEndCapture(stream_, &graph));
    TRY(cudaGraphInstantiate(&exec_, graph, 0));
    TRY(cudaGraphDestroy(graph));
  }
  virtual void enqueue(cudaStream_t) {}
  cudaStream_t stream() const { return stream_; }
  cudaGraphExec_t graph() const { return exec_; }
  float logit() const {
    float v = 0;
    TRY(cudaMemcpy(&v, logits_.as<float>(), sizeof v, cudaMemcpyDeviceToHost));
    return v;
  }

 private:
  const float value_;
  std::shared_ptr<DeviceBlock> scratch_;
  DeviceBlock logits_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

class DraftModel : public Model {
 public:
  DraftModel(std::shared_ptr<DeviceBlock> scratch, Stats& stats) : Model(1.0f, std::move(scratch)), rng_(1234), stats_(stats), tokens_(kDraft * sizeof(int)) {}
  void enqueue(cudaStream_t s) override {
    sample_tokens<<<1, kDraft, 0, s>>>(rng_.seed(), rng_.reserve(kDraft), tokens_.as<int>());  // HAZARD random
    stats_.drafted += kDraft;  // HAZARD host_logic
  }
  std::vector<int> tokens() const {
    std::vector<int> t(kDraft);
    TRY(cudaMemcpy(t.data(), tokens_.as<int>(), kDraft * sizeof(int), cudaMemcpyDeviceToHost));
    return t;
  }

 private:
  PhiloxState rng_;
  Stats& stats_;
  DeviceBlock tokens_;
};

class SpeculativeDecoder {
 public:
  SpeculativeDecoder() : scratch_(std::make_shared<DeviceBlock>(kDraft * sizeof(float))), draft(scratch_, stats), target(2.0f, scratch_) {
    draft.compile();
    target.compile();
  }
  void round() {
    TRY(cudaGraphLaunch(draft.graph(), draft.stream()));  // HAZARD concurrent_work #scratch
    TRY(cudaGraphLaunch(target.graph(), target.stream()));  // HAZARD concurrent_work #scratch
    TRY(cudaStreamSynchronize(draft.stream()));
    TRY(cudaStreamSynchronize(target.stream()));
    ++stats.rounds;
  }
  double drafted_per_round() const { return double(stats.drafted) / stats.rounds; }

 private:
  std::shared_ptr<DeviceBlock> scratch_;

 public:
  Stats stats;
  DraftModel draft;
  Model target;
};

int main() try {
  SpeculativeDecoder decoder;
  decoder.round();
  auto first = decoder.draft.tokens();
  decoder.round();
  auto second = decoder.draft.tokens();
  bool repeated = first == second;
  bool mixed = decoder.draft.logit() != 1.0f || decoder.target.logit() != 2.0f;
  bool undercounted = decoder.drafted_per_round() == kDraft / 2;
  if (repeated && mixed && undercounted) std::printf("LABEL CONFIRMED\n");
  else std::printf("LABEL REFUTED repeated %d mixed %d drafted %d\n", repeated, mixed, decoder.stats.drafted);
  return 0;
} catch (const std::exception& e) {
  std::printf("LABEL REFUTED %s\n", e.what());
  return 0;
}
