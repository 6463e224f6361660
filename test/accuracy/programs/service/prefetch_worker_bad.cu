#include <cuda_runtime.h>

#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace llm {

class CudaFailure : public std::runtime_error {
 public:
  CudaFailure(cudaError_t code, const char* what)
      : std::runtime_error(std::string(what) + ": " + cudaGetErrorName(code)), code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};
inline void require(cudaError_t rc, const char* what) {
  if (rc != cudaSuccess) throw CudaFailure(rc, what);
}

constexpr int kHidden = 1024;
constexpr int kChunk = 1 << 16;

__global__ void rms_norm(float* h, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) h[i] *= 0.5f;
}
__global__ void add_residual(float* h, const float* r, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) h[i] += r[i];
}

// Streams adapter weights through the device to keep them warm in the page cache and validate them.
class AdapterPrefetcher {
 public:
  AdapterPrefetcher() : host_(kChunk, 1.0f) {}
  ~AdapterPrefetcher() { stop(); }

  void start() {
    running_ = true;
    worker_ = std::thread([this] { loop(); });
    while (chunks_ + refused_ == 0) std::this_thread::yield();
  }
  void stop() {
    running_ = false;
    if (worker_.joinable()) worker_.join();
  }
  int refused() const { return refused_; }
  int chunks() const { return chunks_; }

 private:
  void loop() {
    cudaStream_t copy = nullptr;
    if (cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking) != cudaSuccess) {
      ++refused_;
      return;
    }
    while (running_) {
      if (load_chunk(copy)) ++chunks_;
      else ++refused_;
    }
    cudaStreamDestroy(copy);
  }
  bool load_chunk(cudaStream_t copy) {
    float* staging = nullptr;
    if (cudaMalloc(&staging, kChunk * sizeof(float)) != cudaSuccess) return false;  // HAZARD concurrent #1
    const bool sent = cudaMemcpyAsync(staging, host_.data(), kChunk * sizeof(float), cudaMemcpyHostToDevice, copy) == cudaSuccess;
    return cudaFree(staging) == cudaSuccess && sent;  // HAZARD concurrent #1
  }

  std::vector<float> host_;
  std::atomic<bool> running_{false};
  std::atomic<int> chunks_{0}, refused_{0};
  std::thread worker_;
};

class DecodeSession {
 public:
  DecodeSession() {
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    require(cudaMalloc(&hidden_, kHidden * sizeof(float)), "hidden");
    require(cudaMalloc(&residual_, kHidden * sizeof(float)), "residual");
    const std::vector<float> one(kHidden, 1.0f);
    require(cudaMemcpy(residual_, one.data(), kHidden * sizeof(float), cudaMemcpyHostToDevice), "seed");
    require(cudaMemset(hidden_, 0, kHidden * sizeof(float)), "clear");
    require(cudaDeviceSynchronize(), "init");
  }
  ~DecodeSession() {
    drop();
    cudaFree(hidden_);
    cudaFree(residual_);
    cudaStreamDestroy(stream_);
  }

  // Called whenever the scheduler changes the layer plan.
  void rebuild(int layers) {
    drop();
    require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin");  // HAZARD concurrent #1
    for (int l = 0; l < layers; ++l) {
      rms_norm<<<kHidden / 256, 256, 0, stream_>>>(hidden_, kHidden);
      add_residual<<<kHidden / 256, 256, 0, stream_>>>(hidden_, residual_, kHidden);
    }
    const cudaError_t launched = cudaGetLastError();
    cudaGraph_t graph = nullptr;
    require(cudaStreamEndCapture(stream_, &graph), "end");
    const cudaError_t made = launched == cudaSuccess ? cudaGraphInstantiate(&exec_, graph, 0) : launched;
    require(cudaGraphDestroy(graph), "graph");
    require(made, "instantiate");
  }
  float step() {
    float v = 0.0f;
    require(cudaGraphLaunch(exec_, stream_), "launch");
    require(cudaMemcpyAsync(&v, hidden_ + 3, sizeof v, cudaMemcpyDeviceToHost, stream_), "logit");
    require(cudaStreamSynchronize(stream_), "step");
    return v;
  }

 private:
  void drop() {
    if (exec_) cudaGraphExecDestroy(exec_);
    exec_ = nullptr;
  }
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *hidden_ = nullptr, *residual_ = nullptr;
};

}  // namespace llm

int main() {
  int broken = 0, wrong = 0, refused = 0;
  bool up = false;
  try {
    llm::DecodeSession session;
    session.rebuild(2);
    float want = 0.0f;
    llm::AdapterPrefetcher prefetcher;
    prefetcher.start();
    up = true;
    for (int i = 0; i < 400 && broken == 0; ++i) {
      const int layers = 8 + i % 8;
      try {
        session.rebuild(layers);
        for (int l = 0; l < layers; ++l) want = want * 0.5f + 1.0f;
        if (session.step() != want) ++wrong;
      } catch (const llm::CudaFailure& e) {
        std::fprintf(stderr, "%s\n", e.what());
        ++broken;
      }
    }
    prefetcher.stop();
    refused = prefetcher.refused();
    std::printf("%d chunks, %d refused, %d wrong\n", prefetcher.chunks(), refused, wrong);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    up = false;
  }
  std::puts(!up ? "LABEL REFUTED" : broken || refused ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
