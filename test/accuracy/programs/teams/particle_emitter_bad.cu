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

__host__ __device__ inline uint32_t mix(uint32_t v) {
  v ^= v >> 16;
  v *= 0x7feb352du;
  v ^= v >> 15;
  v *= 0x846ca68bu;
  return v ^ (v >> 16);
}

__global__ void spawn(Particle* ring, int count, uint32_t seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) ring[i].vx = (mix(seed + i) & 0xffff) / 65536.f;
}

__global__ void integrate(Particle* all, int alive, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < alive) all[i].y += 1.0f * dt;
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
    note(cudaStreamSynchronize(s));
  }
  ~Emitter() {
    frameGraph_.reset();
    cudaFree(particles_);
  }

  void burst(int extra) {
    alive_ = std::min(capacity_, alive_ + extra);
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
    spawn<<<1, kSpawn, 0, s>>>(particles_, kSpawn, rng_());  // HAZARD random
    integrate<<<(alive_ + 127) / 128, 128, 0, s>>>(particles_, alive_, 0.5f);  // HAZARD dynamic_shape
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
  const bool holds = clean && same == vfx::Emitter::kSpawn && b[2000].y == 0.f;
  std::puts(holds ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
