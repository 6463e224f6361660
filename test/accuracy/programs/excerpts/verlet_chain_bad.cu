/* ----------------------------------------------------------------------
   verlet_chain: soft-sphere molecular dynamics, neighbour lists built on the
   host every few steps, one captured graph per velocity-Verlet step.
------------------------------------------------------------------------- */
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace md {

class Error {  // collects the first failure, like the error class of the big codes
 public:
  bool ok() const { return code_ == cudaSuccess; }
  cudaError_t code() const { return code_; }
  void check(const char* file, int line, cudaError_t rc) {
    if (rc == cudaSuccess || !ok()) return;
    code_ = rc;
    std::fprintf(stderr, "ERROR: %s (%s:%d)\n", cudaGetErrorString(rc), file, line);
  }
 private:
  cudaError_t code_ = cudaSuccess;
};

#define GPU(call) error_.check(__FILE__, __LINE__, (call))

struct Params {
  float dt = 0.05f, cutoff = 1.5f, skin = 0.5f, stiffness = 4.0f;
};

__host__ __device__ inline float pair_force(float dx, float cutoff, float k) {
  const float r = fabsf(dx);
  if (r >= cutoff || r == 0.f) return 0.f;
  return k * (cutoff - r) * (dx > 0.f ? 1.f : -1.f);
}

__global__ void initial_integrate(float* x, float* v, const float* f, float dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  v[i] += 0.5f * dt * f[i];
  x[i] += dt * v[i];
}

// CSR rows, each padded to a multiple of four with -1.
__global__ void force_neigh(const float* x, float* f, const int* row, const int* list, Params p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float fi = 0.f;
  for (int k = row[i]; k < row[i + 1]; ++k) {
    const int j = list[k];
    if (static_cast<unsigned>(j) >= static_cast<unsigned>(n)) continue;
    fi += pair_force(x[i] - x[j], p.cutoff, p.stiffness);
  }
  f[i] = fi;
}

__global__ void final_integrate(float* v, const float* f, float dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] += 0.5f * dt * f[i];
}

class Simulation {
 public:
  Simulation(const std::vector<float>& x, const std::vector<float>& v, Error& error)
      : n_(static_cast<int>(x.size())), hx_(x), error_(error) {
    const size_t bytes = n_ * sizeof(float);
    GPU(cudaStreamCreate(&stream_));
    GPU(cudaMalloc(&x_, bytes));
    GPU(cudaMalloc(&v_, bytes));
    GPU(cudaMalloc(&f_, bytes));
    GPU(cudaMalloc(&row_, (n_ + 1) * sizeof(int)));
    GPU(cudaMemcpy(x_, x.data(), bytes, cudaMemcpyHostToDevice));
    GPU(cudaMemcpy(v_, v.data(), bytes, cudaMemcpyHostToDevice));
    GPU(cudaMemset(f_, 0, bytes));
    build_neighbors();
  }
  ~Simulation() {
    cudaStreamSynchronize(stream_);
    drop_graph();
    cudaFree(list_); cudaFree(row_); cudaFree(f_); cudaFree(v_); cudaFree(x_);
    cudaStreamDestroy(stream_);
  }

  void run(int nsteps, int every) {
    for (int s = 0; s < nsteps && error_.ok(); ++s) {
      if (s > 0 && s % every == 0) {
        download();
        build_neighbors();
      }
      if (!step_) capture_step();
      if (!error_.ok()) return;
      GPU(cudaGraphLaunch(step_, stream_));
    }
    download();
  }
  const std::vector<float>& positions() const { return hx_; }

 private:
  void download() {
    GPU(cudaMemcpyAsync(hx_.data(), x_, n_ * sizeof(float), cudaMemcpyDeviceToHost, stream_));
    GPU(cudaStreamSynchronize(stream_));
  }

  void build_neighbors() {
    const float reach = params_.cutoff + params_.skin;
    std::vector<int> row(1, 0), list;
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j < n_; ++j)
        if (j != i && std::fabs(hx_[i] - hx_[j]) < reach) list.push_back(j);
      while (list.size() % 4) list.push_back(-1);
      row.push_back(static_cast<int>(list.size()));
    }
    if (list.size() > capacity_ || !list_) grow(list.size() + n_);
    GPU(cudaMemcpy(row_, row.data(), row.size() * sizeof(int), cudaMemcpyHostToDevice));
    if (!list.empty()) GPU(cudaMemcpy(list_, list.data(), list.size() * sizeof(int), cudaMemcpyHostToDevice));
  }

  // The stream is idle here: run() downloads positions before every rebuild.
  void grow(size_t entries) {
    int* bigger = nullptr;
    GPU(cudaMalloc(&bigger, entries * sizeof(int)));
    if (!error_.ok()) return;
    GPU(cudaMemset(bigger, 0xff, entries * sizeof(int)));
    GPU(cudaFree(list_));  // HAZARD dangling #list
    list_ = bigger;
    capacity_ = entries;
    std::printf("neighbor list resized to %zu entries\n", entries);
  }

  void capture_step() {
    const int threads = 64, blocks = (n_ + threads - 1) / threads;
    cudaGraph_t graph = nullptr;
    GPU(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    if (!error_.ok()) return;
    initial_integrate<<<blocks, threads, 0, stream_>>>(x_, v_, f_, params_.dt, n_);
    force_neigh<<<blocks, threads, 0, stream_>>>(x_, f_, row_, list_, params_, n_);  // HAZARD dangling #list
    final_integrate<<<blocks, threads, 0, stream_>>>(v_, f_, params_.dt, n_);
    GPU(cudaStreamEndCapture(stream_, &graph));
    if (!error_.ok()) return;
    GPU(cudaGraphInstantiate(&step_, graph, 0));
    GPU(cudaGraphDestroy(graph));
  }

  void drop_graph() {
    if (step_) cudaGraphExecDestroy(step_);
    step_ = nullptr;
  }

  int n_;
  std::vector<float> hx_;
  Error& error_;
  Params params_;
  float *x_ = nullptr, *v_ = nullptr, *f_ = nullptr;
  int *row_ = nullptr, *list_ = nullptr;
  size_t capacity_ = 0;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t step_ = nullptr;
};

static std::vector<float> reference(std::vector<float> x, std::vector<float> v, int nsteps) {
  const Params p;
  const size_t n = x.size();
  std::vector<float> f(n, 0.f);
  for (int s = 0; s < nsteps; ++s) {
    for (size_t i = 0; i < n; ++i) { v[i] += 0.5f * p.dt * f[i]; x[i] += p.dt * v[i]; }
    for (size_t i = 0; i < n; ++i) {
      f[i] = 0.f;
      for (size_t j = 0; j < n; ++j)
        if (j != i) f[i] += pair_force(x[i] - x[j], p.cutoff, p.stiffness);
    }
    for (size_t i = 0; i < n; ++i) v[i] += 0.5f * p.dt * f[i];
  }
  return x;
}

}  // namespace md

int main() {
  const int n = 64, nsteps = 40;
  std::vector<float> x(n), v(n);
  for (int i = 0; i < n; ++i) {
    x[i] = 2.f * i;  // no neighbours at first, contracting towards the middle
    v[i] = -0.5f * (i - 31.5f);
  }
  md::Error error;
  md::Simulation sim(x, v, error);
  sim.run(nsteps, 5);
  const std::vector<float> want = md::reference(x, v, nsteps);
  float worst = 0.f;
  for (int i = 0; i < n; ++i) worst = std::fmax(worst, std::fabs(want[i] - sim.positions()[i]));
  std::printf("largest deviation %g\n", worst);
  const bool seen = (error.ok() && worst > 1e-2f) || error.code() == cudaErrorIllegalAddress;
  std::puts(seen ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
