#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

namespace sim {

inline void check(cudaError_t e, const char* where) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(where) + ": " + cudaGetErrorString(e));
}

__global__ void laplacian(const float* u, float* lap, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i > 0 && i + 1 < n) lap[i] = u[i - 1] - 2.0f * u[i] + u[i + 1];
}
__global__ void advance(float* u, const float* lap, const float* dt, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) u[i] += *dt * lap[i];
}

class StagingPool {
 public:
  class Lease {
   public:
    Lease(StagingPool& pool, float* p) : pool_(&pool), p_(p) {}
    Lease(Lease&& o) noexcept : pool_(o.pool_), p_(o.p_) { o.p_ = nullptr; }
    ~Lease() {
      if (p_) pool_->idle_.push_back(p_);
    }
    float* data() const { return p_; }

   private:
    StagingPool* pool_;
    float* p_;
  };
  explicit StagingPool(size_t floats) : floats_(floats) {}
  ~StagingPool() {
    for (float* p : owned_) cudaFreeHost(p);
  }
  Lease lease() {
    if (idle_.empty()) {
      float* p = nullptr;
      check(cudaMallocHost(&p, floats_ * sizeof(float)), "staging");
      owned_.push_back(p);
      idle_.push_back(p);
    }
    float* p = idle_.back();
    idle_.pop_back();
    return Lease(*this, p);
  }

 private:
  size_t floats_;
  std::vector<float*> idle_, owned_;
};

class Member {
 public:
  Member(StagingPool& pool, int capacity, int cells) : capacity_(capacity), cells_(cells), checkpoint_(pool.lease()) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    for (float** p : {&u_, &lap_}) check(cudaMalloc(p, capacity * sizeof(float)), "fields");
    check(cudaMalloc(&dt_, sizeof(float)), "dt");
    check(cudaMemsetAsync(lap_, 0, capacity * sizeof(float), stream_), "lap");
    std::vector<float> init(capacity);
    for (int i = 0; i < capacity; ++i) init[i] = float(i) * float(i);
    check(cudaMemcpyAsync(u_, init.data(), capacity * sizeof(float), cudaMemcpyHostToDevice, stream_), "init");
    check(cudaStreamSynchronize(stream_), "ready");
    set_dt(0.125f);
  }
  ~Member() {
    if (step_) cudaGraphExecDestroy(step_);
    cudaFree(u_), cudaFree(lap_);
    cudaFree(dt_);
    cudaStreamDestroy(stream_);
  }
  void set_dt(float dt) {
    check(cudaMemcpyAsync(dt_, &dt, sizeof dt, cudaMemcpyHostToDevice, stream_), "dt");
    check(cudaStreamSynchronize(stream_), "dt");
  }
  void refine(int cells) {
    if (cells == cells_) return;
    cells_ = cells;
    if (step_) check(cudaGraphExecDestroy(step_), "refine");
    step_ = nullptr;
  }
  void step() {
    if (!step_) build();
    check(cudaGraphLaunch(step_, stream_), "step");
    check(cudaStreamSynchronize(stream_), "step");
  }
  float at(int i) const {
    float v = 0;
    check(cudaMemcpy(&v, u_ + i, sizeof v, cudaMemcpyDeviceToHost), "probe");
    return v;
  }

 private:
  void build() {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin");
    laplacian<<<(cells_ + 31) / 32, 32, 0, stream_>>>(u_, lap_, cells_);
    advance<<<(capacity_ + 31) / 32, 32, 0, stream_>>>(u_, lap_, dt_, capacity_);
    cudaMemcpyAsync(checkpoint_.data(), u_, capacity_ * sizeof(float), cudaMemcpyDeviceToHost, stream_);
    check(cudaStreamEndCapture(stream_, &graph), "end");
    check(cudaGraphInstantiate(&step_, graph, 0), "instantiate");
    check(cudaGraphDestroy(graph), "graph");
  }
  const int capacity_;
  int cells_;
  StagingPool::Lease checkpoint_;
  float *dt_ = nullptr, *u_ = nullptr, *lap_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t step_ = nullptr;
};

class StepController {
 public:
  void adapt(std::vector<std::unique_ptr<Member>>& ensemble, float error) {
    dt_ = error < 0.01f ? dt_ * 4.0f : dt_ * 0.5f;
    for (auto& m : ensemble) m->set_dt(dt_);
  }

 private:
  float dt_ = 0.125f;
};

}  // namespace sim

static bool near(float a, float b) { return std::fabs(a - b) < 0.06f; }

int main() try {
  const int capacity = 128;
  sim::StagingPool pool(capacity);
  std::vector<std::unique_ptr<sim::Member>> ensemble;
  for (int i = 0; i < 3; ++i) ensemble.push_back(std::make_unique<sim::Member>(pool, capacity, 64));
  for (auto& m : ensemble) m->step();
  sim::Member& probe = *ensemble[1];
  float u1 = probe.at(10);

  sim::StepController controller;
  controller.adapt(ensemble, 0.001f);
  auto header = pool.lease();
  header.data()[10] = -42.0f;
  for (auto& m : ensemble) m->step();
  float u2 = probe.at(10);
  for (auto& m : ensemble) m->refine(capacity);
  for (auto& m : ensemble) m->step();
  float tail = probe.at(100);

  bool started = near(u1, 100.25f);
  bool same_dt = near(u2, 100.5f), new_dt = near(u2, 101.25f);
  bool old_cells = near(tail, 10000.0f), new_cells = near(tail, 10001.0f);
  bool intact = header.data()[10] == -42.0f;
  if (started && !same_dt && new_dt && !old_cells && new_cells && intact) std::printf("LABEL CONFIRMED\n");
  else std::printf("LABEL REFUTED u %f %f tail %f intact %d\n", u1, u2, tail, intact);
  return 0;
} catch (const std::exception& e) {
  std::printf("LABEL REFUTED %s\n", e.what());
  return 0;
}
