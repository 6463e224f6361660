// Explicit diffusion on two subdomains: halo exchange overlaps the interior update, the mass diagnostic
// overlaps the following time steps. A macro step of several time steps is one recorded graph.
#include <cuda_runtime.h>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace hpc {

template <class E>
void abortOn(E e, const char* expr) {
  if (e == E(0)) return;
  std::printf("%s -> %d\nLABEL WRONG\n", expr, int(e));
  std::exit(2);
}
#define HPC_CALL(x) ::hpc::abortOn((x), #x)

constexpr int kNx = 64;
constexpr int kNy = 32;  // interior rows of a subdomain
constexpr int kRanks = 2;
constexpr int kSteps = 4;
constexpr long long kReduceCycles = 20'000'000;

template <class T>
struct Coefficients {
  static constexpr T center = T(0.5), neighbor = T(0.125);
};

struct PeriodicX {
  __host__ __device__ static int wrap(int c) { return (c + kNx) % kNx; }
};

template <class T>
struct FieldView {
  T* data;
  __host__ __device__ T& operator()(int row, int col) const { return data[row * kNx + col]; }
  __host__ __device__ T* row(int r) const { return data + r * kNx; }
};

template <class T, class Bc>
__host__ __device__ T stencil(const FieldView<T>& u, int r, int c, T forcing) {
  return Coefficients<T>::center * u(r, c) +
         Coefficients<T>::neighbor * (u(r - 1, c) + u(r + 1, c) + u(r, Bc::wrap(c - 1)) + u(r, Bc::wrap(c + 1))) +
         forcing;
}

template <class T, class Bc>
__global__ void update_rows(FieldView<T> u, FieldView<T> next, const T* forcing, int first, int stride) {
  const int r = first + int(blockIdx.x) * stride;
  const int c = threadIdx.x;
  next(r, c) = stencil<T, Bc>(u, r, c, *forcing);
}

template <class T>
__global__ void mass_kernel(FieldView<T> a, FieldView<T> b, T* mass, long long cycles) {
  __shared__ T part[kNx];
  const long long t0 = clock64();
  while (clock64() - t0 < cycles) {
  }
  T s = 0;
  for (int r = 1; r <= kNy; ++r) s += a(r, threadIdx.x) + b(r, threadIdx.x);
  part[threadIdx.x] = s;
  __syncthreads();
  for (int h = kNx / 2; h > 0; h >>= 1) {
    if (threadIdx.x < h) part[threadIdx.x] += part[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) *mass = part[0];
}

// Ring of time levels of one subdomain; every level has one ghost row at each side.
template <class T, int Depth>
class TimeLevels {
 public:
  static constexpr size_t bytes = size_t(kNy + 2) * kNx * sizeof(T);
  TimeLevels() {
    for (auto& l : levels_) {
      HPC_CALL(cudaMalloc(&l, bytes));
      HPC_CALL(cudaMemset(l, 0, bytes));
    }
    HPC_CALL(cudaDeviceSynchronize());
  }
  TimeLevels(const TimeLevels&) = delete;
  ~TimeLevels() {
    for (T* l : levels_) cudaFree(l);
  }
  FieldView<T> at(int level) const { return {levels_[level % Depth]}; }

 private:
  std::array<T*, Depth> levels_{};
};

template <class T, class Bc, int Depth = 2>
class Diffusion {
  static_assert(kSteps % Depth == 0, "a macro step ends at the level where it began");

 public:
  Diffusion() {
    for (cudaStream_t* s : {&compute_, &halo_, &diag_}) HPC_CALL(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
    for (cudaEvent_t* e : {&stepBegin_, &haloDone_, &stepEnd_, &diagEnd_})
      HPC_CALL(cudaEventCreateWithFlags(e, cudaEventDisableTiming));
    HPC_CALL(cudaMalloc(&mass_, kSteps * sizeof(T)));
    HPC_CALL(cudaMalloc(&forcing_, sizeof(T)));
    HPC_CALL(cudaMallocHost(&hostMass_, kSteps * sizeof(T)));
    HPC_CALL(cudaMallocHost(&hostForcing_, sizeof(T)));
    record();
  }
  Diffusion(const Diffusion&) = delete;
  ~Diffusion() {
    cudaGraphExecDestroy(exec_);
    for (cudaEvent_t e : {stepBegin_, haloDone_, stepEnd_, diagEnd_}) cudaEventDestroy(e);
    for (cudaStream_t s : {compute_, halo_, diag_}) cudaStreamDestroy(s);
    cudaFree(mass_);
    cudaFree(forcing_);
    cudaFreeHost(hostMass_);
    cudaFreeHost(hostForcing_);
  }

  std::vector<T> macroStep(T forcing) {
    *hostForcing_ = forcing;
    HPC_CALL(cudaGraphLaunch(exec_, compute_));
    HPC_CALL(cudaStreamSynchronize(compute_));
    return {hostMass_, hostMass_ + kSteps};
  }

  std::vector<T> interior(int rank) const {
    std::vector<T> v(size_t(kNy) * kNx);
    HPC_CALL(cudaMemcpy(v.data(), ranks_[rank].at(0).row(1), v.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }

 private:
  void copyRow(FieldView<T> to, int toRow, FieldView<T> from, int fromRow) {
    HPC_CALL(cudaMemcpyAsync(to.row(toRow), from.row(fromRow), kNx * sizeof(T), cudaMemcpyDeviceToDevice, halo_));
  }

  void exchangeHalo(int level) {
    HPC_CALL(cudaEventRecord(stepBegin_, compute_));
    HPC_CALL(cudaStreamWaitEvent(halo_, stepBegin_, 0));
    for (int r = 0; r < kRanks; ++r) {
      const FieldView<T> mine = ranks_[r].at(level), up = ranks_[(r + 1) % kRanks].at(level);
      copyRow(up, 0, mine, kNy);
      copyRow(mine, kNy + 1, up, 1);
    }
    HPC_CALL(cudaEventRecord(haloDone_, halo_));
  }

  void updateRows(int level, int first, int stride, int rows) {
    for (auto& rank : ranks_) {
      update_rows<T, Bc><<<rows, kNx, 0, compute_>>>(rank.at(level), rank.at(level + 1), forcing_, first, stride);  // HAZARD concurrent #level
      HPC_CALL(cudaGetLastError());
    }
  }

  void diagnose(int step) {
    HPC_CALL(cudaEventRecord(stepEnd_, compute_));
    HPC_CALL(cudaStreamWaitEvent(diag_, stepEnd_, 0));
    mass_kernel<T><<<1, kNx, 0, diag_>>>(ranks_[0].at(step + 1), ranks_[1].at(step + 1), mass_ + step, kReduceCycles);  // HAZARD concurrent #level
    HPC_CALL(cudaGetLastError());
  }

  void timeStep(int step) {
    exchangeHalo(step);
    updateRows(step, 2, 1, kNy - 2);
    HPC_CALL(cudaStreamWaitEvent(compute_, haloDone_, 0));
    updateRows(step, 1, kNy - 1, 2);
    diagnose(step);
  }

  void record() {
    cudaGraph_t graph = nullptr;
    HPC_CALL(cudaStreamBeginCapture(compute_, cudaStreamCaptureModeThreadLocal));
    HPC_CALL(cudaMemcpyAsync(forcing_, hostForcing_, sizeof(T), cudaMemcpyHostToDevice, compute_));
    for (int s = 0; s < kSteps; ++s) timeStep(s);
    HPC_CALL(cudaEventRecord(diagEnd_, diag_));
    HPC_CALL(cudaStreamWaitEvent(compute_, diagEnd_, 0));
    HPC_CALL(cudaMemcpyAsync(hostMass_, mass_, kSteps * sizeof(T), cudaMemcpyDeviceToHost, compute_));
    HPC_CALL(cudaStreamEndCapture(compute_, &graph));
    HPC_CALL(cudaGraphInstantiate(&exec_, graph, 0));
    HPC_CALL(cudaGraphDestroy(graph));
  }

  std::array<TimeLevels<T, Depth>, kRanks> ranks_;
  cudaStream_t compute_ = nullptr, halo_ = nullptr, diag_ = nullptr;
  cudaEvent_t stepBegin_ = nullptr, haloDone_ = nullptr, stepEnd_ = nullptr, diagEnd_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  T *mass_ = nullptr, *forcing_ = nullptr, *hostMass_ = nullptr, *hostForcing_ = nullptr;
};

}  // namespace hpc

int main() {
  using Real = double;
  hpc::Diffusion<Real, hpc::PeriodicX> solver;
  // The scheme conserves mass up to the forcing, and the initial field is uniform.
  const Real cells = Real(hpc::kNx) * hpc::kNy * hpc::kRanks;
  Real level = 0;
  bool seriesRight = true, seriesTail = true, fieldRight = true, advanced = true;
  for (Real forcing : {1.0, 0.25, 2.0}) {
    const std::vector<Real> mass = solver.macroStep(forcing);
    for (int s = 0; s < hpc::kSteps; ++s) {
      level += forcing;
      const bool same = std::fabs(mass[s] - level * cells) < 1e-6 * cells;
      if (s < 2) {
        seriesRight = seriesRight && same;
        advanced = advanced && std::fabs(mass[s] - (level + 2 * forcing) * cells) < 1e-6 * cells;
      } else {
        seriesTail = seriesTail && same;
      }
    }
    for (int r = 0; r < hpc::kRanks; ++r)
      for (Real v : solver.interior(r)) fieldRight = fieldRight && std::fabs(v - level) < 1e-9;
  }
  std::printf("head=%d tail=%d field=%d advanced=%d\n", seriesRight, seriesTail, fieldRight, advanced);
  std::puts(!seriesRight && seriesTail && fieldRight && advanced ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
}
