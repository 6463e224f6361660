// Two-species plume model. Gas and dust are integrated in two concurrent branches of one graph and mixed at the end.
// Temporary fields come from a stack-like arena that is sized once at start-up.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <vector>

#define PLUME_CHECK(e) plume_check((e), #e, __LINE__)
static void plume_check(cudaError_t e, const char* text, int line) {
  if (e == cudaSuccess) return;
  std::printf("line %d: %s: %s\nLABEL UNOBSERVED\n", line, text, cudaGetErrorString(e));
  std::exit(1);
}

constexpr int kCells = 1024;

struct SpeciesConfig {
  const char* name;
  float rate;      // equilibrium of the source term
  int emission;    // substeps of the emission stage
  int chemistry;   // substeps of the chemistry stage
};

class ScratchArena {
 public:
  explicit ScratchArena(size_t cells) : capacity_(cells) { PLUME_CHECK(cudaMalloc(&base_, cells * sizeof(float))); }
  ~ScratchArena() { cudaFree(base_); }
  ScratchArena(const ScratchArena&) = delete;
  ScratchArena& operator=(const ScratchArena&) = delete;

  // Gives back what was taken in its lifetime.
  class Frame {
   public:
    explicit Frame(ScratchArena& a) : arena_(a), mark_(a.used_) {}
    ~Frame() { arena_.used_ = mark_; }
    Frame(const Frame&) = delete;
    float* cells(size_t n) { return arena_.bump(n); }

   private:
    ScratchArena& arena_;
    size_t mark_;
  };

 private:
  float* bump(size_t n) {
    if (used_ + n > capacity_) {
      std::puts("arena exhausted\nLABEL UNOBSERVED");
      std::exit(1);
    }
    float* p = base_ + used_;
    used_ += n;
    return p;
  }
  float* base_ = nullptr;
  size_t capacity_;
  size_t used_ = 0;
};

__host__ __device__ inline float relax(float v, float target, int steps) {
  for (int s = 0; s < steps; ++s) v += 0.01f * (target - v);
  return v;
}

__global__ void emit(float* plume, float rate, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  plume[i] = relax(0.0f, rate * (1.0f + i % 7), steps);
}

__global__ void react(const float* field, float* out, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = relax(0.0f, field[i], steps);
}

__global__ void settle(const float* plume, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] += 0.5f * (plume[i] + plume[(i + 1) % kCells]);
}

__global__ void mix(const float* gas, const float* dust, float* weights, float* total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  weights[i] = 1.0f / (1.0f + i % 3);
  total[i] = weights[i] * (gas[i] + 2.0f * dust[i]);
}

class PlumeModel {
 public:
  PlumeModel(const SpeciesConfig& gas, const SpeciesConfig& dust) : gas_(gas), dust_(dust), arena_(2 * kCells) {
    PLUME_CHECK(cudaStreamCreateWithFlags(&trunk_, cudaStreamNonBlocking));
    PLUME_CHECK(cudaStreamCreateWithFlags(&branch_, cudaStreamNonBlocking));
    PLUME_CHECK(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming));
    PLUME_CHECK(cudaEventCreateWithFlags(&join_, cudaEventDisableTiming));
    for (float** p : {&field_, &out_gas_, &out_dust_, &total_}) PLUME_CHECK(cudaMalloc(p, kCells * sizeof(float)));
    build();
  }
  ~PlumeModel() {
    cudaGraphExecDestroy(exec_);
    for (float* p : {field_, out_gas_, out_dust_, total_}) cudaFree(p);
    cudaEventDestroy(fork_);
    cudaEventDestroy(join_);
    cudaStreamDestroy(branch_);
    cudaStreamDestroy(trunk_);
  }

  std::vector<float> step(const std::vector<float>& field) {
    std::vector<float> total(kCells);
    PLUME_CHECK(cudaMemcpyAsync(field_, field.data(), kCells * sizeof(float), cudaMemcpyHostToDevice, trunk_));
    PLUME_CHECK(cudaGraphLaunch(exec_, trunk_));
    PLUME_CHECK(cudaMemcpyAsync(total.data(), total_, kCells * sizeof(float), cudaMemcpyDeviceToHost, trunk_));
    PLUME_CHECK(cudaStreamSynchronize(trunk_));
    return total;
  }

 private:
  static constexpr int kBlock = 128;
  void integrate(const SpeciesConfig& sp, float* out, cudaStream_t s) {
    ScratchArena::Frame frame(arena_);
    float* plume = frame.cells(kCells);  // HAZARD concurrent #scratch
    emit<<<kCells / kBlock, kBlock, 0, s>>>(plume, sp.rate, sp.emission);  // HAZARD concurrent #scratch
    react<<<kCells / kBlock, kBlock, 0, s>>>(field_, out, sp.chemistry);
    settle<<<kCells / kBlock, kBlock, 0, s>>>(plume, out);  // HAZARD concurrent #scratch
    PLUME_CHECK(cudaGetLastError());
  }

  void build() {
    cudaGraph_t graph = nullptr;
    PLUME_CHECK(cudaStreamBeginCapture(trunk_, cudaStreamCaptureModeThreadLocal));
    PLUME_CHECK(cudaEventRecord(fork_, trunk_));
    PLUME_CHECK(cudaStreamWaitEvent(branch_, fork_, 0));
    integrate(gas_, out_gas_, trunk_);
    integrate(dust_, out_dust_, branch_);
    PLUME_CHECK(cudaEventRecord(join_, branch_));
    PLUME_CHECK(cudaStreamWaitEvent(trunk_, join_, 0));
    {
      ScratchArena::Frame frame(arena_);  // after the join the memory of the branches can serve again
      mix<<<kCells / kBlock, kBlock, 0, trunk_>>>(out_gas_, out_dust_, frame.cells(kCells), total_);
      PLUME_CHECK(cudaGetLastError());
    }
    PLUME_CHECK(cudaStreamEndCapture(trunk_, &graph));
    PLUME_CHECK(cudaGraphInstantiate(&exec_, graph, 0));
    PLUME_CHECK(cudaGraphDestroy(graph));
  }

  SpeciesConfig gas_, dust_;
  ScratchArena arena_;
  cudaStream_t trunk_ = nullptr, branch_ = nullptr;
  cudaEvent_t fork_ = nullptr, join_ = nullptr;
  float *field_ = nullptr, *out_gas_ = nullptr, *out_dust_ = nullptr, *total_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

static bool right(const SpeciesConfig& gas, const SpeciesConfig& dust, const std::vector<float>& field,
                  const std::vector<float>& total) {
  for (int i = 0; i < kCells; ++i) {
    const float a = 1.0f + i % 7, b = 1.0f + ((i + 1) % kCells) % 7;  // both stages run to their equilibrium
    const float g = field[i] + 0.5f * gas.rate * (a + b), d = field[i] + 0.5f * dust.rate * (a + b);
    const float want = (g + 2.0f * d) / (1.0f + i % 3);
    if (!(std::fabs(total[i] - want) < 5e-3f * (1.0f + std::fabs(want)))) return false;
  }
  return true;
}

int main() {
  const SpeciesConfig gas{"gas", 1.0f, 5000, 400000}, dust{"dust", 3.0f, 60000, 400000};
  PlumeModel model(gas, dust);
  int wrong = 0;
  for (int t = 0; t < 6; ++t) {
    std::vector<float> field(kCells);
    for (int i = 0; i < kCells; ++i) field[i] = 0.1f * float((i + 17 * t) % 50);
    wrong += !right(gas, dust, field, model.step(field));
  }
  std::printf("%d of 6 steps wrong\n", wrong);
  std::puts(wrong > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
