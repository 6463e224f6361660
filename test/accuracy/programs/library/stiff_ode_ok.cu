// Batched relaxation ODE y' = -k y with a halving/doubling step controller.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

static void cuda_ok(cudaError_t e, const char* expr) {
  if (e != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", expr, cudaGetErrorString(e));
    std::exit(1);
  }
}
#define OK(x) cuda_ok((x), #x)

constexpr int kSystems = 1024;
constexpr double kRate = 2.0;
constexpr double kTol = 0.02;

__global__ void euler_stage(const double* y, double* f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kSystems) f[i] = -kRate * y[i];
}
__global__ void euler_update(double* y, const double* f, double dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kSystems) y[i] += dt * f[i];
}

struct Controller {
  static constexpr double dt_max = 0.25;
  int level = 0;  // dt = dt_max / 2^level
  double dt() const { return std::ldexp(dt_max, -level); }
  void adapt(double change) {
    if (change > kTol && level < 12)
      ++level;
    else if (change < 0.25 * kTol && level > 0)
      --level;
  }
};

class Integrator {
 public:
  explicit Integrator(double y0) {
    const std::vector<double> init(kSystems, y0);
    OK(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking));
    OK(cudaMalloc(&y_, kSystems * sizeof(double)));
    OK(cudaMalloc(&f_, kSystems * sizeof(double)));
    OK(cudaMallocHost(&probe_, sizeof(double)));
    OK(cudaMemcpy(y_, init.data(), kSystems * sizeof(double), cudaMemcpyHostToDevice));
    OK(cudaDeviceSynchronize());
  }
  ~Integrator() {
    for (auto& kv : execs_) cudaGraphExecDestroy(kv.second);
    cudaFree(y_);
    cudaFree(f_);
    cudaFreeHost(probe_);
    cudaStreamDestroy(s_);
  }
  Integrator(const Integrator&) = delete;
  Integrator& operator=(const Integrator&) = delete;

  double step(const Controller& c) {
    OK(cudaGraphLaunch(exec_for(c), s_));
    OK(cudaStreamSynchronize(s_));
    return *probe_;
  }

 private:
  cudaGraphExec_t exec_for(const Controller& c) {
    auto it = execs_.find(c.level);
    if (it == execs_.end()) it = execs_.emplace(c.level, build(c.dt())).first;
    return it->second;
  }

  cudaGraphExec_t build(double dt) {
    cudaGraph_t g = nullptr;
    cudaGraphExec_t e = nullptr;
    OK(cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal));
    advance(dt);
    OK(cudaStreamEndCapture(s_, &g));
    OK(cudaGraphInstantiate(&e, g, 0));
    OK(cudaGraphDestroy(g));
    return e;
  }

  void advance(double dt) {
    euler_stage<<<kSystems / 128, 128, 0, s_>>>(y_, f_);
    OK(cudaGetLastError());
    euler_update<<<kSystems / 128, 128, 0, s_>>>(y_, f_, dt);
    OK(cudaGetLastError());
    OK(cudaMemcpyAsync(probe_, y_, sizeof(double), cudaMemcpyDeviceToHost, s_));
  }

  double* y_ = nullptr;
  double* f_ = nullptr;
  double* probe_ = nullptr;
  cudaStream_t s_ = nullptr;
  std::map<int, cudaGraphExec_t> execs_;
};

int main() {
  Controller ctl;
  Integrator ode(1.0);
  double t = 0, host = 1.0, gpu = 1.0;
  for (int n = 0; n < 40; ++n) {
    const double dt = ctl.dt();
    const double next = host - dt * kRate * host;
    gpu = ode.step(ctl);
    ctl.adapt(std::fabs(next - host));
    host = next;
    t += dt;
  }
  std::printf("t %.5f y gpu %.8f host %.8f level %d\n", t, gpu, host, ctl.level);
  const bool right = std::fabs(gpu - host) < 1e-9;
  std::puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
