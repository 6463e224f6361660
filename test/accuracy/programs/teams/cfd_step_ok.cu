// Channel-flow solver: divergence and diffusion run beside each other, projection merges them.
#include <cuda_runtime.h>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace cfd {

struct Error : std::runtime_error {
  explicit Error(cudaError_t c) : std::runtime_error(cudaGetErrorName(c)) {}
};
inline void ok(cudaError_t c) {
  if (c != cudaSuccess) throw Error(c);
}

template <class T>
class Field {
 public:
  explicit Field(int n) : n_(n) {
    ok(cudaMalloc(&p_, n * sizeof(T)));
    ok(cudaMemset(p_, 0, n * sizeof(T)));
  }
  Field(Field&& o) noexcept : p_(std::exchange(o.p_, nullptr)), n_(o.n_) {}
  ~Field() { cudaFree(p_); }
  T* get() const { return p_; }
  int size() const { return n_; }

 private:
  T* p_ = nullptr;
  int n_;
};

class Event {
 public:
  Event() { ok(cudaEventCreateWithFlags(&e_, cudaEventDisableTiming)); }
  Event(const Event&) = delete;
  ~Event() { cudaEventDestroy(e_); }
  void record(cudaStream_t s) const { ok(cudaEventRecord(e_, s)); }
  void gate(cudaStream_t s) const { ok(cudaStreamWaitEvent(s, e_, 0)); }

 private:
  cudaEvent_t e_;
};

__global__ void advanceTime(int* step) { *step += 1; }

__global__ void divergence(const int* step, float* div, int n) {
  const long long start = clock64();
  while (clock64() - start < 4000000) {
  }
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) div[i] = static_cast<float>(*step);
}

__global__ void diffuse(const int* step, float* vel, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) vel[i] = 0.5f * *step;
}

__global__ void pressure(const float* div, float* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = div[i] * 10.f;
}

__global__ void project(const float* p, const float* vel, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = p[i] + vel[i];
}

class Solver {
 public:
  explicit Solver(int cells) : div_(cells), vel_(cells), p_(cells), out_(cells), step_(1) {
    for (cudaStream_t* s : {&main_, &left_, &right_}) ok(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
    ok(cudaDeviceSynchronize());
    assemble();
  }
  ~Solver() {
    cudaGraphExecDestroy(exec_);
    for (cudaStream_t s : {main_, left_, right_}) cudaStreamDestroy(s);
  }

  float advance() {
    ok(cudaGraphLaunch(exec_, main_));
    float v = 0;
    ok(cudaMemcpyAsync(&v, out_.get() + 7, sizeof v, cudaMemcpyDeviceToHost, main_));
    ok(cudaStreamSynchronize(main_));
    return v;
  }

 private:
  void fork() const {
    started_.record(main_);
    started_.gate(left_);
    started_.gate(right_);
  }
  void join() const {
    leftDone_.record(left_);
    rightDone_.record(right_);
    leftDone_.gate(main_);
    rightDone_.gate(main_);
  }

  void assemble() {
    const int n = div_.size(), blocks = (n + 127) / 128;
    ok(cudaStreamBeginCapture(main_, cudaStreamCaptureModeGlobal));
    advanceTime<<<1, 1, 0, main_>>>(step_.get());
    fork();
    divergence<<<blocks, 128, 0, left_>>>(step_.get(), div_.get(), n);
    divReady_.record(left_);
    diffuse<<<blocks, 128, 0, right_>>>(step_.get(), vel_.get(), n);
    divReady_.gate(right_);
    pressure<<<blocks, 128, 0, right_>>>(div_.get(), p_.get(), n);
    join();
    project<<<blocks, 128, 0, main_>>>(p_.get(), vel_.get(), out_.get(), n);
    cudaGraph_t graph = nullptr;
    ok(cudaStreamEndCapture(main_, &graph));
    std::unique_ptr<CUgraph_st, cudaError_t (*)(cudaGraph_t)> holder(graph, cudaGraphDestroy);
    ok(cudaGraphInstantiate(&exec_, holder.get(), 0));
  }

  Field<float> div_, vel_, p_, out_;
  Field<int> step_;
  Event started_, divReady_, leftDone_, rightDone_;
  cudaStream_t main_{}, left_{}, right_{};
  cudaGraphExec_t exec_{};
};

}  // namespace cfd

int main() {
  try {
    cfd::Solver solver(2048);
    std::vector<float> history;
    for (int i = 0; i < 4; ++i) history.push_back(solver.advance());
    int current = 0, previous = 0;
    for (int i = 0; i < 4; ++i) {
      current += history[i] == 10.5f * (i + 1);
      previous += history[i] == 10.f * i + 0.5f * (i + 1);
      std::printf("step %d value %.2f\n", i, history[i]);
    }
    std::puts(previous == 0 && current == 4 ? "LABEL CONFIRMED" : "LABEL REFUTED");
  } catch (const cfd::Error& e) {
    std::printf("LABEL REFUTED %s\n", e.what());
  }
}
