// Spark effect of a game: jittered velocities, a gust of wind every fourth frame, then integration.
// Entities live in component pools; the GPU systems of one frame are recorded as a graph.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

namespace fx {

constexpr float kDt = 0.02f;
constexpr float kJitter = 0.8f;
constexpr float kGust = 0.5f;
constexpr int kGustPeriod = 4;

static int errorCount = 0;
static void verify(cudaError_t e, int line) {
  if (e == cudaSuccess) return;
  std::printf("fx:%d: %s\n", line, cudaGetErrorString(e));
  ++errorCount;
}
#define FX(call) ::fx::verify((call), __LINE__)

__host__ __device__ inline float hashSigned(uint32_t seed, uint32_t id) {
  uint32_t h = seed ^ (id * 0x9E3779B9u);
  h ^= h >> 16;
  h *= 0x7FEB352Du;
  h ^= h >> 15;
  h *= 0x846CA68Bu;
  h ^= h >> 16;
  return float(h >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

__global__ void jitterSystem(float* vel, uint32_t seed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) vel[i] += kJitter * hashSigned(seed, i);
}
__global__ void gustSystem(float* vel, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) vel[i] += kGust;
}
__global__ void moveSystem(float* pos, const float* vel, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) pos[i] += vel[i] * kDt;
}

struct FloatPool {
  float* data = nullptr;
  explicit FloatPool(int n) {
    FX(cudaMalloc(&data, n * sizeof(float)));
    FX(cudaMemset(data, 0, n * sizeof(float)));
  }
  ~FloatPool() { cudaFree(data); }
  FloatPool(const FloatPool&) = delete;
  FloatPool& operator=(const FloatPool&) = delete;
};

struct Registry {
  int count;
  FloatPool position, velocity;
  explicit Registry(int n) : count(n), position(n), velocity(n) {}
};

class FrameRandom {
 public:
  explicit FrameRandom(uint32_t s) : state_(s) {}
  uint32_t next() { return state_ = state_ * 1664525u + 1013904223u; }

 private:
  uint32_t state_;
};

class SparkEmitter {
 public:
  SparkEmitter(Registry& reg, uint32_t seed) : reg_(reg), random_(seed) {
    FX(cudaDeviceSynchronize());
    FX(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  ~SparkEmitter() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaStreamDestroy(stream_);
  }

  void frame() {
    if (!exec_) record();
    if (!exec_) return;
    FX(cudaGraphLaunch(exec_, stream_));
    FX(cudaStreamSynchronize(stream_));
    ++frame_;
  }

 private:
  void record() {
    const int n = reg_.count, blocks = (n + 255) / 256;
    cudaGraph_t graph = nullptr;
    FX(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    runSystems(n, blocks);
    FX(cudaStreamEndCapture(stream_, &graph));
    if (!graph) return;
    FX(cudaGraphInstantiate(&exec_, graph, 0));
    FX(cudaGraphDestroy(graph));
  }

  void runSystems(int n, int blocks) {
    jitterSystem<<<blocks, 256, 0, stream_>>>(reg_.velocity.data, random_.next(), n);  // HAZARD random #seed
    if (frame_ % kGustPeriod == 0)  // HAZARD host_logic #gust
      gustSystem<<<blocks, 256, 0, stream_>>>(reg_.velocity.data, n);  // HAZARD host_logic #gust
    moveSystem<<<blocks, 256, 0, stream_>>>(reg_.position.data, reg_.velocity.data, n);
  }

  Registry& reg_;
  FrameRandom random_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  int frame_ = 0;
};

// The CPU fallback renders the same effect and defines what it has to look like.
class SoftwareEmitter {
 public:
  SoftwareEmitter(int n, uint32_t seed) : pos_(n, 0.0f), vel_(n, 0.0f), random_(seed) {}
  void frame() {
    const uint32_t seed = random_.next();
    for (size_t i = 0; i < pos_.size(); ++i) {
      vel_[i] += kJitter * hashSigned(seed, uint32_t(i));
      if (frame_ % kGustPeriod == 0) vel_[i] += kGust;
      pos_[i] += vel_[i] * kDt;
    }
    ++frame_;
  }
  const std::vector<float>& positions() const { return pos_; }

 private:
  std::vector<float> pos_, vel_;
  FrameRandom random_;
  int frame_ = 0;
};

}  // namespace fx

int main() {
  using namespace fx;
  const int n = 3000;
  const uint32_t seed = 20240517u;
  int wrong = 0;
  {
    Registry registry(n);
    SparkEmitter gpu(registry, seed);
    SoftwareEmitter cpu(n, seed);
    std::vector<float> got(n);
    for (int f = 0; f < 24 && errorCount == 0; ++f) {
      gpu.frame();
      cpu.frame();
      FX(cudaMemcpy(got.data(), registry.position.data, n * sizeof(float), cudaMemcpyDeviceToHost));
      for (int i = 0; i < n; ++i)
        if (std::fabs(got[i] - cpu.positions()[i]) > 1e-3f) ++wrong;
    }
  }
  std::printf("sparks off course: %d, errors: %d\n", wrong, errorCount);
  std::puts(wrong && !errorCount ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
