#include <cuda_runtime.h>
#include <cstdio>
#include <deque>
#include <stdexcept>
#include <string>
#include <utility>

namespace mg {
using Error = std::runtime_error;
inline void gpu(cudaError_t e) {
  if (e != cudaSuccess) throw Error(cudaGetErrorName(e));
}
__global__ void smooth(float* u, const float* rhs, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) u[i] = 0.5f * (u[i] + rhs[i]);
}
__global__ void restrict_to(const float* fine, float* coarse, int nc) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nc) coarse[i] = 0.5f * (fine[2 * i] + fine[2 * i + 1]);
}
__global__ void correct(float* fine, const float* coarse, int nc) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 2 * nc) fine[i] += coarse[i / 2];
}
__global__ void fill(float* p, float v, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) p[i] = v;
}
inline int blocks(int n) { return (n + 63) / 64; }

struct Level {
  int n;
  float *u = nullptr, *rhs = nullptr;
  explicit Level(int cells) : n(cells) {
    for (float** p : {&u, &rhs}) gpu(cudaMalloc(p, n * sizeof(float)));
  }
  Level(const Level&) = delete;
  ~Level() { cudaFree(u), cudaFree(rhs); }
};

class Hierarchy {
 public:
  Hierarchy(int fine, int depth) {
    for (int l = 0, n = fine; l < depth; ++l, n /= 2) levels_.emplace_back(n);
  }
  Level& at(int l) { return levels_[l]; }
  int depth() const { return int(levels_.size()); }
  void require_even(int l) const {
    if (levels_[l].n % 2) throw Error("level " + std::to_string(l) + " cannot be coarsened");
  }
 private:
  std::deque<Level> levels_;
};

class Solver {
 public:
  Solver(int fine, int depth) : grid_(fine, depth) {
    for (auto* s : {&main_, &aux_}) gpu(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
    for (auto* e : {&fork_, &join_}) gpu(cudaEventCreateWithFlags(e, cudaEventDisableTiming));
  }
  ~Solver() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaEventDestroy(fork_), cudaEventDestroy(join_), cudaStreamDestroy(aux_), cudaStreamDestroy(main_);
  }
  void reset(float u, float rhs) {
    Level& g = grid_.at(0);
    fill<<<blocks(g.n), 64, 0, main_>>>(g.u, u, g.n);
    fill<<<blocks(g.n), 64, 0, main_>>>(g.rhs, rhs, g.n);
    gpu(cudaStreamSynchronize(main_));
  }
  void record_vcycle() {
    cudaGraph_t graph = nullptr;
    gpu(cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal));  // HAZARD capture_scope
    for (int l = 0; l + 1 < grid_.depth(); ++l) descend(l);
    for (int l = grid_.depth() - 2; l >= 0; --l) ascend(l);
    gpu(cudaStreamEndCapture(main_, &graph));
    finish(graph);
  }
  void record_fmg() {
    cudaGraph_t graph = nullptr;
    Level &f = grid_.at(0), &c = grid_.at(1);
    gpu(cudaStreamBeginCapture(main_, cudaStreamCaptureModeThreadLocal));
    cudaEventRecord(fork_, main_);
    cudaStreamWaitEvent(aux_, fork_, 0);
    cudaEventRecord(join_, aux_);  // HAZARD stream_dependency #aux
    restrict_to<<<blocks(c.n), 64, 0, aux_>>>(f.rhs, c.rhs, c.n);  // HAZARD stream_dependency #aux
    restrict_to<<<blocks(c.n), 64, 0, main_>>>(f.u, c.u, c.n);
    cudaStreamWaitEvent(main_, join_, 0);
    smooth<<<blocks(c.n), 64, 0, main_>>>(c.u, c.rhs, c.n);
    correct<<<blocks(f.n), 64, 0, main_>>>(f.u, c.u, c.n);
    gpu(cudaStreamEndCapture(main_, &graph));
    finish(graph);
  }
  float solve() {
    float v = 0;
    gpu(cudaGraphLaunch(exec_, main_));
    gpu(cudaMemcpyAsync(&v, grid_.at(0).u, sizeof v, cudaMemcpyDeviceToHost, main_));
    gpu(cudaStreamSynchronize(main_));
    return v;
  }
  cudaStreamCaptureStatus status() const {
    cudaStreamCaptureStatus st = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(main_, &st), st;
  }
  cudaStream_t stream() const { return main_; }
 private:
  void descend(int l) {
    Level &f = grid_.at(l), &c = grid_.at(l + 1);
    smooth<<<blocks(f.n), 64, 0, main_>>>(f.u, f.rhs, f.n);
    grid_.require_even(l);
    cudaMemsetAsync(c.u, 0, c.n * sizeof(float), main_);
    restrict_to<<<blocks(c.n), 64, 0, main_>>>(f.u, c.rhs, c.n);
  }
  void ascend(int l) {
    Level &f = grid_.at(l), &c = grid_.at(l + 1);
    smooth<<<blocks(c.n), 64, 0, main_>>>(c.u, c.rhs, c.n);
    correct<<<blocks(f.n), 64, 0, main_>>>(f.u, c.u, c.n);
  }
  void finish(cudaGraph_t graph) {
    if (auto old = std::exchange(exec_, nullptr)) cudaGraphExecDestroy(old);
    gpu(cudaGraphInstantiate(&exec_, graph, 0));
    gpu(cudaGraphDestroy(graph));
  }
  Hierarchy grid_;
  cudaStream_t main_ = nullptr, aux_ = nullptr;
  cudaEvent_t fork_ = nullptr, join_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace mg
template <class F> static std::string attempt(F&& f) try {
  f();
  return "";
} catch (const mg::Error& e) {
  return e.what();
}

int main() {
  mg::Solver even(512, 2), odd(300, 4);
  even.reset(2.0f, 4.0f);
  std::string fmg = attempt([&] { even.record_fmg(); });
  std::string failed = attempt([&] { odd.record_vcycle(); });
  bool open = odd.status() == cudaStreamCaptureStatusActive;
  std::string next = attempt([&] { odd.reset(1.0f, 1.0f); });
  cudaGraph_t partial = nullptr;
  cudaStreamEndCapture(odd.stream(), &partial);
  if (fmg == "cudaErrorStreamCaptureUnjoined" && failed == "level 2 cannot be coarsened" && open && !next.empty()) std::printf("LABEL CONFIRMED\n");
  else std::printf("LABEL REFUTED fmg '%s' vcycle '%s' open %d next '%s'\n", fmg.c_str(), failed.c_str(), open, next.c_str());
  return 0;
}
