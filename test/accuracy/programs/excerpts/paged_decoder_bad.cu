// serve/decode_runner: one CUDA graph per (padded) batch size over a paged KV cache.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#define CUDA_CHECK(expr)                                                                     \
  do {                                                                                       \
    cudaError_t err__ = (expr);                                                              \
    if (err__ != cudaSuccess)                                                                \
      throw std::runtime_error(std::string(#expr " failed: ") + cudaGetErrorString(err__));  \
  } while (0)

namespace serve {

constexpr int kBlockTokens = 16;
constexpr int kHeadDim = 32;
constexpr int kMaxBlocksPerSeq = 8;
constexpr int kMaxBatch = 4;
constexpr int kNumBlocks = kMaxBatch * kMaxBlocksPerSeq;
constexpr int kVocab = 11;

__host__ __device__ inline float embed(int token, int d) { return float((token + d) % kVocab); }

// Writes the value of the newest token of every sequence into its page.
__global__ void append_kv(float* pool, const int* table, const int* ctx_len, const int* token) {
  const int b = blockIdx.x, d = threadIdx.x;
  const int len = ctx_len[b];
  if (len == 0) return;  // padding row
  const int pos = len - 1;
  const int page = table[b * kMaxBlocksPerSeq + pos / kBlockTokens];
  pool[(page * kBlockTokens + pos % kBlockTokens) * kHeadDim + d] = embed(token[b], d);
}

// One partition per KV page: partial sums, written only by partitions that hold tokens.
__global__ void paged_partial(const float* pool, const int* table, const int* ctx_len, float* partial) {
  const int b = blockIdx.x, p = blockIdx.y, d = threadIdx.x;
  const int first = p * kBlockTokens;
  if (first >= ctx_len[b]) return;
  const int n = min(kBlockTokens, ctx_len[b] - first);
  const float* page = pool + table[b * kMaxBlocksPerSeq + p] * kBlockTokens * kHeadDim;
  float acc = 0.f;
  for (int t = 0; t < n; ++t) acc += page[t * kHeadDim + d];
  partial[(b * kMaxBlocksPerSeq + p) * kHeadDim + d] = acc;
}

__global__ void paged_reduce(const float* partial, const int* ctx_len, float* out) {
  const int b = blockIdx.x, d = threadIdx.x;
  const int len = ctx_len[b];
  float acc = 0.f;
  for (int p = 0; p * kBlockTokens < len; ++p) acc += partial[(b * kMaxBlocksPerSeq + p) * kHeadDim + d];
  out[b * kHeadDim + d] = len ? acc / len : 0.f;
}

struct Sequence {
  int id;
  int context_len;
  std::vector<int> pages;
  int token_at(int pos) const { return (id * 7 + pos * 3) % kVocab; }
};

struct StepInputs {  // same layout on host (pinned) and device
  int ctx_len[kMaxBatch];
  int token[kMaxBatch];
  int table[kMaxBatch * kMaxBlocksPerSeq];
};

class DecodeRunner {
 public:
  DecodeRunner() {
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CUDA_CHECK(cudaMallocHost(&host_in_, sizeof(StepInputs)));
    CUDA_CHECK(cudaMallocHost(&host_out_, kMaxBatch * kHeadDim * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&dev_in_, sizeof(StepInputs)));
    CUDA_CHECK(cudaMalloc(&pool_, size_t(kNumBlocks) * kBlockTokens * kHeadDim * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&partial_, kMaxBatch * kMaxBlocksPerSeq * kHeadDim * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&out_, kMaxBatch * kHeadDim * sizeof(float)));
    CUDA_CHECK(cudaMemsetAsync(partial_, 0, kMaxBatch * kMaxBlocksPerSeq * kHeadDim * sizeof(float), stream_));
  }
  ~DecodeRunner() {
    cudaStreamSynchronize(stream_);
    for (auto& kv : graphs_) cudaGraphExecDestroy(kv.second);
    cudaFree(out_); cudaFree(partial_); cudaFree(pool_); cudaFree(dev_in_);
    cudaFreeHost(host_out_); cudaFreeHost(host_in_);
    cudaStreamDestroy(stream_);
  }

  // Appends one token to every sequence and returns the attention output rows.
  const float* step(std::vector<Sequence>& batch, bool eager) {
    const int max_ctx = prepare(batch);
    const int padded = batch.size() <= 2 ? 2 : kMaxBatch;
    CUDA_CHECK(cudaMemcpyAsync(dev_in_, host_in_, sizeof(StepInputs), cudaMemcpyHostToDevice, stream_));
    if (eager) {
      forward(padded, max_ctx);
      CUDA_CHECK(cudaGetLastError());
    } else {
      auto it = graphs_.find(padded);
      if (it == graphs_.end()) it = graphs_.emplace(padded, capture(padded, max_ctx)).first;
      CUDA_CHECK(cudaGraphLaunch(it->second, stream_));
    }
    CUDA_CHECK(cudaMemcpyAsync(host_out_, out_, kMaxBatch * kHeadDim * sizeof(float), cudaMemcpyDeviceToHost, stream_));
    CUDA_CHECK(cudaStreamSynchronize(stream_));
    return host_out_;
  }

 private:
  int prepare(std::vector<Sequence>& batch) {
    int max_ctx = 0;
    *host_in_ = StepInputs{};
    for (size_t b = 0; b < batch.size(); ++b) {
      Sequence& s = batch[b];
      const int pos = s.context_len++;
      if (pos % kBlockTokens == 0) s.pages.push_back(next_page_++);
      host_in_->ctx_len[b] = s.context_len;
      max_ctx = std::max(max_ctx, s.context_len);
      host_in_->token[b] = s.token_at(pos);
      for (size_t i = 0; i < s.pages.size(); ++i) host_in_->table[b * kMaxBlocksPerSeq + i] = s.pages[i];
    }
    return max_ctx;
  }

  void forward(int padded, int max_ctx) {
    const dim3 pages(padded, (max_ctx + kBlockTokens - 1) / kBlockTokens);  // HAZARD dynamic_shape #pages
    append_kv<<<padded, kHeadDim, 0, stream_>>>(pool_, dev_in_->table, dev_in_->ctx_len, dev_in_->token);
    paged_partial<<<pages, kHeadDim, 0, stream_>>>(pool_, dev_in_->table, dev_in_->ctx_len, partial_);  // HAZARD dynamic_shape #pages
    paged_reduce<<<padded, kHeadDim, 0, stream_>>>(partial_, dev_in_->ctx_len, out_);
  }

  cudaGraphExec_t capture(int padded, int max_ctx) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    forward(padded, max_ctx);
    CUDA_CHECK(cudaStreamEndCapture(stream_, &graph));
    const cudaError_t err = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    CUDA_CHECK(err);
    std::printf("[runner] captured decode graph for batch %d\n", padded);
    return exec;
  }

  cudaStream_t stream_ = nullptr;
  StepInputs* host_in_ = nullptr;
  StepInputs* dev_in_ = nullptr;
  float *host_out_ = nullptr, *pool_ = nullptr, *partial_ = nullptr, *out_ = nullptr;
  std::map<int, cudaGraphExec_t> graphs_;
  int next_page_ = 0;
};

}  // namespace serve

static bool rows_match(const std::vector<serve::Sequence>& batch, const float* rows) {
  for (size_t b = 0; b < batch.size(); ++b)
    for (int d = 0; d < serve::kHeadDim; ++d) {
      float want = 0.f;
      for (int t = 0; t < batch[b].context_len; ++t) want += serve::embed(batch[b].token_at(t), d);
      want /= batch[b].context_len;
      if (std::fabs(want - rows[b * serve::kHeadDim + d]) > 1e-3f) return false;
    }
  return true;
}

int main() {
  int wrong = 0, failed = 0;
  try {
    serve::DecodeRunner runner;
    std::vector<serve::Sequence> batch;
    for (int id = 0; id < 3; ++id) batch.push_back({id, 0, {}});
    for (int t = 0; t < 10; ++t) wrong += !rows_match(batch, runner.step(batch, true));  // prefill
    for (int t = 0; t < 60; ++t) wrong += !rows_match(batch, runner.step(batch, false));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "[serve] %s\n", e.what());
    failed = 1;
  }
  std::printf("wrong steps: %d\n", wrong);
  std::puts(!failed && wrong > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
