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
__global__ void sample_tokens(u64 seed, const u64* position, int* tokens) {
  u64 offset = *position;
  tokens[threadIdx.x] = int(mix(seed + 0x9e3779b97f4a7c15ull * (offset + threadIdx.x)) % 32000);
}
__global__ void advance_position(u64* position, u64 n) { *position += n; }
__global__ void project(float* scratch, float value, long long cycles) {
  scratch[threadIdx.x] = value;
  __syncthreads();
  long long t0 = clock64();
  while (clock64() - t0 < cycles) {}
}
__global__ void collect(const float* scratch, float* logits) { logits[threadIdx.x] = scratch[threadIdx.x]; }

struct DeviceBlock {
  void* p = nullptr;
  explicit DeviceBlock(size_t bytes) { TRY(cudaMalloc(&p, bytes)); }
  DeviceBlock(const DeviceBlock&) = delete;
  ~DeviceBlock() { cudaFree(p); }
  template <class T> T* as() const { return static_cast<T*>(p); }
};

class PhiloxState {
 public:
  explicit PhiloxState(u64 seed) : seed_(seed), position_(sizeof(u64)) {
    TRY(cudaMemset(position_.p, 0, sizeof(u64)));
    TRY(cudaDeviceSynchronize());
  }
  u64 seed() const { return seed_; }
  u64* position() const { return position_.as<u64>(); }

 private:
  u64 seed_;
  DeviceBlock position_;
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
    project<<<1, kDraft, 0, stream_>>>(scratch_->as<float>(), value_, 40000000LL);
    collect<<<1, kDraft, 0, stream_>>>(scratch_->as<float>(), logits_.as<float>());
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
  explicit DraftModel(std::shared_ptr<DeviceBlock> scratch) : Model(1.0f, std::move(scratch)), rng_(1234), tokens_(kDraft * sizeof(int)) {}
  void enqueue(cudaStream_t s) override {
    sample_tokens<<<1, kDraft, 0, s>>>(rng_.seed(), rng_.position(), tokens_.as<int>());
    advance_position<<<1, 1, 0, s>>>(rng_.position(), kDraft);
  }
  std::vector<int> tokens() const {
    std::vector<int> t(kDraft);
    TRY(cudaMemcpy(t.data(), tokens_.as<int>(), kDraft * sizeof(int), cudaMemcpyDeviceToHost));
    return t;
  }

 private:
  PhiloxState rng_;
  DeviceBlock tokens_;
};

class SpeculativeDecoder {
 public:
  SpeculativeDecoder() : draft(std::make_shared<DeviceBlock>(kDraft * sizeof(float))),
        target(2.0f, std::make_shared<DeviceBlock>(kDraft * sizeof(float))) {
    draft.compile();
    target.compile();
  }
  void round() {
    TRY(cudaGraphLaunch(draft.graph(), draft.stream()));
    TRY(cudaGraphLaunch(target.graph(), target.stream()));
    TRY(cudaStreamSynchronize(draft.stream()));
    TRY(cudaStreamSynchronize(target.stream()));
    ++stats.rounds;
    stats.drafted += kDraft;
  }
  double drafted_per_round() const { return double(stats.drafted) / stats.rounds; }

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
  if (!repeated && !mixed && decoder.drafted_per_round() == kDraft) std::printf("LABEL CONFIRMED\n");
  else std::printf("LABEL REFUTED repeated %d mixed %d drafted %d\n", repeated, mixed, decoder.stats.drafted);
  return 0;
} catch (const std::exception& e) {
  std::printf("LABEL REFUTED %s\n", e.what());
  return 0;
}
