// Policy-based particle system; the update pass is recorded once and replayed every tick.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define ENG_VERIFY(call)                                                   \
  do {                                                                     \
    cudaError_t r_ = (call);                                               \
    if (r_ != cudaSuccess) {                                               \
      printf("[engine] %s: %s\n", #call, cudaGetErrorName(r_));            \
      printf("LABEL UNOBSERVED\n");                                        \
      exit(1);                                                             \
    }                                                                      \
  } while (0)

namespace fx {

struct Particle { float x, y, vx, vy; };
struct EmitterHeader { int alive; int frame; };

struct Gravity {
  float g;
  __device__ void apply(Particle& p, float dt) const { p.vy -= g * dt; }
};
struct Wind {
  float ax;
  __device__ void apply(Particle& p, float dt) const { p.vx += ax * dt; }
};
template <class... Fs> struct Forces;
template <> struct Forces<> { __device__ void apply(Particle&, float) const {} };
template <class F, class... Rest>
struct Forces<F, Rest...> {
  F head;
  Forces<Rest...> tail;
  __device__ void apply(Particle& p, float dt) const { head.apply(p, dt); tail.apply(p, dt); }
};

template <class Force>
__global__ void integrate(Particle* ps, const EmitterHeader* hdr, Force f, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= hdr->alive) return;
  Particle p = ps[i];
  f.apply(p, dt);
  p.x += p.vx * dt;
  p.y += p.vy * dt;
  ps[i] = p;
}
__global__ void tick_header(EmitterHeader* hdr) { hdr->frame++; }

template <class Force>
class Emitter {
 public:
  Emitter(int capacity, Force f) : capacity_(capacity), force_(f) {
    ENG_VERIFY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    ENG_VERIFY(cudaMalloc(&pool_, capacity * sizeof(Particle)));
    ENG_VERIFY(cudaMalloc(&header_, sizeof(EmitterHeader)));
    ENG_VERIFY(cudaMemsetAsync(header_, 0, sizeof(EmitterHeader), stream_));
    ENG_VERIFY(cudaStreamSynchronize(stream_));
  }
  ~Emitter() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(pool_);
    cudaFree(header_);
    cudaStreamDestroy(stream_);
  }
  Emitter(const Emitter&) = delete;

  void spawn(const std::vector<Particle>& fresh) {
    const int n = int(fresh.size());
    if (alive_ + n > capacity_) return;
    ENG_VERIFY(cudaMemcpyAsync(pool_ + alive_, fresh.data(), n * sizeof(Particle), cudaMemcpyHostToDevice, stream_));
    alive_ += n;  // HAZARD dynamic_shape #spawn
    ENG_VERIFY(cudaMemcpyAsync(&header_->alive, &alive_, sizeof(int), cudaMemcpyHostToDevice, stream_));
    ENG_VERIFY(cudaStreamSynchronize(stream_));
  }

  void tick() {
    if (!exec_) record();
    ENG_VERIFY(cudaGraphLaunch(exec_, stream_));
  }

  std::vector<Particle> read(int& frame) {
    std::vector<Particle> v(alive_);
    EmitterHeader h{};
    ENG_VERIFY(cudaMemcpyAsync(v.data(), pool_, alive_ * sizeof(Particle), cudaMemcpyDeviceToHost, stream_));
    ENG_VERIFY(cudaMemcpyAsync(&h, header_, sizeof h, cudaMemcpyDeviceToHost, stream_));
    ENG_VERIFY(cudaStreamSynchronize(stream_));
    frame = h.frame;
    return v;
  }

 private:
  static constexpr int kBlock = 128;
  static constexpr float kDt = 1.f / 64.f;
  static int blocks_for(int n) { return n > 0 ? (n + kBlock - 1) / kBlock : 1; }

  void record() {
    cudaGraph_t g;
    ENG_VERIFY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    integrate<<<blocks_for(alive_), kBlock, 0, stream_>>>(pool_, header_, force_, kDt);  // HAZARD dynamic_shape #spawn
    tick_header<<<1, 1, 0, stream_>>>(header_);
    ENG_VERIFY(cudaGetLastError());
    ENG_VERIFY(cudaStreamEndCapture(stream_, &g));
    ENG_VERIFY(cudaGraphInstantiateWithFlags(&exec_, g, 0));
    ENG_VERIFY(cudaGraphDestroy(g));
  }

  const int capacity_;
  const Force force_;
  int alive_ = 0;
  cudaStream_t stream_ = nullptr;
  Particle* pool_ = nullptr;
  EmitterHeader* header_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace fx

int main() {
  using Force = fx::Forces<fx::Gravity, fx::Wind>;
  Force f{fx::Gravity{0.f}, {fx::Wind{0.f}, {}}};
  fx::Emitter<Force> em(4096, f);
  auto burst = [](int n) { return std::vector<fx::Particle>(n, fx::Particle{0.f, 0.f, 64.f, 32.f}); };

  em.spawn(burst(200));
  for (int i = 0; i < 4; ++i) em.tick();
  em.spawn(burst(1000));
  for (int i = 0; i < 3; ++i) em.tick();
  int frame = 0;
  auto ps = em.read(frame);

  int old_good = 0, new_good = 0, new_still = 0;
  for (size_t i = 0; i < ps.size(); ++i) {
    if (i < 200) old_good += std::fabs(ps[i].x - 7.f) < 1e-4f && std::fabs(ps[i].y - 3.5f) < 1e-4f;
    else {
      new_good += std::fabs(ps[i].x - 3.f) < 1e-4f && std::fabs(ps[i].y - 1.5f) < 1e-4f;
      new_still += ps[i].x == 0.f && ps[i].y == 0.f;
    }
  }
  printf("frames %d: old %d/200 new %d/1000 still %d\n", frame, old_good, new_good, new_still);
  bool confirmed = frame == 7 && old_good == 200 && new_good < 100 && new_still > 900;
  printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
  return confirmed ? 0 : 1;
}
