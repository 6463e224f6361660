// CPU-spawned, GPU-integrated spark particles. Fixed simulation step; the frame is replayed as one graph.
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define GPU_ASSERT(call)                                                             \
  if (cudaError_t gpuErr = (call); gpuErr != cudaSuccess) {                          \
    std::fprintf(stderr, "[gpu] %s: %s\n", #call, cudaGetErrorString(gpuErr));       \
    std::abort();                                                                    \
  } else                                                                             \
    (void)0

namespace fx {

struct Spark {
  float height;
  float velocity;
};

constexpr float kStep = 1.0f / 64.0f;
constexpr float kGravity = -8.0f;
constexpr uint32_t kGroup = 64;

__global__ void IntegrateSparks(Spark* sparks, const uint32_t* liveCount) {
  const uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= *liveCount) return;
  Spark p = sparks[id];
  p.velocity += kGravity * kStep;
  p.height += p.velocity * kStep;
  sparks[id] = p;
}

template <class T>
class View {
 public:
  View(T* first, std::size_t count) : first_(first), count_(count) {}
  T* data() const { return first_; }
  uint32_t groups(uint32_t width) const { return static_cast<uint32_t>((count_ + width - 1) / width); }

 private:
  T* first_;
  std::size_t count_;
};

class SparkPool {
 public:
  explicit SparkPool(uint32_t capacity) : capacity_(capacity) {
    GPU_ASSERT(cudaMalloc(&sparks_, capacity * sizeof(Spark)));
    GPU_ASSERT(cudaMalloc(&liveOnGpu_, sizeof(uint32_t)));
  }
  ~SparkPool() {
    cudaFree(liveOnGpu_);
    cudaFree(sparks_);
  }
  SparkPool(const SparkPool&) = delete;
  SparkPool& operator=(const SparkPool&) = delete;

  void Spawn(uint32_t howMany, const Spark& seed, cudaStream_t stream) {
    for (uint32_t i = 0; i < howMany && live_ < capacity_; ++i, ++live_)
      GPU_ASSERT(cudaMemcpyAsync(sparks_ + live_, &seed, sizeof seed, cudaMemcpyHostToDevice, stream));
    GPU_ASSERT(cudaMemcpyAsync(liveOnGpu_, &live_, sizeof live_, cudaMemcpyHostToDevice, stream));
  }

  View<Spark> Live() const { return {sparks_, live_}; }
  View<Spark> Storage() const { return {sparks_, capacity_}; }
  const uint32_t* LiveCount() const { return liveOnGpu_; }
  uint32_t Size() const { return live_; }

 private:
  const uint32_t capacity_;
  uint32_t live_ = 0;
  Spark* sparks_ = nullptr;
  uint32_t* liveOnGpu_ = nullptr;
};

class FrameGraph {
 public:
  FrameGraph(SparkPool& pool, cudaStream_t stream) : pool_(pool), stream_(stream) {}
  ~FrameGraph() {
    if (frame_) cudaGraphExecDestroy(frame_);
  }
  FrameGraph(const FrameGraph&) = delete;
  FrameGraph& operator=(const FrameGraph&) = delete;

  void Tick() {
    if (!frame_) {
      BeginFrame();
      Simulate();
      EndFrame();
    }
    GPU_ASSERT(cudaGraphLaunch(frame_, stream_));
  }

 private:
  void BeginFrame() { GPU_ASSERT(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal)); }

  void Simulate() {
    const View<Spark> sparks = pool_.Live();
    IntegrateSparks<<<sparks.groups(kGroup), kGroup, 0, stream_>>>(sparks.data(), pool_.LiveCount());  // HAZARD dynamic_shape
    GPU_ASSERT(cudaGetLastError());
  }

  void EndFrame() {
    cudaGraph_t recorded = nullptr;
    GPU_ASSERT(cudaStreamEndCapture(stream_, &recorded));
    GPU_ASSERT(cudaGraphInstantiate(&frame_, recorded, 0));
    GPU_ASSERT(cudaGraphDestroy(recorded));
  }

  SparkPool& pool_;
  cudaStream_t stream_;
  cudaGraphExec_t frame_ = nullptr;
};

}  // namespace fx

int main() {
  using namespace fx;
  constexpr uint32_t kBurst = 100, kFrames = 4;
  cudaStream_t stream;
  GPU_ASSERT(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  static Spark seen[kBurst * kFrames];
  bool right = true;
  {
    SparkPool pool(1024);
    FrameGraph graph(pool, stream);
    for (uint32_t f = 0; f < kFrames; ++f) {
      pool.Spawn(kBurst, Spark{1.0f, 4.0f}, stream);
      graph.Tick();
    }
    GPU_ASSERT(cudaMemcpyAsync(seen, pool.Live().data(), sizeof seen, cudaMemcpyDeviceToHost, stream));
    GPU_ASSERT(cudaStreamSynchronize(stream));
    for (uint32_t i = 0; i < pool.Size(); ++i) {
      Spark p{1.0f, 4.0f};
      for (uint32_t f = i / kBurst; f < kFrames; ++f) {
        p.velocity += kGravity * kStep;
        p.height += p.velocity * kStep;
      }
      right = right && std::fabs(p.height - seen[i].height) < 1e-4f;
    }
  }
  GPU_ASSERT(cudaStreamDestroy(stream));
  std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
  return 0;
}
