// Decode loop of a small paged-attention runtime. Sequences own KV blocks through a block table,
// and one executable graph per batch size replays the decode step.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int kHeadDim = 32;
constexpr int kBlockTokens = 4;
constexpr int kMaxBatch = 8;
constexpr int kTotalBlocks = 128;
constexpr int kNullBlock = 0;

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
  }
}
#define CK(expr) check((expr), #expr)

__device__ int locate(const int* table, int row, int seq) {
  const int block = table[row * kMaxBatch + seq];
  return block > kNullBlock && block < kTotalBlocks ? block : -1;
}

__global__ void append_kv(float* cache, const int* table, const int* lengths, const float* fresh) {
  const int seq = blockIdx.x;
  const int position = lengths[seq];
  const int block = locate(table, position / kBlockTokens, seq);
  if (block < 0) return;
  const int token = block * kBlockTokens + position % kBlockTokens;
  cache[token * kHeadDim + threadIdx.x] = fresh[seq * kHeadDim + threadIdx.x];
}

__global__ void attend(const float* cache, const int* table, const int* lengths, float* out) {
  const int seq = blockIdx.x;
  const int last = lengths[seq];
  float sum = 0.f;
  for (int position = 0; position <= last; ++position) {
    const int block = locate(table, position / kBlockTokens, seq);
    if (block < 0) continue;
    sum += cache[(block * kBlockTokens + position % kBlockTokens) * kHeadDim + threadIdx.x];
  }
  out[seq * kHeadDim + threadIdx.x] = sum;
}

// Device table of block ids, one row per logical block index, one column per sequence slot.
class BlockTable {
 public:
  explicit BlockTable(cudaStream_t stream) : stream_(stream) { ensure_rows(2); }
  ~BlockTable() {
    if (device_) cudaFreeAsync(device_, stream_);
  }
  BlockTable(const BlockTable&) = delete;
  BlockTable& operator=(const BlockTable&) = delete;

  // Returns true when the table moved.
  bool ensure_rows(int rows) {
    if (rows <= rows_) return false;
    int capacity = rows_ == 0 ? rows : rows_;
    while (capacity < rows) capacity *= 2;
    host_.resize(static_cast<size_t>(capacity) * kMaxBatch, kNullBlock);
    int* grown = nullptr;
    CK(cudaMallocAsync(reinterpret_cast<void**>(&grown), host_.size() * sizeof(int), stream_));
    CK(cudaMemcpyAsync(grown, host_.data(), host_.size() * sizeof(int), cudaMemcpyHostToDevice, stream_));
    if (device_) CK(cudaFreeAsync(device_, stream_));  // HAZARD dangling #table
    device_ = grown;
    rows_ = capacity;
    CK(cudaStreamSynchronize(stream_));
    return true;
  }

  void assign(int row, int seq, int block) {
    const size_t index = static_cast<size_t>(row) * kMaxBatch + seq;
    host_[index] = block;
    CK(cudaMemcpyAsync(device_ + index, &host_[index], sizeof(int), cudaMemcpyHostToDevice, stream_));
  }

  const int* device() const { return device_; }

 private:
  cudaStream_t stream_;
  int* device_ = nullptr;
  int rows_ = 0;
  std::vector<int> host_;
};

template <class Body>
cudaGraphExec_t record(cudaStream_t stream, Body&& body) {
  cudaGraph_t graph = nullptr;
  CK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  try {
    body();
  } catch (...) {
    if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) cudaGraphDestroy(graph);
    throw;
  }
  CK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec = nullptr;
  const cudaError_t status = cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphDestroy(graph);
  check(status, "cudaGraphInstantiate");
  return exec;
}

class DecodeEngine {
 public:
  explicit DecodeEngine(cudaStream_t stream) : stream_(stream), table_(stream), lengths_(kMaxBatch, 0) {
    const size_t state = kMaxBatch * kHeadDim * sizeof(float);
    CK(cudaMalloc(&cache_, static_cast<size_t>(kTotalBlocks) * kBlockTokens * kHeadDim * sizeof(float)));
    CK(cudaMemset(cache_, 0, static_cast<size_t>(kTotalBlocks) * kBlockTokens * kHeadDim * sizeof(float)));
    CK(cudaMalloc(&fresh_, state));
    CK(cudaMalloc(&out_, state));
    CK(cudaMalloc(&device_lengths_, kMaxBatch * sizeof(int)));
    CK(cudaMallocHost(&host_fresh_, state));
    CK(cudaMallocHost(&host_out_, state));
    CK(cudaMallocHost(&host_lengths_, kMaxBatch * sizeof(int)));
    CK(cudaDeviceSynchronize());
  }
  ~DecodeEngine() {
    drop_graphs();
    cudaFree(cache_);
    cudaFree(fresh_);
    cudaFree(out_);
    cudaFree(device_lengths_);
    cudaFreeHost(host_fresh_);
    cudaFreeHost(host_out_);
    cudaFreeHost(host_lengths_);
  }
  DecodeEngine(const DecodeEngine&) = delete;
  DecodeEngine& operator=(const DecodeEngine&) = delete;

  // Appends one token to the first `batch` sequences and returns their attention outputs.
  const float* decode(int batch, const std::vector<float>& tokens) {
    reserve_blocks(batch);
    for (int seq = 0; seq < batch; ++seq) {
      host_lengths_[seq] = lengths_[seq];
      for (int d = 0; d < kHeadDim; ++d) host_fresh_[seq * kHeadDim + d] = tokens[seq * kHeadDim + d];
    }
    CK(cudaGraphLaunch(graph_for(batch), stream_));  // HAZARD dangling #table
    CK(cudaStreamSynchronize(stream_));
    for (int seq = 0; seq < batch; ++seq) ++lengths_[seq];
    return host_out_;
  }

  int length(int seq) const { return lengths_[seq]; }

 private:
  void reserve_blocks(int batch) {
    for (int seq = 0; seq < batch; ++seq) {
      if (lengths_[seq] % kBlockTokens != 0) continue;
      const int row = lengths_[seq] / kBlockTokens;
      table_.ensure_rows(row + 1);  // HAZARD dangling #table
      if (next_block_ >= kTotalBlocks) throw std::runtime_error("KV cache exhausted");
      table_.assign(row, seq, next_block_++);
    }
  }

  cudaGraphExec_t graph_for(int batch) {
    auto found = graphs_.find(batch);
    if (found != graphs_.end()) return found->second;
    cudaGraphExec_t exec = record(stream_, [&] { enqueue_step(batch); });
    graphs_.emplace(batch, exec);
    return exec;
  }

  void enqueue_step(int batch) {
    const size_t bytes = static_cast<size_t>(batch) * kHeadDim * sizeof(float);
    CK(cudaMemcpyAsync(device_lengths_, host_lengths_, batch * sizeof(int), cudaMemcpyHostToDevice, stream_));
    CK(cudaMemcpyAsync(fresh_, host_fresh_, bytes, cudaMemcpyHostToDevice, stream_));
    append_kv<<<batch, kHeadDim, 0, stream_>>>(cache_, table_.device(), device_lengths_, fresh_);  // HAZARD dangling #table
    CK(cudaGetLastError());
    attend<<<batch, kHeadDim, 0, stream_>>>(cache_, table_.device(), device_lengths_, out_);  // HAZARD dangling #table
    CK(cudaGetLastError());
    CK(cudaMemcpyAsync(host_out_, out_, bytes, cudaMemcpyDeviceToHost, stream_));
  }

  void drop_graphs() {
    for (auto& entry : graphs_) cudaGraphExecDestroy(entry.second);
    graphs_.clear();
  }

  cudaStream_t stream_;
  BlockTable table_;
  std::vector<int> lengths_;
  std::map<int, cudaGraphExec_t> graphs_;
  int next_block_ = 1;
  float *cache_ = nullptr, *fresh_ = nullptr, *out_ = nullptr;
  float *host_fresh_ = nullptr, *host_out_ = nullptr;
  int *device_lengths_ = nullptr, *host_lengths_ = nullptr;
};

int run_session(cudaStream_t stream) {
  DecodeEngine engine(stream);
  std::vector<float> expected(kMaxBatch * kHeadDim, 0.f);
  int mismatches = 0;
  for (int step = 0; step < 20; ++step) {
    const int batch = step % 5 == 4 ? 2 : 4;
    std::vector<float> tokens(batch * kHeadDim);
    for (size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<float>((i * 7 + step * 3) % 11 + 1);
    const float* out = engine.decode(batch, tokens);
    for (size_t i = 0; i < tokens.size(); ++i) {
      expected[i] += tokens[i];
      if (out[i] != expected[i]) ++mismatches;
    }
  }
  std::printf("decoded %d tokens for sequence 0, %d mismatches\n", engine.length(0), mismatches);
  return mismatches;
}

}  // namespace

int main() {
  bool confirmed = false;
  try {
    cudaMemPool_t pool = nullptr;
    CK(cudaDeviceGetDefaultMemPool(&pool, 0));
    uint64_t keep = UINT64_MAX;
    CK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    cudaStream_t stream = nullptr;
    CK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const int mismatches = run_session(stream);
    CK(cudaStreamSynchronize(stream));
    CK(cudaStreamDestroy(stream));
    confirmed = mismatches > 0;
  } catch (const std::exception& error) {
    std::printf("error: %s\n", error.what());
  }
  std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
  return confirmed ? 0 : 1;
}
