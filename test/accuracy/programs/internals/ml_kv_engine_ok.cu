#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <vector>

inline void must(cudaError_t e, const char* what) {
  if (e == cudaSuccess) return;
  std::printf("LABEL REFUTED %s: %s\n", what, cudaGetErrorString(e));
  std::exit(0);
}

class KvArena {
 public:
  explicit KvArena(size_t floats) {
    must(cudaMalloc(&slab_, floats * sizeof(float)), "slab");
    must(cudaMemset(slab_, 0, floats * sizeof(float)), "slab clear");
    must(cudaDeviceSynchronize(), "slab ready");
  }
  ~KvArena() { cudaFree(slab_); }
  float* acquire(size_t n) {
    auto& list = free_[n];
    if (!list.empty()) {
      float* p = list.back();
      list.pop_back();
      return p;
    }
    float* p = slab_ + used_;
    used_ += n + 64;
    return p;
  }
  void release(float* p, size_t n) { free_[n].push_back(p); }

 private:
  float* slab_ = nullptr;
  size_t used_ = 0;
  std::map<size_t, std::vector<float*>> free_;
};

class KvCache {
 public:
  KvCache(KvArena& arena, int capacity) : arena_(arena), capacity_(capacity), data_(arena.acquire(capacity)) {
    must(cudaMalloc(&table_, sizeof(float*)), "table");
    must(cudaMemcpy(table_, &data_, sizeof(float*), cudaMemcpyHostToDevice), "table init");
  }
  ~KvCache() {
    arena_.release(data_, capacity_);
    cudaFree(table_);
  }
  void reserve(int tokens, cudaStream_t s) {
    if (tokens <= capacity_) return;
    int wider = capacity_ * 2;
    float* moved = arena_.acquire(wider);
    must(cudaMemcpyAsync(moved, data_, capacity_ * sizeof(float), cudaMemcpyDeviceToDevice, s), "move");
    arena_.release(data_, capacity_);
    data_ = moved;
    capacity_ = wider;
    must(cudaMemcpyAsync(table_, &data_, sizeof(float*), cudaMemcpyHostToDevice, s), "table update");
    must(cudaStreamSynchronize(s), "grow");
  }
  float* data() const { return data_; }
  float* const* table() const { return table_; }
  int capacity() const { return capacity_; }
  int length = 0;

 private:
  KvArena& arena_;
  int capacity_;
  float* data_;
  float** table_ = nullptr;
};

constexpr int kPage = 64;
__global__ void append_token(float* kv, int* len, const float* token) {
  kv[*len] = *token;
  *len += 1;
}
__global__ void attend_pages(float* const* table, const int* len, float* out) {
  int i = blockIdx.x * kPage + threadIdx.x;
  if (i < *len) atomicAdd(out, (*table)[i]);
}

class Engine {
 public:
  Engine(KvArena& arena, int capacity) : cache_(arena, capacity) {
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    must(cudaMalloc(&token_, 2 * sizeof(float)), "token");
    must(cudaMalloc(&len_, sizeof(int)), "len");
    must(cudaMemset(len_, 0, sizeof(int)), "len clear");
    must(cudaDeviceSynchronize(), "engine ready");
  }
  ~Engine() {
    if (decode_) cudaGraphExecDestroy(*decode_);
    cudaFree(token_);
    cudaFree(len_);
    cudaStreamDestroy(stream_);
  }
  float decode(float token) {
    cache_.reserve(cache_.length + 1, stream_);
    if (decode_ && recorded_for_ != cache_.capacity()) {
      must(cudaGraphExecDestroy(*decode_), "drop");
      decode_.reset();
    }
    if (!decode_) decode_ = record();
    must(cudaMemcpyAsync(token_, &token, sizeof token, cudaMemcpyHostToDevice, stream_), "token");
    must(cudaGraphLaunch(*decode_, stream_), "launch");
    float score = 0;
    must(cudaMemcpyAsync(&score, token_ + 1, sizeof score, cudaMemcpyDeviceToHost, stream_), "score");
    must(cudaStreamSynchronize(stream_), "decode");
    ++cache_.length;
    return score;
  }

 private:
  int pages() const { return (cache_.capacity() + kPage - 1) / kPage; }
  cudaGraphExec_t record() {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    must(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    cudaMemsetAsync(token_ + 1, 0, sizeof(float), stream_);
    append_token<<<1, 1, 0, stream_>>>(cache_.data(), len_, token_);
    attend_pages<<<pages(), kPage, 0, stream_>>>(cache_.table(), len_, token_ + 1);
    must(cudaStreamEndCapture(stream_, &graph), "end");
    must(cudaGraphInstantiate(&exec, graph, 0), "instantiate");
    must(cudaGraphDestroy(graph), "graph");
    recorded_for_ = cache_.capacity();
    return exec;
  }
  KvCache cache_;
  cudaStream_t stream_ = nullptr;
  float* token_ = nullptr;
  int* len_ = nullptr;
  std::optional<cudaGraphExec_t> decode_;
  int recorded_for_ = 0;
};

static float generate(Engine& engine, int tokens) {
  float score = 0;
  for (int i = 0; i < tokens; ++i) score = engine.decode(1.0f);
  return score;
}

int main() {
  KvArena arena(8192);
  float roomy, growing;
  {
    Engine engine(arena, 256);
    roomy = generate(engine, 100);
  }
  {
    Engine engine(arena, 16);
    growing = generate(engine, 24);
  }
  if (roomy == 100.0f && growing == 24.0f) std::printf("LABEL CONFIRMED\n");
  else std::printf("LABEL REFUTED roomy %f growing %f\n", roomy, growing);
  return 0;
}
