// Arm controller: a fixed-rate loop replays the control graph and reports the tracking error to registered sinks.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#define GPU(x)                                                                          \
  do {                                                                                  \
    cudaError_t r_ = (x);                                                               \
    if (r_ != cudaSuccess) {                                                            \
      std::printf("%s failed: %s\nLABEL UNOBSERVED\n", #x, cudaGetErrorString(r_));     \
      std::exit(1);                                                                     \
    }                                                                                   \
  } while (0)

namespace arm {

constexpr int kJoints = 6;

__global__ void pd_step(float* q, float* qd, const float* target, float* err, float kp, float kd, float dt) {
  int j = threadIdx.x;
  float e = target[j] - q[j];
  qd[j] += dt * (kp * e - kd * qd[j]);
  q[j] += dt * qd[j];
  err[j] = target[j] - q[j];
}

struct Sink {
  float history[2048];
  const float* err;  // pinned, written by the control graph
  unsigned samples;
  float last;
  float peak;
  char name[64];
};

static void CUDART_CB report(void* user) {
  auto* s = static_cast<Sink*>(user);
  float m = 0.f;
  for (int j = 0; j < kJoints; ++j) m = std::fmax(m, std::fabs(s->err[j]));
  s->history[s->samples % 2048] = m;
  s->samples += 1;
  s->last = m;
  s->peak = std::fmax(s->peak, m);
}

class Telemetry {
 public:
  int add(const char* name, const float* err) {
    Sink s{};
    std::snprintf(s.name, sizeof s.name, "%s", name);
    s.err = err;
    sinks_.push_back(s);  // HAZARD dangling #sink
    return int(sinks_.size()) - 1;
  }
  Sink& at(int i) { return sinks_[i]; }
  int size() const { return int(sinks_.size()); }

 private:
  std::vector<Sink> sinks_;
};

class Controller {
 public:
  enum class State { Init, Holding, Tracking };

  Controller() {
    GPU(cudaStreamCreate(&stream_));
    GPU(cudaMalloc(&q_, kJoints * sizeof(float)));
    GPU(cudaMalloc(&qd_, kJoints * sizeof(float)));
    GPU(cudaMalloc(&target_, kJoints * sizeof(float)));
    GPU(cudaMalloc(&err_, kJoints * sizeof(float)));
    GPU(cudaMallocHost(&h_target_, kJoints * sizeof(float)));
    GPU(cudaMallocHost(&h_err_, kJoints * sizeof(float)));
    GPU(cudaMemsetAsync(q_, 0, kJoints * sizeof(float), stream_));
    GPU(cudaMemsetAsync(qd_, 0, kJoints * sizeof(float), stream_));
    GPU(cudaStreamSynchronize(stream_));
    for (int j = 0; j < kJoints; ++j) h_target_[j] = 0.f;
    primary_ = telemetry_.add("safety", h_err_);
  }
  ~Controller() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(q_); cudaFree(qd_); cudaFree(target_); cudaFree(err_);
    cudaFreeHost(h_target_); cudaFreeHost(h_err_);
    cudaStreamDestroy(stream_);
  }

  void command(const float* target) {
    std::memcpy(h_target_, target, kJoints * sizeof(float));
    state_ = State::Tracking;
  }
  Telemetry& telemetry() { return telemetry_; }
  const float* error() const { return h_err_; }
  int primary() const { return primary_; }

  void tick() {
    if (state_ == State::Init) state_ = State::Holding;
    if (!exec_) build();
    GPU(cudaGraphLaunch(exec_, stream_));
    GPU(cudaStreamSynchronize(stream_));
  }

 private:
  void build() {
    cudaGraph_t g;
    GPU(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    GPU(cudaMemcpyAsync(target_, h_target_, kJoints * sizeof(float), cudaMemcpyHostToDevice, stream_));
    pd_step<<<1, kJoints, 0, stream_>>>(q_, qd_, target_, err_, 20.f, 6.f, 0.01f);
    GPU(cudaGetLastError());
    GPU(cudaMemcpyAsync(h_err_, err_, kJoints * sizeof(float), cudaMemcpyDeviceToHost, stream_));
    GPU(cudaLaunchHostFunc(stream_, report, &telemetry_.at(primary_)));  // HAZARD dangling #sink
    GPU(cudaStreamEndCapture(stream_, &g));
    GPU(cudaGraphInstantiate(&exec_, g, 0));
    GPU(cudaGraphDestroy(g));
  }

  State state_ = State::Init;
  Telemetry telemetry_;
  int primary_ = 0;
  cudaStream_t stream_{};
  cudaGraphExec_t exec_{};
  float *q_{}, *qd_{}, *target_{}, *err_{}, *h_target_{}, *h_err_{};
};

}  // namespace arm

int main() {
  arm::Controller ctl;
  const float pose[arm::kJoints] = {0.2f, -0.4f, 0.8f, 0.1f, -0.9f, 0.5f};
  ctl.command(pose);
  for (int t = 0; t < 40; ++t) ctl.tick();
  const unsigned before = ctl.telemetry().at(ctl.primary()).samples;

  // An operator console attaches while the arm is moving.
  for (int c = 0; c < 4; ++c) ctl.telemetry().add(("console" + std::to_string(c)).c_str(), ctl.error());
  for (int t = 0; t < 60; ++t) ctl.tick();

  const arm::Sink& safety = ctl.telemetry().at(ctl.primary());
  float now = 0.f;
  for (int j = 0; j < arm::kJoints; ++j) now = std::fmax(now, std::fabs(ctl.error()[j]));
  std::printf("%s: %u samples before, %u after; last %.5f, live error %.5f, peak %.5f\n", safety.name, before, safety.samples,
              safety.last, now, safety.peak);
  const bool seen = before == 40 && safety.samples == 40;
  std::puts(seen ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return seen ? 0 : 1;
}
