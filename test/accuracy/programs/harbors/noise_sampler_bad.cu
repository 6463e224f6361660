// Batched token sampler: quantized logits, Gumbel-style noise from a counter based generator,
// and one decode graph per compiled batch size.
#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

namespace sampling {

constexpr int kVocab = 256;
constexpr int kHidden = 16;
constexpr int kMaxBatch = 4;

struct RngState {
  uint64_t seed;
  uint64_t offset;
};

__host__ __device__ inline uint32_t mix(uint64_t seed, uint64_t counter) {
  uint64_t z = seed + counter * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return static_cast<uint32_t>((z ^ (z >> 31)) >> 40);
}

__host__ __device__ inline int weight(int token, int h) { return (token * 31 + h * 17) % 23 - 11; }

__host__ __device__ inline int embedding(int token, int h) { return (token * 13 + h * 5) % 9 - 4; }

__host__ __device__ inline int64_t score(int logit, uint32_t noise) { return int64_t{logit} * 4096 + (noise & 0xFFFFF); }

__global__ void project(const int* tokens, int* logits) {
  const int row = blockIdx.x;
  int acc = 0;
  for (int h = 0; h < kHidden; ++h) acc += embedding(tokens[row], h) * weight(threadIdx.x, h);
  logits[row * kVocab + threadIdx.x] = acc;
}

__global__ void draw(const int* logits, int* tokens, uint64_t seed, uint64_t offset) {
  __shared__ int64_t best[kVocab];
  __shared__ int index[kVocab];
  const int row = blockIdx.x, t = threadIdx.x;
  best[t] = score(logits[row * kVocab + t], mix(seed, offset + row * kVocab + t));
  index[t] = t;
  __syncthreads();
  for (int half = kVocab / 2; half > 0; half /= 2) {
    if (t < half) {
      const bool better = best[t + half] > best[t] || (best[t + half] == best[t] && index[t + half] < index[t]);
      if (better) {
        best[t] = best[t + half];
        index[t] = index[t + half];
      }
    }
    __syncthreads();
  }
  if (t == 0) tokens[row] = index[0];
}

struct Statistics {
  long batches = 0;
  long tokens = 0;
};

class Sampler {
 public:
  explicit Sampler(uint64_t seed) : rng_{seed, 0} {}
  ~Sampler() {
    for (cudaGraphExec_t exec : execs_) {
      if (exec) cudaGraphExecDestroy(exec);
    }
    cudaFree(tokens_);
    cudaFree(logits_);
    cudaFreeHost(picked_);
    if (stream_) cudaStreamDestroy(stream_);
  }
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  cudaError_t open(const std::array<int, kMaxBatch>& prompt) {
    cudaError_t status = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    if (status == cudaSuccess) status = cudaMalloc(&tokens_, sizeof(int) * kMaxBatch);
    if (status == cudaSuccess) status = cudaMalloc(&logits_, sizeof(int) * kMaxBatch * kVocab);
    if (status == cudaSuccess) status = cudaMallocHost(&picked_, sizeof(int) * kMaxBatch);
    if (status == cudaSuccess) status = cudaMemcpy(tokens_, prompt.data(), sizeof(int) * kMaxBatch, cudaMemcpyHostToDevice);
    if (status == cudaSuccess) status = cudaDeviceSynchronize();
    return status;
  }

  template <int Batch>
  cudaError_t step() {
    static_assert(Batch >= 1 && Batch <= kMaxBatch, "no such decode graph");
    cudaGraphExec_t& exec = execs_[Batch - 1];
    if (!exec) {
      const cudaError_t status = build<Batch>(&exec);
      if (status != cudaSuccess) return status;
    }
    cudaError_t status = cudaGraphLaunch(exec, stream_);
    if (status == cudaSuccess) status = cudaStreamSynchronize(stream_);
    return status;
  }

  const int* picked() const { return picked_; }
  const Statistics& statistics() const { return statistics_; }

 private:
  template <int Batch>
  cudaError_t build(cudaGraphExec_t* exec) {
    cudaError_t status = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
    if (status != cudaSuccess) return status;
    const cudaError_t body = enqueue<Batch>();
    cudaGraph_t graph = nullptr;
    status = cudaStreamEndCapture(stream_, &graph);
    if (status == cudaSuccess) status = body;
    if (status == cudaSuccess) status = cudaGraphInstantiate(exec, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    return status;
  }

  template <int Batch>
  cudaError_t enqueue() {
    project<<<Batch, kVocab, 0, stream_>>>(tokens_, logits_);
    cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess) return status;
    draw<<<Batch, kVocab, 0, stream_>>>(logits_, tokens_, rng_.seed, rng_.offset);  // HAZARD random #offset
    status = cudaGetLastError();
    if (status != cudaSuccess) return status;
    rng_.offset += Batch * kVocab;  // HAZARD random #offset
    account(Batch);  // HAZARD host_logic #count
    return cudaMemcpyAsync(picked_, tokens_, sizeof(int) * Batch, cudaMemcpyDeviceToHost, stream_);
  }

  void account(int batch) {
    ++statistics_.batches;  // HAZARD host_logic #count
    statistics_.tokens += batch;  // HAZARD host_logic #count
  }

  RngState rng_;
  Statistics statistics_;
  std::array<cudaGraphExec_t, kMaxBatch> execs_{};
  cudaStream_t stream_ = nullptr;
  int* tokens_ = nullptr;
  int* logits_ = nullptr;
  int* picked_ = nullptr;
};

// Host model of the same sampler.
class Reference {
 public:
  Reference(uint64_t seed, const std::array<int, kMaxBatch>& prompt) : seed_(seed), tokens_(prompt) {}

  void step(int batch) {
    for (int row = 0; row < batch; ++row) {
      int64_t best = INT64_MIN;
      int pick = 0;
      for (int t = 0; t < kVocab; ++t) {
        int logit = 0;
        for (int h = 0; h < kHidden; ++h) logit += embedding(tokens_[row], h) * weight(t, h);
        const int64_t value = score(logit, mix(seed_, offset_ + row * kVocab + t));
        if (value > best) {
          best = value;
          pick = t;
        }
      }
      tokens_[row] = pick;
    }
    offset_ += static_cast<uint64_t>(batch) * kVocab;
  }

  int token(int row) const { return tokens_[row]; }

 private:
  uint64_t seed_;
  uint64_t offset_ = 0;
  std::array<int, kMaxBatch> tokens_;
};

}  // namespace sampling

int main() {
  using namespace sampling;
  const uint64_t seed = 20240611;
  std::array<int, kMaxBatch> prompt{};
  std::iota(prompt.begin(), prompt.end(), 40);

  Sampler sampler(seed);
  Reference reference(seed, prompt);
  cudaError_t status = sampler.open(prompt);
  int differing = 0;
  long steps = 0, tokens = 0;
  const std::vector<int> schedule = {4, 4, 4, 2, 2, 4, 2, 4, 4, 2, 2, 4};
  for (int batch : schedule) {
    if (status != cudaSuccess) break;
    status = batch == 4 ? sampler.step<4>() : sampler.step<2>();
    if (status != cudaSuccess) break;
    reference.step(batch);
    for (int row = 0; row < batch; ++row) differing += sampler.picked()[row] != reference.token(row);
    ++steps;
    tokens += batch;
  }
  const Statistics& seen = sampler.statistics();
  std::printf("status %s, %d tokens differ, %ld of %ld batches and %ld of %ld tokens counted\n",
              cudaGetErrorString(status), differing, seen.batches, steps, seen.tokens, tokens);
  const bool confirmed = status == cudaSuccess && differing > 0 && seen.batches < steps && seen.tokens < tokens;
  std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
  return confirmed ? 0 : 1;
}
