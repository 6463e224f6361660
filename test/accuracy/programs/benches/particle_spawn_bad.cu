// Particle emitters: integrate the live particles every frame, emitters spawn more between frames.
#include <cuda_runtime.h>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define GPU(call)                                                                    \
  do {                                                                               \
    if (cudaError_t err = (call); err != cudaSuccess) {                              \
      std::printf("%d: %s\nLABEL UNOBSERVED\n", __LINE__, cudaGetErrorString(err));  \
      std::exit(1);                                                                  \
    }                                                                                \
  } while (0)

struct Particle {
  float pos, vel;
};

__global__ void integrate(Particle* p, int live, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < live) p[i].pos += p[i].vel * dt;
}

class Emitter {
 public:
  static constexpr int kCapacity = 2048;
  Emitter() = default;
  Emitter(const Emitter&) = delete;
  ~Emitter() { shutdown(); }

  void init(int id, float dt) {
    id_ = id;
    dt_ = dt;
    GPU(cudaStreamCreate(&stream_));
    GPU(cudaMalloc(&pool_, kCapacity * sizeof(Particle)));
    GPU(cudaMalloc(&snapshot_, kCapacity * sizeof(Particle)));
    GPU(cudaMalloc(&live_dev_, sizeof(int)));
    GPU(cudaMemset(pool_, 0, kCapacity * sizeof(Particle)));
    GPU(cudaMemset(snapshot_, 0, kCapacity * sizeof(Particle)));
    GPU(cudaMemset(live_dev_, 0, sizeof(int)));
  }

  void spawn(int count) {
    if (live_ + count > kCapacity) count = kCapacity - live_;
    std::vector<Particle> fresh(count);
    for (int k = 0; k < count; ++k) fresh[k] = {0.f, 1.f + float((live_ + k + id_) % 7)};
    GPU(cudaStreamSynchronize(stream_));
    GPU(cudaMemcpy(pool_ + live_, fresh.data(), count * sizeof(Particle), cudaMemcpyHostToDevice));
    for (int k = 0; k < count; ++k) mirror_.push_back(fresh[k]);
    live_ += count;  // HAZARD dynamic_shape #live
    GPU(cudaMemcpy(live_dev_, &live_, sizeof(int), cudaMemcpyHostToDevice));
  }

  void frame() {
    if (exec_ == nullptr) build();
    GPU(cudaGraphLaunch(exec_, stream_));
    for (Particle& m : mirror_) m.pos += m.vel * dt_;
  }

  int check() {
    std::vector<Particle> h(kCapacity);
    GPU(cudaStreamSynchronize(stream_));
    GPU(cudaMemcpy(h.data(), snapshot_, kCapacity * sizeof(Particle), cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int i = 0; i < live_; ++i)
      if (std::fabs(h[i].pos - mirror_[i].pos) > 1e-3f) ++bad;
    return bad;
  }
  int live() const { return live_; }

  void shutdown() {
    if (!stream_) return;
    GPU(cudaStreamSynchronize(stream_));
    if (exec_) GPU(cudaGraphExecDestroy(exec_));
    GPU(cudaFree(pool_));
    GPU(cudaFree(snapshot_));
    GPU(cudaFree(live_dev_));
    GPU(cudaStreamDestroy(stream_));
    exec_ = nullptr;
    stream_ = nullptr;
  }

 private:
  void build() {
    cudaGraph_t g;
    GPU(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    integrate<<<(live_ + 255) / 256, 256, 0, stream_>>>(pool_, live_, dt_);  // HAZARD dynamic_shape #live
    GPU(cudaMemcpyAsync(snapshot_, pool_, live_ * sizeof(Particle), cudaMemcpyDeviceToDevice, stream_));  // HAZARD dynamic_shape #live
    GPU(cudaStreamEndCapture(stream_, &g));
    GPU(cudaGraphInstantiate(&exec_, g, 0));
    GPU(cudaGraphDestroy(g));
  }

  int id_ = 0, live_ = 0;
  float dt_ = 0;
  Particle *pool_ = nullptr, *snapshot_ = nullptr;
  int* live_dev_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  std::vector<Particle> mirror_;
};

int main() {
  const std::array<float, 2> dts = {0.01f, 0.05f};
  int before = 0, after = 0;
  for (float dt : dts) {
    std::array<Emitter, 3> emitters;
    for (int i = 0; i < 3; ++i) {
      emitters[i].init(i, dt);
      emitters[i].spawn(100 + 50 * i);
    }
    for (int f = 0; f < 12; ++f) {
      for (Emitter& e : emitters) e.frame();
      if (f < 4)
        for (Emitter& e : emitters) before += e.check();
      else
        for (Emitter& e : emitters) after += e.check();
      if (f == 3 || f == 7)
        for (Emitter& e : emitters) e.spawn(300);
    }
    std::printf("dt %.2f live %d %d %d wrong before %d after %d\n", dt, emitters[0].live(), emitters[1].live(),
                emitters[2].live(), before, after);
  }
  if (before == 0 && after > 0) {
    std::printf("LABEL CONFIRMED\n");
    return 0;
  }
  std::printf("LABEL UNOBSERVED\n");
  return 1;
}
