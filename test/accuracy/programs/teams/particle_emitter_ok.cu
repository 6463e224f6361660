// Game VFX: emitters spawn particles and integrate them once per frame.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <vector>

namespace vfx {

struct Particle {
  float x, y, vx, vy;
};

struct FrameState {
  uint32_t seed;
  int alive;
};

__host__ __device__ inline uint32_t mix(uint32_t v) {
  v ^= v >> 16;
  v *= 0x7feb352du;
  v ^= v >> 15;
  v *= 0x846ca68bu;
  return v ^ (v >> 16);
}

__global__ void spawn(Particle* ring, int count, FrameState* frame) {
  int i = threadIdx.x;
  const uint32_t seed = frame->seed;
  if (i < count) ring[i].vx = (mix(seed + i) & 0xffff) / 65536.f;
  __syncthreads();
  if (i == 0) frame->seed = mix(seed + 0x9e3779b9u);
}

__global__ void integrate(Particle* all, const FrameState* frame, float dt) {
  const int alive = frame->alive;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < alive; i += gridDim.x * blockDim.x) all[i].y += 1.0f * dt;
}

struct StreamDeleter {
  void operator()(CUstream_st* s) const { cudaStreamDestroy(s); }
};
struct ExecDeleter {
  void operator()(CUgraphExec_st* e) const { cudaGraphExecDestroy(e); }
};

class Emitter {
 public:
  static constexpr int kSpawn = 64;

  Emitter(int capacity, uint32_t seed) : capacity_(capacity), rng_(seed) {
    cudaStream_t s = nullptr;
    note(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    stream_.reset(s);
    note(cudaMalloc(&particles_, sizeof(Particle) * capacity_));
    note(cudaMemsetAsync(particles_, 0, sizeof(Particle) * capacity_, s));
    note(cudaMalloc(&frame_, sizeof(FrameState)));
    FrameState initial{static_cast<uint32_t>(rng_()), alive_};
    note(cudaMemcpyAsync(frame_, &initial, sizeof initial, cudaMemcpyHostToDevice, s));
    note(cudaStreamSynchronize(s));
  }
  ~Emitter() {
    frameGraph_.reset();
    cudaFree(particles_);
    cudaFree(frame_);
  }

  void burst(int extra) {
    alive_ = std::min(capacity_, alive_ + extra);
    note(cudaMemcpyAsync(&frame_->alive, &alive_, sizeof alive_, cudaMemcpyHostToDevice, stream_.get()));
  }

  void update() {
    if (!frameGraph_) frameGraph_ = capture([this](cudaStream_t s) { simulate(s); });
    note(cudaGraphLaunch(frameGraph_.get(), stream_.get()));
  }

  std::vector<Particle> snapshot() {
    std::vector<Particle> host(capacity_);
    note(cudaMemcpyAsync(host.data(), particles_, sizeof(Particle) * capacity_, cudaMemcpyDeviceToHost, stream_.get()));
    note(cudaStreamSynchronize(stream_.get()));
    return host;
  }

  cudaError_t status() const { return status_; }

 private:
  using Exec = std::unique_ptr<CUgraphExec_st, ExecDeleter>;

  void simulate(cudaStream_t s) {
    spawn<<<1, kSpawn, 0, s>>>(particles_, kSpawn, frame_);
    integrate<<<(capacity_ + 127) / 128, 128, 0, s>>>(particles_, frame_, 0.5f);
  }

  template <class Body>
  Exec capture(Body&& body) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    note(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal));
    body(stream_.get());
    note(cudaStreamEndCapture(stream_.get(), &graph));
    note(cudaGraphInstantiate(&exec, graph, 0));
    note(cudaGraphDestroy(graph));
    return Exec(exec);
  }

  void note(cudaError_t e) {
    if (status_ == cudaSuccess) status_ = e;
  }

  int capacity_;
  int alive_ = 256;
  std::mt19937 rng_;
  cudaError_t status_ = cudaSuccess;
  std::unique_ptr<CUstream_st, StreamDeleter> stream_;
  Exec frameGraph_;
  Particle* particles_ = nullptr;
  FrameState* frame_ = nullptr;
};

}  // namespace vfx

int main() {
  vfx::Emitter sparks(4096, 1234);
  sparks.update();
  auto a = sparks.snapshot();
  sparks.burst(2000);
  sparks.update();
  auto b = sparks.snapshot();
  int same = 0;
  for (int i = 0; i < vfx::Emitter::kSpawn; ++i) same += a[i].vx == b[i].vx;
  std::printf("same velocities %d, y[10] %.2f, y[2000] %.2f, status %d\n", same, b[10].y, b[2000].y, sparks.status());
  const bool clean = sparks.status() == cudaSuccess && b[10].y == 1.0f;
  const bool holds = clean && same < 4 && b[2000].y == 0.5f;
  std::puts(holds ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
