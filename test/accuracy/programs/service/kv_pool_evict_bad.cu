#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace serve {

inline void cuda_ok(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

constexpr int kBlockWords = 256;

// word 0 is the length, the rest are token slots
__global__ void append_token(int* kv, const int* token) {
  const int len = kv[0];
  kv[1 + len] = *token;
  kv[0] = len + 1;
}

class BlockPool {
 public:
  ~BlockPool() {
    for (int* p : all_) cudaFree(p);
  }
  std::shared_ptr<int> acquire() {
    int* p = nullptr;
    if (!free_.empty()) {
      p = free_.back();
      free_.pop_back();
    } else {
      cuda_ok(cudaMalloc(&p, kBlockWords * sizeof(int)), "kv block");
      all_.push_back(p);
    }
    return std::shared_ptr<int>(p, [this](int* b) { free_.push_back(b); });
  }

 private:
  std::vector<int*> all_, free_;
};

struct Session {
  uint64_t id;
  std::shared_ptr<int> kv;
};

class SessionCache {
 public:
  SessionCache(BlockPool& pool, size_t cap, cudaStream_t s) : pool_(pool), cap_(cap), stream_(s) {}

  Session& touch(uint64_t id) {
    auto it = index_.find(id);
    if (it != index_.end()) {
      lru_.splice(lru_.begin(), lru_, it->second);
      return lru_.front();
    }
    if (lru_.size() == cap_) {
      index_.erase(lru_.back().id);
      lru_.pop_back();  // HAZARD dangling #1
    }
    lru_.push_front(Session{id, pool_.acquire()});
    index_[id] = lru_.begin();
    cuda_ok(cudaMemsetAsync(lru_.front().kv.get(), 0, kBlockWords * sizeof(int), stream_), "clear kv");
    return lru_.front();
  }

 private:
  BlockPool& pool_;
  size_t cap_;
  cudaStream_t stream_;
  std::list<Session> lru_;
  std::unordered_map<uint64_t, std::list<Session>::iterator> index_;
};

struct DecodeGraph {
  cudaGraphExec_t exec = nullptr;
};

class Engine {
 public:
  explicit Engine(size_t max_sessions) {
    cuda_ok(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    cuda_ok(cudaMalloc(&token_, sizeof(int)), "token");
    cache_ = std::make_unique<SessionCache>(pool_, max_sessions, stream_);
  }
  ~Engine() {
    for (auto& g : graphs_) cudaGraphExecDestroy(g.second.exec);
    graphs_.clear();
    cache_.reset();
    cudaFree(token_);
    cudaStreamDestroy(stream_);
  }

  void decode(uint64_t id, int token) {
    Session& s = cache_->touch(id);
    DecodeGraph& g = graphs_[id];
    if (!g.exec) capture(g, s);
    cuda_ok(cudaMemcpyAsync(token_, &token, sizeof token, cudaMemcpyHostToDevice, stream_), "token h2d");
    cuda_ok(cudaGraphLaunch(g.exec, stream_), "replay");
    cuda_ok(cudaStreamSynchronize(stream_), "decode");
  }

  std::vector<int> tokens(uint64_t id) {
    std::vector<int> host(kBlockWords);
    cuda_ok(cudaMemcpyAsync(host.data(), cache_->touch(id).kv.get(), kBlockWords * sizeof(int),
                            cudaMemcpyDeviceToHost, stream_), "kv d2h");
    cuda_ok(cudaStreamSynchronize(stream_), "tokens");
    return std::vector<int>(host.begin() + 1, host.begin() + 1 + host[0]);
  }

 private:
  void capture(DecodeGraph& g, const Session& s) {
    cuda_ok(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    append_token<<<1, 1, 0, stream_>>>(s.kv.get(), token_);  // HAZARD dangling #1
    const cudaError_t launched = cudaGetLastError();
    cudaGraph_t graph = nullptr;
    cuda_ok(cudaStreamEndCapture(stream_, &graph), "end");
    cuda_ok(launched, "append_token");
    cuda_ok(cudaGraphInstantiate(&g.exec, graph, 0), "instantiate");
    cuda_ok(cudaGraphDestroy(graph), "graph");
  }

  BlockPool pool_;
  cudaStream_t stream_ = nullptr;
  int* token_ = nullptr;
  std::unique_ptr<SessionCache> cache_;
  std::unordered_map<uint64_t, DecodeGraph> graphs_;
};

}  // namespace serve

int main() {
  try {
    serve::Engine eng(2);
    eng.decode(1, 11);
    eng.decode(1, 12);
    eng.decode(2, 21);
    eng.decode(3, 31);
    eng.decode(1, 13);
    eng.decode(3, 32);
    const bool good = eng.tokens(3) == std::vector<int>{31, 32} && eng.tokens(1) == std::vector<int>{13};
    std::puts(good ? "LABEL REFUTED" : "LABEL CONFIRMED");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::puts("LABEL REFUTED");
  }
  return 0;
}
