// Entity world with a particle component: systems are recorded into a step graph.
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

constexpr int kCapacity = 1024;
constexpr unsigned long long kSeed = 1234ULL;

__global__ void jitter(float* noise, int n, const unsigned long long* frame) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  curandStatePhilox4_32_10_t st;
  curand_init(kSeed, i, *frame * 4, &st);
  noise[i] = curand_uniform(&st);
}
__global__ void nextFrame(unsigned long long* frame) { ++*frame; }
__global__ void ageParticles(int* age, const int* alive) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < *alive) ++age[i];
}
__global__ void integrate(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + 1.0f;
}

struct Particles {
  float *front = nullptr, *back = nullptr, *noise = nullptr;
  int* age = nullptr;
  int count = 0;
  int* alive = nullptr;
};

struct World {
  Particles particles;
  unsigned long long* frame = nullptr;
  cudaStream_t stream = nullptr;

  World() {
    auto& p = particles;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (float** b : {&p.front, &p.back, &p.noise}) {
      cudaMalloc(b, kCapacity * sizeof(float));
      cudaMemset(*b, 0, kCapacity * sizeof(float));
    }
    cudaMalloc(&p.age, kCapacity * sizeof(int));
    cudaMemset(p.age, 0, kCapacity * sizeof(int));
    cudaMalloc(&p.alive, sizeof(int));
    cudaMalloc(&frame, sizeof *frame);
    cudaMemset(frame, 0, sizeof *frame);
    cudaDeviceSynchronize();
  }
  ~World() {
    for (float* b : {particles.front, particles.back, particles.noise}) cudaFree(b);
    cudaFree(particles.age);
    cudaFree(particles.alive);
    cudaFree(frame);
    cudaStreamDestroy(stream);
  }
  void spawn(int n) {
    particles.count += n;
    cudaMemcpyAsync(particles.alive, &particles.count, sizeof(int), cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
  }
};

namespace systems {
void jitterSystem(World& w) {
  jitter<<<kCapacity / 128, 128, 0, w.stream>>>(w.particles.noise, kCapacity, w.frame);
  nextFrame<<<1, 1, 0, w.stream>>>(w.frame);
}
void motionSystem(World& w) {
  integrate<<<kCapacity / 128, 128, 0, w.stream>>>(w.particles.front, w.particles.back, kCapacity);
}
void ageSystem(World& w) {
  ageParticles<<<kCapacity / 64, 64, 0, w.stream>>>(w.particles.age, w.particles.alive);
}
}  // namespace systems

class Scheduler {
 public:
  explicit Scheduler(World& w) : world_(w), systems_{systems::jitterSystem, systems::motionSystem, systems::ageSystem} {}
  ~Scheduler() { for (auto e : execs_) if (e) cudaGraphExecDestroy(e); }
  cudaError_t step() {
    cudaGraphExec_t& exec = execs_[parity_];
    if (!exec) {
      cudaError_t rc = build(exec);
      if (rc != cudaSuccess) return rc;
    }
    cudaError_t rc = cudaGraphLaunch(exec, world_.stream);
    std::swap(world_.particles.front, world_.particles.back);
    parity_ ^= 1;
    return rc;
  }

 private:
  cudaError_t build(cudaGraphExec_t& exec) {
    cudaGraph_t graph = nullptr;
    cudaStreamBeginCapture(world_.stream, cudaStreamCaptureModeThreadLocal);
    for (auto& s : systems_) s(world_);
    cudaError_t rc = cudaStreamEndCapture(world_.stream, &graph);
    if (rc != cudaSuccess) return rc;
    rc = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    return rc;
  }
  World& world_;
  std::vector<std::function<void(World&)>> systems_;
  cudaGraphExec_t execs_[2] = {};
  int parity_ = 0;
};

template <class T>
T peek(const T* p, World& w) {
  T v{};
  cudaMemcpyAsync(&v, p, sizeof v, cudaMemcpyDeviceToHost, w.stream);
  cudaStreamSynchronize(w.stream);
  return v;
}

int main() {
  World world;
  Scheduler scheduler(world);
  world.spawn(64);
  bool clean = scheduler.step() == cudaSuccess;
  float n1 = peek(world.particles.noise + 17, world);
  world.spawn(136);
  clean = scheduler.step() == cudaSuccess && clean;
  float n2 = peek(world.particles.noise + 17, world);
  clean = scheduler.step() == cudaSuccess && clean;
  float pos = peek(world.particles.front, world);
  int oldest = peek(world.particles.age, world), newest = peek(world.particles.age + 199, world);
  clean = clean && oldest == 3 && n1 > 0.0f;
  bool hit = clean && n1 != n2 && pos == 3.0f && newest == 2;
  std::printf(hit ? "LABEL CONFIRMED\n" : "LABEL REFUTED noise %g %g pos %g age %d %d\n", n1, n2, pos, oldest, newest);
  return 0;
}
