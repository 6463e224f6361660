// Annealed Ising replicas: checkerboard Metropolis sweeps with a counter-based generator, one stream per replica,
// magnetization history in a ring on the device.
#include <cuda_runtime.h>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace mc {

#define MC_TRY(call)                                                       \
  do {                                                                     \
    const cudaError_t mc_e = (call);                                       \
    if (mc_e != cudaSuccess) {                                             \
      std::printf("%s: %s\nLABEL WRONG\n", #call, cudaGetErrorString(mc_e)); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)

template <int L_>
struct SquareLattice {
  static constexpr int L = L_, sites = L_ * L_;
  __host__ __device__ static int neighborSum(const int* s, int i) {
    const int x = i % L, y = i / L;
    return s[y * L + (x + 1) % L] + s[y * L + (x + L - 1) % L] + s[(y + 1) % L * L + x] + s[(y + L - 1) % L * L + x];
  }
  __host__ __device__ static int site(int k, int color) {
    const int y = k / (L / 2), x = 2 * (k % (L / 2)) + ((y + color) & 1);
    return y * L + x;
  }
};

// Stateless generator: the value is a function of (seed, stream, offset, index).
struct CounterHash {
  __host__ __device__ static uint32_t draw(uint64_t seed, uint32_t stream, uint64_t offset, uint32_t index) {
    uint64_t z = seed + (uint64_t(stream) << 40) + (uint64_t(index) << 20) + offset + 1;
    for (int r = 0; r < 2; ++r) {
      z += 0x9E3779B97F4A7C15ull;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
      z ^= z >> 31;
    }
    return uint32_t(z >> 32);
  }
};

struct AcceptTable {
  uint32_t threshold[2];  // energy change 4J and 8J
};

template <class Lattice, class Rng>
__host__ __device__ void metropolis(int* s, int i, const AcceptTable& t, uint64_t seed, uint32_t stream, uint64_t offset) {
  const int e = s[i] * Lattice::neighborSum(s, i);
  if (e <= 0 || Rng::draw(seed, stream, offset, uint32_t(i)) < t.threshold[e / 2 - 1]) s[i] = -s[i];
}

template <class Lattice, class Rng>
__global__ void sweep_color(int* spins, const AcceptTable* t, int color, uint64_t seed, uint32_t stream,
                            const uint64_t* base, uint32_t local) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < Lattice::sites / 2) metropolis<Lattice, Rng>(spins, Lattice::site(k, color), *t, seed, stream, *base + local);
}

__global__ void advance_base(uint64_t* base, uint32_t consumed) { *base += consumed; }

template <class Lattice>
__global__ void cold_start(int* spins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Lattice::sites) spins[i] = 1;
}

constexpr int kReplicas = 3;
constexpr int kSweeps = 4;
constexpr int kHistory = 16;

struct History {
  int head;
  int magnetization[kHistory][kReplicas];
};

template <class Lattice>
__global__ void measure(const int* spins, History* h) {
  const int replica = threadIdx.x;
  int m = 0;
  for (int i = 0; i < Lattice::sites; ++i) m += spins[replica * Lattice::sites + i];
  h->magnetization[h->head % kHistory][replica] = m;
  __syncthreads();
  if (replica == 0) ++h->head;
}

// The base lives on the device and is moved on by the recorded work itself.
class OffsetSequence {
 public:
  explicit OffsetSequence(uint64_t seed) : seed_(seed) {
    MC_TRY(cudaMalloc(&base_, sizeof(uint64_t)));
    MC_TRY(cudaMemset(base_, 0, sizeof(uint64_t)));
  }
  OffsetSequence(const OffsetSequence&) = delete;
  ~OffsetSequence() { cudaFree(base_); }
  uint64_t seed() const { return seed_; }
  const uint64_t* base() const { return base_; }
  void enqueueAdvance(uint32_t consumed, cudaStream_t s) {
    advance_base<<<1, 1, 0, s>>>(base_, consumed);
    MC_TRY(cudaGetLastError());
  }

 private:
  uint64_t seed_;
  uint64_t* base_ = nullptr;
};

template <class Lattice, class Rng>
class ReplicaEngine {
 public:
  explicit ReplicaEngine(uint64_t seed) : offsets_(seed) {
    MC_TRY(cudaMalloc(&spins_, kReplicas * Lattice::sites * sizeof(int)));
    MC_TRY(cudaMalloc(&table_, sizeof(AcceptTable)));
    MC_TRY(cudaMallocHost(&hostTable_, sizeof(AcceptTable)));
    MC_TRY(cudaMalloc(&history_, sizeof(History)));
    MC_TRY(cudaMemset(history_, 0, sizeof(History)));
    MC_TRY(cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking));
    MC_TRY(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming));
    for (int r = 0; r < kReplicas; ++r) {
      MC_TRY(cudaStreamCreateWithFlags(&streams_[r], cudaStreamNonBlocking));
      MC_TRY(cudaEventCreateWithFlags(&joins_[r], cudaEventDisableTiming));
      cold_start<Lattice><<<Lattice::sites / 64, 64, 0, main_>>>(replica(r));
      MC_TRY(cudaGetLastError());
    }
    MC_TRY(cudaDeviceSynchronize());
  }
  ReplicaEngine(const ReplicaEngine&) = delete;
  ~ReplicaEngine() {
    if (exec_) cudaGraphExecDestroy(exec_);
    for (int r = 0; r < kReplicas; ++r) {
      cudaEventDestroy(joins_[r]);
      cudaStreamDestroy(streams_[r]);
    }
    cudaEventDestroy(fork_);
    cudaStreamDestroy(main_);
    cudaFree(spins_);
    cudaFree(table_);
    cudaFree(history_);
    cudaFreeHost(hostTable_);
  }

  void advance(const AcceptTable& t) {
    *hostTable_ = t;
    if (!exec_) record();
    MC_TRY(cudaGraphLaunch(exec_, main_));
    MC_TRY(cudaStreamSynchronize(main_));
  }

  History history() const {
    History h;
    MC_TRY(cudaMemcpy(&h, history_, sizeof(h), cudaMemcpyDeviceToHost));
    return h;
  }

 private:
  int* replica(int r) const { return spins_ + r * Lattice::sites; }

  void enqueueSweep(uint32_t sweep) {
    for (int r = 0; r < kReplicas; ++r)
      for (int color = 0; color < 2; ++color) {
        sweep_color<Lattice, Rng><<<Lattice::sites / 128, 64, 0, streams_[r]>>>(replica(r), table_, color, offsets_.seed(), uint32_t(r), offsets_.base(), 2 * sweep + color);
        MC_TRY(cudaGetLastError());
      }
  }

  void record() {
    cudaGraph_t graph = nullptr;
    MC_TRY(cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal));
    MC_TRY(cudaMemcpyAsync(table_, hostTable_, sizeof(AcceptTable), cudaMemcpyHostToDevice, main_));
    MC_TRY(cudaEventRecord(fork_, main_));
    for (cudaStream_t s : streams_) MC_TRY(cudaStreamWaitEvent(s, fork_, 0));
    for (int n = 0; n < kSweeps; ++n) enqueueSweep(uint32_t(n));
    for (int r = 0; r < kReplicas; ++r) {
      MC_TRY(cudaEventRecord(joins_[r], streams_[r]));
      MC_TRY(cudaStreamWaitEvent(main_, joins_[r], 0));
    }
    measure<Lattice><<<1, kReplicas, 0, main_>>>(spins_, history_);
    MC_TRY(cudaGetLastError());
    offsets_.enqueueAdvance(2 * kSweeps, main_);
    MC_TRY(cudaStreamEndCapture(main_, &graph));
    MC_TRY(cudaGraphInstantiate(&exec_, graph, 0));
    MC_TRY(cudaGraphDestroy(graph));
  }

  OffsetSequence offsets_;
  int* spins_ = nullptr;
  AcceptTable *table_ = nullptr, *hostTable_ = nullptr;
  History* history_ = nullptr;
  cudaStream_t main_ = nullptr;
  std::array<cudaStream_t, kReplicas> streams_{};
  cudaEvent_t fork_ = nullptr;
  std::array<cudaEvent_t, kReplicas> joins_{};
  cudaGraphExec_t exec_ = nullptr;
};

inline AcceptTable tableFor(double beta) {
  return {{uint32_t(std::exp(-4.0 * beta) * 4294967295.0), uint32_t(std::exp(-8.0 * beta) * 4294967295.0)}};
}

}  // namespace mc

using Lattice = mc::SquareLattice<32>;

static bool matches(const mc::History& h, uint64_t seed, const std::vector<double>& betas, bool repeatOffsets) {
  if (h.head != int(betas.size())) return false;
  for (int r = 0; r < mc::kReplicas; ++r) {
    std::vector<int> s(Lattice::sites, 1);
    uint64_t offset = 0;
    for (size_t b = 0; b < betas.size(); ++b) {
      const mc::AcceptTable t = mc::tableFor(betas[b]);
      if (repeatOffsets) offset = 0;
      for (int half = 0; half < 2 * mc::kSweeps; ++half, ++offset)
        for (int k = 0; k < Lattice::sites / 2; ++k)
          mc::metropolis<Lattice, mc::CounterHash>(s.data(), Lattice::site(k, half & 1), t, seed, uint32_t(r), offset);
      int m = 0;
      for (int v : s) m += v;
      if (h.magnetization[b][r] != m) return false;
    }
  }
  return true;
}

int main() {
  const uint64_t seed = 20240611;
  const std::vector<double> betas{0.25, 0.3, 0.35, 0.4, 0.45};
  mc::ReplicaEngine<Lattice, mc::CounterHash> engine(seed);
  for (double beta : betas) engine.advance(mc::tableFor(beta));
  const mc::History h = engine.history();
  const bool fresh = matches(h, seed, betas, false), repeated = matches(h, seed, betas, true);
  std::printf("fresh=%d repeated=%d m=%d\n", fresh, repeated, h.magnetization[betas.size() - 1][0]);
  std::puts(fresh && !repeated ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
}
