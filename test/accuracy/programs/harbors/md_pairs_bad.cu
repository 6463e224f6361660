// One dimensional molecular dynamics with an explicit pair list that is rebuilt as the system contracts.
// A time step is replayed as a graph; checkpoints are taken after each block of steps.
#include <cuda_runtime.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#define MD_CHECK(call)                                                                              \
  do {                                                                                              \
    const cudaError_t md_status_ = (call);                                                          \
    if (md_status_ != cudaSuccess) throw std::runtime_error(std::string(#call " failed: ") + cudaGetErrorString(md_status_)); \
  } while (0)

namespace md {

constexpr int kParticles = 1024;
constexpr int kMaxPairs = kParticles * 16;
constexpr int kSpacing = 640;
constexpr int kCutoff = 1024;
constexpr int kSkin = 256;
constexpr int kThreads = 128;
constexpr int kStepsPerBlock = 5;

struct Pair {
  int first;
  int second;
};

__host__ __device__ inline int pair_force(int a, int b) {
  const int distance = b > a ? b - a : a - b;
  if (distance >= kCutoff) return 0;
  const int magnitude = (kCutoff - distance) / 8;
  return a < b ? -magnitude : magnitude;  // on the particle at `a`
}

__global__ void clear_forces(int* force, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) force[i] = 0;
}

__global__ void accumulate(const int* position, const Pair* pairs, const int* count, int* force) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= *count) return;
  const Pair pair = pairs[p];
  const int f = pair_force(position[pair.first], position[pair.second]);
  atomicAdd(&force[pair.first], f);
  atomicAdd(&force[pair.second], -f);
}

__global__ void integrate(int* position, int* velocity, const int* force, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  velocity[i] += force[i];
  position[i] += velocity[i];
}

int blocks_for(int items) { return (items + kThreads - 1) / kThreads; }

struct State {
  std::vector<int> position, velocity;
};

State initial_state() {
  State s;
  for (int i = 0; i < kParticles; ++i) {
    const int x = (2 * i - kParticles + 1) * kSpacing / 2;
    s.position.push_back(x);
    s.velocity.push_back(-x / 20);
  }
  return s;
}

std::vector<Pair> neighbours(const std::vector<int>& position) {
  std::vector<Pair> pairs;
  for (int i = 0; i < kParticles; ++i) {
    for (int j = i + 1; j < kParticles; ++j) {
      const int d = position[j] > position[i] ? position[j] - position[i] : position[i] - position[j];
      if (d < kCutoff + kSkin) pairs.push_back({i, j});
    }
  }
  if (pairs.size() > static_cast<size_t>(kMaxPairs)) throw std::runtime_error("pair list overflow");
  return pairs;
}

struct System {
  int *position = nullptr, *velocity = nullptr, *force = nullptr, *pair_count = nullptr;
  Pair* pairs = nullptr;
  int host_pair_count = 0;

  explicit System(const State& s) {
    const size_t bytes = kParticles * sizeof(int);
    MD_CHECK(cudaMalloc(&position, bytes));
    MD_CHECK(cudaMalloc(&velocity, bytes));
    MD_CHECK(cudaMalloc(&force, bytes));
    MD_CHECK(cudaMalloc(&pair_count, sizeof(int)));
    MD_CHECK(cudaMalloc(&pairs, kMaxPairs * sizeof(Pair)));
    MD_CHECK(cudaMemcpy(position, s.position.data(), bytes, cudaMemcpyHostToDevice));
    MD_CHECK(cudaMemcpy(velocity, s.velocity.data(), bytes, cudaMemcpyHostToDevice));
    MD_CHECK(cudaDeviceSynchronize());
  }
  ~System() {
    cudaFree(position);
    cudaFree(velocity);
    cudaFree(force);
    cudaFree(pair_count);
    cudaFree(pairs);
  }
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  State checkpoint(cudaStream_t stream) const {
    State s;
    s.position.resize(kParticles);
    s.velocity.resize(kParticles);
    MD_CHECK(cudaMemcpyAsync(s.position.data(), position, kParticles * sizeof(int), cudaMemcpyDeviceToHost, stream));
    MD_CHECK(cudaMemcpyAsync(s.velocity.data(), velocity, kParticles * sizeof(int), cudaMemcpyDeviceToHost, stream));
    MD_CHECK(cudaStreamSynchronize(stream));
    return s;
  }

  void rebuild_pairs(const State& s, cudaStream_t stream) {
    const std::vector<Pair> list = neighbours(s.position);
    host_pair_count = static_cast<int>(list.size());  // HAZARD dynamic_shape #pairs
    MD_CHECK(cudaMemcpyAsync(pairs, list.data(), list.size() * sizeof(Pair), cudaMemcpyHostToDevice, stream));
    MD_CHECK(cudaMemcpyAsync(pair_count, &host_pair_count, sizeof(int), cudaMemcpyHostToDevice, stream));
    MD_CHECK(cudaStreamSynchronize(stream));
  }
};

void enqueue_step(const System& system, cudaStream_t stream) {
  const int particle_blocks = blocks_for(kParticles);
  clear_forces<<<particle_blocks, kThreads, 0, stream>>>(system.force, kParticles);
  MD_CHECK(cudaGetLastError());
  const int pair_blocks = blocks_for(system.host_pair_count);
  accumulate<<<pair_blocks, kThreads, 0, stream>>>(system.position, system.pairs, system.pair_count, system.force);  // HAZARD dynamic_shape #pairs
  MD_CHECK(cudaGetLastError());
  integrate<<<particle_blocks, kThreads, 0, stream>>>(system.position, system.velocity, system.force, kParticles);
  MD_CHECK(cudaGetLastError());
}

class StepGraph {
 public:
  explicit StepGraph(cudaStream_t stream) : stream_(stream) {}
  ~StepGraph() { reset(); }
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;

  void prepare(const System& system) {
    if (exec_) return;
    cudaGraph_t graph = nullptr;
    MD_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    try {
      enqueue_step(system, stream_);
    } catch (...) {
      if (cudaStreamEndCapture(stream_, &graph) == cudaSuccess) cudaGraphDestroy(graph);
      throw;
    }
    MD_CHECK(cudaStreamEndCapture(stream_, &graph));
    const cudaError_t status = cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    MD_CHECK(status);
  }

  void advance(int steps) {
    for (int i = 0; i < steps; ++i) MD_CHECK(cudaGraphLaunch(exec_, stream_));
  }

 private:
  void reset() {
    if (exec_) cudaGraphExecDestroy(exec_);
    exec_ = nullptr;
  }

  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

void reference_block(State& s) {
  const std::vector<Pair> list = neighbours(s.position);
  for (int step = 0; step < kStepsPerBlock; ++step) {
    std::vector<int> force(kParticles, 0);
    for (const Pair& pair : list) {
      const int f = pair_force(s.position[pair.first], s.position[pair.second]);
      force[pair.first] += f;
      force[pair.second] -= f;
    }
    for (int i = 0; i < kParticles; ++i) {
      s.velocity[i] += force[i];
      s.position[i] += s.velocity[i];
    }
  }
}

int simulate(cudaStream_t stream, int blocks) {
  State reference = initial_state();
  State current = reference;
  System system(current);
  StepGraph graph(stream);
  int wrong = 0;
  for (int block = 0; block < blocks; ++block) {
    system.rebuild_pairs(current, stream);  // HAZARD dynamic_shape #pairs
    graph.prepare(system);
    graph.advance(kStepsPerBlock);
    current = system.checkpoint(stream);
    reference_block(reference);
    for (int i = 0; i < kParticles; ++i) wrong += current.position[i] != reference.position[i];
    std::printf("block %d: %d pairs, %d wrong positions so far\n", block, system.host_pair_count, wrong);
  }
  return wrong;
}

}  // namespace md

int main() {
  bool confirmed = false;
  try {
    cudaStream_t stream = nullptr;
    MD_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const int wrong = md::simulate(stream, 3);
    MD_CHECK(cudaStreamDestroy(stream));
    confirmed = wrong > 0;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
  }
  std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
  return confirmed ? 0 : 1;
}
