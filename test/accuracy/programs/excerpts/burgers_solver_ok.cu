// burgers_solver: periodic 1-D viscous Burgers equation, two-stage Runge-Kutta, CFL-limited
// time step with start-up ramp. One graph per time step, replayed until the end time.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace cfd {

struct CaseSetup {
  int cells = 256;
  float length = 6.2831853f;
  float viscosity = 0.01f;
  float cfl_start = 0.05f;
  float cfl_max = 0.4f;
  float cfl_growth = 1.3f;
  float end_time = 0.6f;
  int max_steps = 400;
};

// Status of the run, as other solvers of this family keep it: first error wins, run() stops.
struct RunStatus {
  bool failed = false;
  std::string where;
  bool note(cudaError_t e, const char* what) {
    if (e != cudaSuccess && !failed) {
      failed = true;
      where = std::string(what) + ": " + cudaGetErrorString(e);
    }
    return e == cudaSuccess;
  }
};

struct StepControl {  // pinned on the host, one copy on the device
  float dt;
};

struct StepMonitor {
  float umax;
  double time_advanced;  // sum of the time steps the kernels really used
};

__host__ __device__ inline float rhs(const float* u, int i, int n, float dx, float nu) {
  const float um = u[(i + n - 1) % n], uc = u[i], up = u[(i + 1) % n];
  const float advection = uc > 0.f ? uc * (uc - um) / dx : uc * (up - uc) / dx;
  return nu * (up - 2.f * uc + um) / (dx * dx) - advection;
}

__global__ void stage1(const float* u, float* us, const StepControl* ctl, int n, float dx, float nu) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) us[i] = u[i] + ctl->dt * rhs(u, i, n, dx, nu);
}

__global__ void stage2(float* u, const float* us, const StepControl* ctl, int n, float dx, float nu) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) u[i] = 0.5f * (u[i] + us[i] + ctl->dt * rhs(us, i, n, dx, nu));
}

// Single block: n is small.
__global__ void monitor(const float* u, const StepControl* ctl, StepMonitor* mon, int n) {
  __shared__ float part[256];
  float m = 0.f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) m = fmaxf(m, fabsf(u[i]));
  part[threadIdx.x] = m;
  __syncthreads();
  for (int w = blockDim.x / 2; w > 0; w /= 2) {
    if (threadIdx.x < w) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + w]);
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    mon->umax = part[0];
    mon->time_advanced += ctl->dt;
  }
}

class BurgersSolver {
 public:
  BurgersSolver(const CaseSetup& setup, RunStatus& status)
      : setup_(setup), dx_(setup.length / setup.cells), cfl_(setup.cfl_start), status_(status) {
    const size_t bytes = setup.cells * sizeof(float);
    std::vector<float> u0(setup.cells);
    for (int i = 0; i < setup.cells; ++i) u0[i] = initial(i, dx_);
    status.note(cudaStreamCreate(&stream_), "stream");
    status.note(cudaMalloc(&u_, bytes), "u");
    status.note(cudaMalloc(&us_, bytes), "u*");
    status.note(cudaMalloc(&control_, sizeof(StepControl)), "control");
    status.note(cudaMalloc(&monitor_, sizeof(StepMonitor)), "monitor");
    status.note(cudaMallocHost(&h_control_, sizeof(StepControl)), "pinned control");
    status.note(cudaMallocHost(&h_monitor_, sizeof(StepMonitor)), "pinned monitor");
    status.note(cudaMemcpy(u_, u0.data(), bytes, cudaMemcpyHostToDevice), "initial field");
    status.note(cudaMemset(monitor_, 0, sizeof(StepMonitor)), "monitor");
    umax_ = *std::max_element(u0.begin(), u0.end());
  }
  ~BurgersSolver() {
    if (step_) cudaGraphExecDestroy(step_);
    cudaFreeHost(h_monitor_);
    cudaFreeHost(h_control_);
    cudaFree(monitor_);
    cudaFree(control_);
    cudaFree(us_);
    cudaFree(u_);
    cudaStreamDestroy(stream_);
  }

  static float initial(int i, float dx) { return 1.f + 0.5f * std::sin((i + 0.5f) * dx); }

  void run() {
    while (!status_.failed && time_ < setup_.end_time - 1e-5 && steps_ < setup_.max_steps) {
      dt_ = std::min(cfl_ * dx_ / umax_, setup_.end_time - static_cast<float>(time_));
      h_control_->dt = dt_;
      if (!step_ && !record_step()) return;
      if (!status_.note(cudaGraphLaunch(step_, stream_), "step")) return;
      if (!status_.note(cudaStreamSynchronize(stream_), "step")) return;
      history_.push_back(h_monitor_->umax);
      umax_ = h_monitor_->umax;
      time_ += dt_;
      cfl_ = std::min(cfl_ * setup_.cfl_growth, setup_.cfl_max);
      used_.push_back(dt_);
      ++steps_;
    }
  }

  std::vector<float> field() {
    std::vector<float> u(setup_.cells);
    status_.note(cudaMemcpy(u.data(), u_, u.size() * sizeof(float), cudaMemcpyDeviceToHost), "download");
    return u;
  }
  double time() const { return time_; }
  double device_time() const { return h_monitor_->time_advanced; }
  const std::vector<float>& history() const { return history_; }
  const std::vector<float>& steps_used() const { return used_; }

 private:
  bool record_step() {
    const int threads = 128, blocks = (setup_.cells + threads - 1) / threads;
    cudaGraph_t graph = nullptr;
    if (!status_.note(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin")) return false;
    // h_control_ is read at every replay, run() fills it in before each launch.
    status_.note(cudaMemcpyAsync(control_, h_control_, sizeof(StepControl), cudaMemcpyHostToDevice, stream_), "control");
    stage1<<<blocks, threads, 0, stream_>>>(u_, us_, control_, setup_.cells, dx_, setup_.viscosity);
    stage2<<<blocks, threads, 0, stream_>>>(u_, us_, control_, setup_.cells, dx_, setup_.viscosity);
    monitor<<<1, 256, 0, stream_>>>(u_, control_, monitor_, setup_.cells);
    status_.note(cudaMemcpyAsync(h_monitor_, monitor_, sizeof(StepMonitor), cudaMemcpyDeviceToHost, stream_), "monitor");
    status_.note(cudaStreamEndCapture(stream_, &graph), "end");
    if (!status_.failed) status_.note(cudaGraphInstantiate(&step_, graph, 0), "instantiate");
    if (graph) cudaGraphDestroy(graph);
    return !status_.failed;
  }

  const CaseSetup setup_;
  const float dx_;
  float cfl_, umax_ = 0.f, dt_ = 0.f;
  double time_ = 0.0;
  int steps_ = 0;
  RunStatus& status_;
  std::vector<float> history_, used_;
  float *u_ = nullptr, *us_ = nullptr;
  StepControl *control_ = nullptr, *h_control_ = nullptr;
  StepMonitor *monitor_ = nullptr, *h_monitor_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t step_ = nullptr;
};

}  // namespace cfd

int main() {
  cfd::CaseSetup setup;
  cfd::RunStatus status;
  cfd::BurgersSolver solver(setup, status);
  if (!status.failed) solver.run();
  if (status.failed) std::fprintf(stderr, "burgers_solver: %s\n", status.where.c_str());
  bool field_ok = false, history_ok = false;
  if (!status.failed) {
    const int n = setup.cells;
    const float dx = setup.length / n;
    std::vector<float> u(n), us(n), umax;
    for (int i = 0; i < n; ++i) u[i] = cfd::BurgersSolver::initial(i, dx);
    for (float dt : solver.steps_used()) {
      for (int i = 0; i < n; ++i) us[i] = u[i] + dt * cfd::rhs(u.data(), i, n, dx, setup.viscosity);
      for (int i = 0; i < n; ++i) u[i] = 0.5f * (u[i] + us[i] + dt * cfd::rhs(us.data(), i, n, dx, setup.viscosity));
      umax.push_back(*std::max_element(u.begin(), u.end()));
    }
    const std::vector<float> got = solver.field();
    field_ok = true;
    for (int i = 0; i < n; ++i) field_ok &= std::fabs(got[i] - u[i]) < 2e-3f;
    history_ok = solver.history().size() == umax.size();
    for (size_t s = 0; history_ok && s < umax.size(); ++s) history_ok &= std::fabs(solver.history()[s] - umax[s]) < 2e-3f;
    std::printf("steps %zu, time %.4f (device %.4f)\n", umax.size(), solver.time(), solver.device_time());
  }
  std::puts(!status.failed && field_ok && history_ok ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
