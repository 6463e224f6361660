/*
 * Occupancy grid fusion for a mobile base.
 *
 * Memory is static: two grids on the device (previous and next), one scan
 * buffer, host mirrors in .bss. The fusion cycle is recorded in fusion_init()
 * for both roles of the grids and replayed for every scan.
 */
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace fusion {

/* --- compile time configuration --------------------------------------- */

struct Config {
  static constexpr int kSide = 48;
  static constexpr int kCells = kSide * kSide;
  static constexpr int kBeams = 32;
  static constexpr int kThreads = 96;
  static constexpr int kBlocks = kCells / kThreads;
  static constexpr int kDecayNum = 3; /* old evidence is scaled by 3/4 */
  static constexpr int kDecayDen = 4;
};
static_assert(Config::kCells % Config::kThreads == 0, "grid must fill blocks");

enum class Err : uint8_t { Ok, Gpu, NotReady, BadScan };
enum class State : uint8_t { Boot, Ready, Running, Fault };

/* The policy can be changed by an operator between two scans. */
struct Policy {
  int hit_weight;
  int max_evidence;
};

struct Scan {
  uint16_t cell[Config::kBeams];
  uint16_t count;
};

/* --- static storage ----------------------------------------------------- */

__device__ int d_grid[2][Config::kCells];
__device__ int d_hits[Config::kCells];
__device__ Scan d_scan;
__constant__ Policy c_policy;

static int s_mirror[Config::kCells];
static int s_model[Config::kCells];

/* --- kernels ------------------------------------------------------------- */

__global__ void KernClear() {
  d_hits[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

__global__ void KernRasterize() {
  int b = threadIdx.x;
  if (b < d_scan.count) atomicAdd(&d_hits[d_scan.cell[b]], c_policy.hit_weight);
}

__global__ void KernFuse(const int *prev, int *next) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int x = c % Config::kSide;
  int left = x > 0 ? prev[c - 1] : 0;
  int v = (prev[c] * Config::kDecayNum + left) / Config::kDecayDen + d_hits[c];
  next[c] = min(v, c_policy.max_evidence);
}

/* --- grid pair ------------------------------------------------------------ */

class GridPair {
 public:
  Err Init() {
    void *base = nullptr;
    if (cudaGetSymbolAddress(&base, d_grid) != cudaSuccess) return Err::Gpu;
    grid_[0] = static_cast<int *>(base);
    grid_[1] = grid_[0] + Config::kCells;
    front_ = 0;
    return cudaMemset(base, 0, sizeof(int) * 2 * Config::kCells) == cudaSuccess
               ? Err::Ok
               : Err::Gpu;
  }
  const int *Front() const { return grid_[front_]; }
  int *Back() const { return grid_[front_ ^ 1]; }
  void Swap() { front_ ^= 1; }
  int Index() const { return front_; }

 private:
  int *grid_[2] = {nullptr, nullptr};
  int front_ = 0;
};

/* --- fusion ----------------------------------------------------------------- */

class Fusion {
 public:
  Err Init() {
    if (cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) !=
        cudaSuccess)
      return Fail(Err::Gpu);
    if (pair_.Init() != Err::Ok) return Fail(Err::Gpu);
    if (cudaGetSymbolAddress(reinterpret_cast<void **>(&scan_dev_), d_scan) !=
        cudaSuccess)
      return Fail(Err::Gpu);
    if (cudaDeviceSynchronize() != cudaSuccess) return Fail(Err::Gpu);
    /* one recording per orientation of the pair */
    for (int side = 0; side < 2; ++side) {
      Err e = Record(&cycle_[pair_.Index()]);
      if (e != Err::Ok) return Fail(e);
      pair_.Swap();
    }
    state_ = State::Ready;
    return Err::Ok;
  }

  /* Takes effect with the next scan. */
  Err SetPolicy(const Policy &p) {
    policy_ = p;
    return cudaMemcpyToSymbolAsync(c_policy, &policy_, sizeof policy_, 0,
                                   cudaMemcpyHostToDevice,
                                   stream_) == cudaSuccess
               ? Err::Ok
               : Fail(Err::Gpu);
  }

  Err Process(const Scan &scan) {
    if (state_ != State::Ready && state_ != State::Running)
      return Err::NotReady;
    Err e = Validate(scan);
    if (e != Err::Ok) return e;
    if (cudaMemcpyAsync(scan_dev_, &scan, sizeof scan, cudaMemcpyHostToDevice,
                        stream_) != cudaSuccess)
      return Fail(Err::Gpu);
    if (cudaGraphLaunch(cycle_[pair_.Index()], stream_) != cudaSuccess)
      return Fail(Err::Gpu);
    if (cudaStreamSynchronize(stream_) != cudaSuccess) return Fail(Err::Gpu);
    pair_.Swap();
    state_ = State::Running;
    ++cycles_;
    return Err::Ok;
  }

  Err Export(int *dst) const {
    return cudaMemcpy(dst, pair_.Front(), sizeof(int) * Config::kCells,
                      cudaMemcpyDeviceToHost) == cudaSuccess
               ? Err::Ok
               : Err::Gpu;
  }

  uint32_t cycles() const { return cycles_; }

 private:
  static Err Validate(const Scan &scan) {
    if (scan.count > Config::kBeams) return Err::BadScan;
    for (int b = 0; b < scan.count; ++b)
      if (scan.cell[b] >= Config::kCells) return Err::BadScan;
    return Err::Ok;
  }

  Err Fail(Err e) {
    state_ = State::Fault;
    return e;
  }

  Err Record(cudaGraphExec_t *exec) {
    cudaGraph_t graph = nullptr;
    if (cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal) !=
        cudaSuccess)
      return Err::Gpu;
    EmitCycle();
    if (cudaStreamEndCapture(stream_, &graph) != cudaSuccess) return Err::Gpu;
    cudaError_t e = cudaGraphInstantiate(exec, graph, 0);
    (void)cudaGraphDestroy(graph);
    return e == cudaSuccess ? Err::Ok : Err::Gpu;
  }

  void EmitCycle() {
    KernClear<<<Config::kBlocks, Config::kThreads, 0, stream_>>>();
    KernRasterize<<<1, Config::kBeams, 0, stream_>>>();
    KernFuse<<<Config::kBlocks, Config::kThreads, 0, stream_>>>(
        pair_.Front(), pair_.Back());
  }

  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t cycle_[2] = {nullptr, nullptr};
  Scan *scan_dev_ = nullptr;
  GridPair pair_;
  Policy policy_{};
  State state_ = State::Boot;
  uint32_t cycles_ = 0;
};

static Fusion s_fusion;

/* --- host model of the fusion, for the self test ----------------------------- */

static void ModelStep(const Scan &scan, const Policy &p) {
  static int next[Config::kCells];
  for (int c = 0; c < Config::kCells; ++c) {
    int left = c % Config::kSide > 0 ? s_model[c - 1] : 0;
    next[c] =
        (s_model[c] * Config::kDecayNum + left) / Config::kDecayDen;
  }
  for (int b = 0; b < scan.count; ++b) next[scan.cell[b]] += p.hit_weight;
  for (int c = 0; c < Config::kCells; ++c)
    s_model[c] = next[c] < p.max_evidence ? next[c] : p.max_evidence;
}

static Scan MakeScan(int n) {
  Scan s;
  std::memset(&s, 0, sizeof s);
  s.count = static_cast<uint16_t>(Config::kBeams - n % 3);
  for (int b = 0; b < s.count; ++b)
    s.cell[b] = static_cast<uint16_t>((b * 71 + n * 5) % Config::kCells);
  return s;
}

}  // namespace fusion

int main() {
  using namespace fusion;
  Policy policy = {40, 1000};
  bool fault = s_fusion.Init() != Err::Ok;
  fault |= s_fusion.SetPolicy(policy) != Err::Ok;
  bool first = false;
  int wrong = 0;
  for (int n = 0; n < 9 && !fault; ++n) {
    if (n == 5) {
      policy = {60, 90};
      fault |= s_fusion.SetPolicy(policy) != Err::Ok;
    }
    Scan scan = MakeScan(n);
    fault |= s_fusion.Process(scan) != Err::Ok;
    fault |= s_fusion.Export(s_mirror) != Err::Ok;
    ModelStep(scan, policy);
    bool same = std::memcmp(s_mirror, s_model, sizeof s_model) == 0;
    if (n == 0) first = same;
    wrong += !same;
  }
  std::printf("fault=%d first=%d wrong=%d cycles=%u\n", fault, first, wrong,
              s_fusion.cycles());
  bool confirmed = !fault && first && wrong == 0;
  std::printf("%s\n", confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
}
