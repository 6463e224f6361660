// Market data bridge: top-of-book is computed on the device and handed to subscribers after every tick.
#include <cuda_runtime.h>

#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace md {

inline void require(cudaError_t rc, const char* call) {
  if (rc != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(rc));
}

constexpr int kLevels = 256;

struct TopOfBook {
  float bid;
  float depth;
};

__global__ void reduceBook(const float* price, const float* size, TopOfBook* top) {
  __shared__ float best[kLevels], sum[kLevels];
  const int t = threadIdx.x;
  best[t] = price[t];
  sum[t] = size[t];
  __syncthreads();
  for (int d = kLevels / 2; d > 0; d /= 2) {
    if (t < d) {
      best[t] = fmaxf(best[t], best[t + d]);
      sum[t] += sum[t + d];
    }
    __syncthreads();
  }
  if (t == 0) *top = {best[0], sum[0]};
}

// Shared with readers; `sequence` moves on when `top` is new.
struct Snapshot {
  TopOfBook* device = nullptr;
  TopOfBook* top = nullptr;
  cudaStream_t copies = nullptr;
  std::atomic<unsigned> sequence{0};
  std::atomic<int> lastError{cudaSuccess};
};

class Bridge {
 public:
  Bridge() {
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    require(cudaStreamCreateWithFlags(&snapshot_.copies, cudaStreamNonBlocking), "stream");
    require(cudaMalloc(&price_, kLevels * sizeof(float)), "price");
    require(cudaMalloc(&size_, kLevels * sizeof(float)), "size");
    require(cudaMalloc(&snapshot_.device, sizeof(TopOfBook)), "top");
    require(cudaMallocHost(&snapshot_.top, sizeof(TopOfBook)), "host top");
    *snapshot_.top = {0.0f, 0.0f};
  }
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;
  ~Bridge() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(price_);
    cudaFree(size_);
    cudaFree(snapshot_.device);
    cudaFreeHost(snapshot_.top);
    cudaStreamDestroy(snapshot_.copies);
    cudaStreamDestroy(stream_);
  }

  void compile() {
    require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    reduceBook<<<1, kLevels, 0, stream_>>>(price_, size_, snapshot_.device);
    require(cudaLaunchHostFunc(stream_, &Bridge::publish, &snapshot_), "publish");  // HAZARD callback #1
    cudaGraph_t graph = nullptr;
    require(cudaStreamEndCapture(stream_, &graph), "end");
    require(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    require(cudaGraphDestroy(graph), "destroy");
  }

  void tick(const std::vector<float>& price, const std::vector<float>& size) {
    require(cudaMemcpyAsync(price_, price.data(), kLevels * sizeof(float), cudaMemcpyHostToDevice, stream_), "price");
    require(cudaMemcpyAsync(size_, size.data(), kLevels * sizeof(float), cudaMemcpyHostToDevice, stream_), "size");
    require(cudaGraphLaunch(exec_, stream_), "launch");
    require(cudaStreamSynchronize(stream_), "tick");
  }
  const Snapshot& snapshot() const { return snapshot_; }

 private:
  static void CUDART_CB publish(void* user) {
    auto* snap = static_cast<Snapshot*>(user);
    const cudaError_t rc =
        cudaMemcpyAsync(snap->top, snap->device, sizeof(TopOfBook), cudaMemcpyDeviceToHost, snap->copies);  // HAZARD callback #1
    snap->lastError.store(rc);
    if (rc != cudaSuccess) return;
    snap->sequence.fetch_add(1, std::memory_order_release);
  }

  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *price_ = nullptr, *size_ = nullptr;
  Snapshot snapshot_;
};

}  // namespace md

int main() {
  try {
    md::Bridge bridge;
    bridge.compile();
    bool right = true;
    for (int k = 1; k <= 3; ++k) {
      std::vector<float> price(md::kLevels), size(md::kLevels, float(k));
      for (int i = 0; i < md::kLevels; ++i) price[i] = float(k * 1000 - i);
      bridge.tick(price, size);
      const md::Snapshot& s = bridge.snapshot();
      right = right && s.sequence == unsigned(k) && s.top->bid == float(k * 1000) && s.top->depth == float(k * md::kLevels);
    }
    std::fprintf(stderr, "%s\n", cudaGetErrorName(cudaError_t(bridge.snapshot().lastError.load())));
    std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::puts("LABEL REFUTED");
  }
  return 0;
}
