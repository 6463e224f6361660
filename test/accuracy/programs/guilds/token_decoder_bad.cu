// Autoregressive decoder runtime. A PlanBuilder records one decode step per batch size; Session replays it.
// The toy "model": every token becomes a value vector stored in the cache, attention is a uniform mean.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>
#include <vector>

namespace decode {

constexpr int kMaxContext = 256;
constexpr int kDim = 64;
constexpr int kChunk = 16;  // cache rows per attention block

inline bool report(cudaError_t e, const char* where) {
  if (e == cudaSuccess) return true;
  std::fprintf(stderr, "[decode] %s: %s\n", where, cudaGetErrorString(e));
  return false;
}
#define TRY(call)                               \
  do {                                          \
    if (!report((call), #call)) return false;   \
  } while (0)

__host__ __device__ inline float embed(int token, int d) { return 0.01f * float(token) + 0.1f * float(d % 5); }

__global__ void appendKv(const int* tokens, float* cache, int pos) {
  int b = blockIdx.x, d = threadIdx.x;
  cache[(size_t(b) * kMaxContext + pos) * kDim + d] = embed(tokens[b], d);
}

// grid (chunks, batch): partial sums of the context rows
__global__ void attendChunk(const float* cache, float* sums) {
  int chunk = blockIdx.x, b = blockIdx.y, d = threadIdx.x;
  const float* rows = cache + (size_t(b) * kMaxContext + chunk * kChunk) * kDim;
  float acc = 0.0f;
  for (int r = 0; r < kChunk; ++r) acc += rows[r * kDim + d];  // unused rows are zero
  atomicAdd(&sums[b * kDim + d], acc);
}

struct Buffers {
  int* tokensHost = nullptr;  // pinned, rewritten before every step
  int* tokens = nullptr;
  float* cache = nullptr;
  float* sums = nullptr;
  float* sumsHost = nullptr;
};

class PlanBuilder {
 public:
  PlanBuilder(cudaStream_t stream, Buffers& buffers) : stream_(stream), buf_(buffers) {}

  bool build(int batch, int position, cudaGraphExec_t* out) {
    const int chunks = position / kChunk + 1;
    cudaGraph_t graph = nullptr;
    TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    bool recorded =
        report(cudaMemcpyAsync(buf_.tokens, buf_.tokensHost, batch * sizeof(int), cudaMemcpyHostToDevice, stream_),
               "tokens") &&
        report(cudaMemsetAsync(buf_.sums, 0, size_t(batch) * kDim * sizeof(float), stream_), "clear");
    appendKv<<<batch, kDim, 0, stream_>>>(buf_.tokens, buf_.cache, position);  // HAZARD frozen #position
    attendChunk<<<dim3(chunks, batch), kDim, 0, stream_>>>(buf_.cache, buf_.sums);  // HAZARD dynamic_shape #chunks
    recorded = recorded && report(cudaMemcpyAsync(buf_.sumsHost, buf_.sums, size_t(batch) * kDim * sizeof(float),
                                                  cudaMemcpyDeviceToHost, stream_),
                                  "fetch");
    cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
    if (!recorded || !report(ended, "end capture")) {
      if (graph) cudaGraphDestroy(graph);
      return false;
    }
    bool ok = report(cudaGraphInstantiate(out, graph, 0), "instantiate");
    cudaGraphDestroy(graph);
    return ok;
  }

 private:
  cudaStream_t stream_;
  Buffers& buf_;
};

class Session {
 public:
  bool open(int maxBatch) {
    maxBatch_ = maxBatch;
    TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    TRY(cudaMallocHost(&buf_.tokensHost, maxBatch * sizeof(int)));
    TRY(cudaMallocHost(&buf_.sumsHost, size_t(maxBatch) * kDim * sizeof(float)));
    TRY(cudaMalloc(&buf_.tokens, maxBatch * sizeof(int)));
    TRY(cudaMalloc(&buf_.cache, size_t(maxBatch) * kMaxContext * kDim * sizeof(float)));
    TRY(cudaMalloc(&buf_.sums, size_t(maxBatch) * kDim * sizeof(float)));
    return reset();
  }

  bool reset() {
    position_ = 0;
    TRY(cudaMemsetAsync(buf_.cache, 0, size_t(maxBatch_) * kMaxContext * kDim * sizeof(float), stream_));
    TRY(cudaStreamSynchronize(stream_));
    return true;
  }

  bool step(const std::vector<int>& tokens, const float** mean) {
    const int batch = int(tokens.size());
    for (int b = 0; b < batch; ++b) buf_.tokensHost[b] = tokens[b];
    cudaGraphExec_t& exec = plans_[batch];
    if (!exec) {
      PlanBuilder builder(stream_, buf_);
      if (!builder.build(batch, position_, &exec)) return false;
    }
    TRY(cudaGraphLaunch(exec, stream_));
    TRY(cudaStreamSynchronize(stream_));
    ++position_;
    for (int i = 0; i < batch * kDim; ++i) buf_.sumsHost[i] /= float(position_);
    *mean = buf_.sumsHost;
    return true;
  }

  void close() {
    for (auto& p : plans_)
      if (p.second) cudaGraphExecDestroy(p.second);
    plans_.clear();
    cudaFreeHost(buf_.tokensHost);
    cudaFreeHost(buf_.sumsHost);
    cudaFree(buf_.tokens);
    cudaFree(buf_.cache);
    cudaFree(buf_.sums);
    cudaStreamDestroy(stream_);
  }

 private:
  cudaStream_t stream_ = nullptr;
  Buffers buf_;
  int maxBatch_ = 0;
  int position_ = 0;
  std::unordered_map<int, cudaGraphExec_t> plans_;
};

}  // namespace decode

int main() {
  using namespace decode;
  Session session;
  bool ok = session.open(4);
  int wrong = 0;
  for (int batch : {1, 4, 1}) {
    ok = ok && session.reset();
    std::vector<double> sum(size_t(batch) * kDim, 0.0);
    for (int s = 0; ok && s < 100; ++s) {
      std::vector<int> tokens(batch);
      for (int b = 0; b < batch; ++b) tokens[b] = (s * 37 + b * 11) % 200;
      const float* mean = nullptr;
      ok = session.step(tokens, &mean);
      for (int i = 0; ok && i < batch * kDim; ++i) {
        sum[i] += embed(tokens[i / kDim], i % kDim);
        if (std::fabs(mean[i] - sum[i] / (s + 1)) > 1e-3) ++wrong;
      }
    }
    std::printf("batch %d done, wrong so far %d\n", batch, wrong);
  }
  session.close();
  std::puts(ok && wrong ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
