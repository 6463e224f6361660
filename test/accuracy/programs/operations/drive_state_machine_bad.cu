// Longitudinal control of a test vehicle fleet: one thread per vehicle, state machine on the host, plant model on the device.
#include <cuda_runtime.h>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CU(x)                                                                              \
  if (cudaError_t e = (x); e != cudaSuccess) {                                             \
    std::printf("%s (%d): %s\nLABEL UNOBSERVED\n", __func__, __LINE__, cudaGetErrorString(e)); \
    std::exit(1);                                                                          \
  } else                                                                                   \
    (void)0

constexpr int kVehicles = 256;
constexpr float kDt = 0.1f;

enum class Mode : int { Launch, Cruise, Brake, Count };

__host__ __device__ inline float launch_accel(float) { return 3.0f; }
__host__ __device__ inline float cruise_accel(float v) { return 0.8f * (20.0f - v); }
__host__ __device__ inline float brake_accel(float v) { return v > 0.f ? -6.0f : 0.f; }

__global__ void apply_launch(float* v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] += kDt * launch_accel(v[i]);
}
__global__ void apply_cruise(float* v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] += kDt * cruise_accel(v[i]);
}
__global__ void apply_brake(float* v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] = fmaxf(0.f, v[i] + kDt * brake_accel(v[i]));
}
__global__ void slip(float* v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] *= 0.999f;
}

class FleetController {
 public:
  FleetController() {
    CU(cudaStreamCreate(&stream_));
    CU(cudaMalloc(&v_, kVehicles * sizeof(float)));
    CU(cudaMallocHost(&h_v_, kVehicles * sizeof(float)));
    CU(cudaMemsetAsync(v_, 0, kVehicles * sizeof(float), stream_));
    CU(cudaStreamSynchronize(stream_));
  }
  ~FleetController() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(v_);
    cudaFreeHost(h_v_);
    cudaStreamDestroy(stream_);
  }

  void transition(Mode next) { mode_ = next; }
  Mode mode() const { return mode_; }
  const float* speeds() const { return h_v_; }

  void tick() {
    if (!exec_) exec_ = record();
    CU(cudaGraphLaunch(exec_, stream_));
    CU(cudaStreamSynchronize(stream_));
  }

 private:
  void controlLaw() {
    const int blocks = (kVehicles + 63) / 64;
    switch (mode_) {  // HAZARD host_logic
      case Mode::Launch: apply_launch<<<blocks, 64, 0, stream_>>>(v_, kVehicles); break;
      case Mode::Cruise: apply_cruise<<<blocks, 64, 0, stream_>>>(v_, kVehicles); break;
      case Mode::Brake: apply_brake<<<blocks, 64, 0, stream_>>>(v_, kVehicles); break;
      default: std::abort();
    }
    CU(cudaGetLastError());
    slip<<<blocks, 64, 0, stream_>>>(v_, kVehicles);
    CU(cudaGetLastError());
    CU(cudaMemcpyAsync(h_v_, v_, kVehicles * sizeof(float), cudaMemcpyDeviceToHost, stream_));
  }

  cudaGraphExec_t record() {
    cudaGraph_t g{};
    cudaGraphExec_t exec{};
    CU(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    controlLaw();
    CU(cudaStreamEndCapture(stream_, &g));
    CU(cudaGraphInstantiate(&exec, g, 0));
    CU(cudaGraphDestroy(g));
    return exec;
  }

  Mode mode_ = Mode::Launch;
  cudaStream_t stream_{};
  cudaGraphExec_t exec_{};
  float *v_{}, *h_v_{};
};

struct Phase { Mode mode; int ticks; };

int main() {
  const std::vector<Phase> mission{{Mode::Launch, 50}, {Mode::Cruise, 40}, {Mode::Brake, 45}, {Mode::Launch, 10}};
  FleetController ctl;
  float ref = 0.f;
  std::vector<bool> good;
  for (const Phase& ph : mission) {
    ctl.transition(ph.mode);
    for (int t = 0; t < ph.ticks; ++t) {
      ctl.tick();
      float a = ph.mode == Mode::Launch ? launch_accel(ref) : ph.mode == Mode::Cruise ? cruise_accel(ref) : brake_accel(ref);
      ref = std::fmax(0.f, ref + kDt * a) * 0.999f;
    }
    float worst = 0.f;
    for (int i = 0; i < kVehicles; ++i) worst = std::fmax(worst, std::fabs(ctl.speeds()[i] - ref));
    good.push_back(worst < 1e-2f);
    std::printf("mode %d after %d ticks: speed %.3f, model %.3f\n", int(ctl.mode()), ph.ticks, ctl.speeds()[0], ref);
  }
  const bool seen = good[0] && !good[1] && !good[2];
  std::puts(seen ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return seen ? 0 : 1;
}
