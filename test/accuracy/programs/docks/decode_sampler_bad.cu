// Decode loop with top-k sampling. One graph per batch bucket, device-resident sequence state.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

namespace llm {

#define LLM_CUDA_CHECK(x)                                              \
  do {                                                                 \
    cudaError_t status_ = (x);                                         \
    if (status_ != cudaSuccess) {                                      \
      std::fprintf(stderr, "[cuda] %s:%d %s\n", __FILE__, __LINE__,    \
                   cudaGetErrorString(status_));                       \
      std::puts("LABEL WRONG");                                        \
      std::exit(1);                                                    \
    }                                                                  \
  } while (0)

constexpr int kVocab = 128;
constexpr int kMaxBatch = 8;

__host__ __device__ inline uint32_t Mix(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t h = a * 0x9E3779B1u ^ (b + 0x7F4A7C15u) * 0x85EBCA77u ^ (c + 0x165667B1u) * 0xC2B2AE3Du;
  h ^= h >> 15;
  h *= 0x2C1B3C6Du;
  h ^= h >> 12;
  h *= 0x297A2D39u;
  return h ^ (h >> 15);
}

struct SeqState {
  uint32_t token;
  uint32_t pos;
};

struct SamplingParams {
  uint64_t seed = 1234;
  int top_k = 40;
};

// Stands in for the transformer stack: integer logits in [1, 256].
__global__ void LmHeadKernel(uint32_t* logits, const SeqState* seqs) {
  const SeqState s = seqs[blockIdx.x];
  logits[blockIdx.x * kVocab + threadIdx.x] = 1 + (Mix(s.token, s.pos, threadIdx.x) & 0xFFu);
}

__global__ void TopKFilterKernel(uint32_t* weights, const uint32_t* logits, int top_k) {
  const uint32_t* row = logits + blockIdx.x * kVocab;
  const uint32_t mine = row[threadIdx.x];
  int rank = 0;
  for (int v = 0; v < kVocab; ++v)
    rank += row[v] > mine || (row[v] == mine && v < int(threadIdx.x));
  weights[blockIdx.x * kVocab + threadIdx.x] = rank < top_k ? mine : 0u;
}

__global__ void SampleKernel(SeqState* seqs, uint32_t* sampled, const uint32_t* weights, uint64_t seed,
                             uint64_t offset) {
  const uint32_t* row = weights + threadIdx.x * kVocab;
  uint32_t total = 0;
  for (int v = 0; v < kVocab; ++v) total += row[v];
  uint32_t r = Mix(uint32_t(seed), uint32_t(offset), threadIdx.x) % total;
  uint32_t choice = 0;
  for (; choice + 1 < kVocab && r >= row[choice]; ++choice) r -= row[choice];
  sampled[threadIdx.x] = choice;
  seqs[threadIdx.x].token = choice;
  seqs[threadIdx.x].pos += 1;
}

class Sampler {
 public:
  explicit Sampler(const SamplingParams& params) : params_(params) {
    LLM_CUDA_CHECK(cudaMalloc(&weights_, sizeof(uint32_t) * kVocab * kMaxBatch));
  }
  ~Sampler() { cudaFree(weights_); }

  void Forward(SeqState* seqs, uint32_t* sampled, const uint32_t* logits, int batch, cudaStream_t stream) const {
    TopKFilterKernel<<<batch, kVocab, 0, stream>>>(weights_, logits, params_.top_k);  // HAZARD frozen #topk
    SampleKernel<<<1, batch, 0, stream>>>(seqs, sampled, weights_, params_.seed, offset_);  // HAZARD random #offset
  }
  void SetTopK(int top_k) { params_.top_k = top_k; }  // HAZARD frozen #topk
  void NextOffset() { ++offset_; }  // HAZARD random #offset

 private:
  SamplingParams params_;
  uint64_t offset_ = 0;
  uint32_t* weights_ = nullptr;
};

class GraphCache {
 public:
  ~GraphCache() {
    for (auto& entry : execs_) cudaGraphExecDestroy(entry.second);
  }
  template <typename Fn>
  cudaGraphExec_t GetOrCapture(int batch, cudaStream_t stream, Fn&& record) {
    auto it = execs_.find(batch);
    if (it != execs_.end()) return it->second;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    LLM_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    record(batch);
    LLM_CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    LLM_CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    LLM_CUDA_CHECK(cudaGraphDestroy(graph));
    execs_[batch] = exec;
    return exec;
  }

 private:
  std::map<int, cudaGraphExec_t> execs_;
};

class DecodeEngine {
 public:
  explicit DecodeEngine(const SamplingParams& params) : sampler_(params) {
    LLM_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    LLM_CUDA_CHECK(cudaMalloc(&seqs_, sizeof(SeqState) * kMaxBatch));
    LLM_CUDA_CHECK(cudaMalloc(&logits_, sizeof(uint32_t) * kVocab * kMaxBatch));
    LLM_CUDA_CHECK(cudaMalloc(&sampled_, sizeof(uint32_t) * kMaxBatch));
    LLM_CUDA_CHECK(cudaMallocHost(&host_sampled_, sizeof(uint32_t) * kMaxBatch));
  }
  ~DecodeEngine() {
    cudaFree(seqs_);
    cudaFree(logits_);
    cudaFree(sampled_);
    cudaFreeHost(host_sampled_);
    cudaStreamDestroy(stream_);
  }

  void Prefill(const std::vector<SeqState>& seqs) {
    LLM_CUDA_CHECK(cudaMemcpyAsync(seqs_, seqs.data(), sizeof(SeqState) * seqs.size(), cudaMemcpyHostToDevice,
                                   stream_));
    LLM_CUDA_CHECK(cudaStreamSynchronize(stream_));
  }

  const uint32_t* Step(int batch) {
    cudaGraphExec_t exec = graphs_.GetOrCapture(batch, stream_, [this](int b) { Record(b); });
    LLM_CUDA_CHECK(cudaGraphLaunch(exec, stream_));
    LLM_CUDA_CHECK(cudaStreamSynchronize(stream_));
    sampler_.NextOffset();
    return host_sampled_;
  }

  Sampler& sampler() { return sampler_; }

 private:
  void Record(int batch) {
    LmHeadKernel<<<batch, kVocab, 0, stream_>>>(logits_, seqs_);
    sampler_.Forward(seqs_, sampled_, logits_, batch, stream_);
    LLM_CUDA_CHECK(cudaMemcpyAsync(host_sampled_, sampled_, sizeof(uint32_t) * batch, cudaMemcpyDeviceToHost,
                                   stream_));
  }

  Sampler sampler_;
  GraphCache graphs_;
  cudaStream_t stream_ = nullptr;
  SeqState* seqs_ = nullptr;
  uint32_t* logits_ = nullptr;
  uint32_t* sampled_ = nullptr;
  uint32_t* host_sampled_ = nullptr;
};

// Host model of one decode step, used by the golden test.
uint32_t ReferenceToken(const SeqState& s, int slot, const SamplingParams& params, uint64_t offset) {
  std::vector<uint32_t> logits(kVocab), weights(kVocab);
  uint32_t total = 0;
  for (int v = 0; v < kVocab; ++v) logits[v] = 1 + (Mix(s.token, s.pos, v) & 0xFFu);
  for (int v = 0; v < kVocab; ++v) {
    int rank = 0;
    for (int o = 0; o < kVocab; ++o) rank += logits[o] > logits[v] || (logits[o] == logits[v] && o < v);
    weights[v] = rank < params.top_k ? logits[v] : 0u;
    total += weights[v];
  }
  uint32_t r = Mix(uint32_t(params.seed), uint32_t(offset), slot) % total;
  uint32_t choice = 0;
  for (; choice + 1 < kVocab && r >= weights[choice]; ++choice) r -= weights[choice];
  return choice;
}

}  // namespace llm

int main() {
  using namespace llm;
  constexpr int kBatch = 8;
  SamplingParams params;
  DecodeEngine engine(params);
  std::vector<SeqState> seqs(kBatch);
  for (int b = 0; b < kBatch; ++b) seqs[b] = {uint32_t(7 * b + 3), uint32_t(16 + b)};
  engine.Prefill(seqs);

  int first = 0, sampled_diff = 0, greedy_diff = 0;
  for (int step = 0; step < 8; ++step) {
    if (step == 5) {  // the client switches to greedy decoding
      params.top_k = 1;
      engine.sampler().SetTopK(1);
    }
    const uint32_t* tokens = engine.Step(kBatch);
    int diff = 0;
    for (int b = 0; b < kBatch; ++b) {
      diff += tokens[b] != ReferenceToken(seqs[b], b, params, step);
      seqs[b] = {tokens[b], seqs[b].pos + 1};
    }
    std::printf("step %d: %d/%d tokens differ\n", step, diff, kBatch);
    (step == 0 ? first : step < 5 ? sampled_diff : greedy_diff) += diff;
  }
  std::puts(first == 0 && sampled_diff > 0 && greedy_diff > 0 ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
}
