#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace arm {

constexpr int kJoints = 7;

inline void require(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

__global__ void torqueKernel(const float* pos, const float* target, float* tau, float kp, float limit) {
  const int j = threadIdx.x;
  if (j >= kJoints) return;
  const float t = kp * (target[j] - pos[j]);
  tau[j] = fminf(fmaxf(t, -limit), limit);
}

__global__ void integrateKernel(float* pos, const float* tau, float dt) {
  const int j = threadIdx.x;
  if (j < kJoints) pos[j] += dt * tau[j];
}

class IGainSchedule {
 public:
  virtual ~IGainSchedule() = default;
  virtual float proportional() const = 0;
};

class ITelemetry {
 public:
  virtual ~ITelemetry() = default;
  virtual void onCycle() = 0;
};

class TableGains final : public IGainSchedule {
 public:
  explicit TableGains(std::vector<float> rows) : rows_(std::move(rows)) {}
  float proportional() const override { return rows_[row_]; }
  void advance() { row_ = (row_ + 1) % rows_.size(); }

 private:
  std::vector<float> rows_;
  std::size_t row_ = 0;
};

class CycleTelemetry final : public ITelemetry {
 public:
  void onCycle() override { ++cycles_; }
  std::uint32_t cycles() const { return cycles_; }

 private:
  std::uint32_t cycles_ = 0;
};

class JointController {
 public:
  JointController(std::shared_ptr<const IGainSchedule> gains, std::shared_ptr<ITelemetry> telemetry, float dt)
      : gains_(std::move(gains)), telemetry_(std::move(telemetry)), dt_(dt) {
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    for (float** p : {&pos_, &target_, &tau_}) require(cudaMalloc(p, kJoints * sizeof(float)), "buffer");
    const std::vector<float> ones(kJoints, 1.0f);
    require(cudaMemset(pos_, 0, kJoints * sizeof(float)), "clear");
    require(cudaMemcpy(target_, ones.data(), kJoints * sizeof(float), cudaMemcpyHostToDevice), "target");
  }
  ~JointController() {
    if (exec_) cudaGraphExecDestroy(exec_);
    for (float* p : {pos_, target_, tau_}) cudaFree(p);
    cudaStreamDestroy(stream_);
  }
  JointController(const JointController&) = delete;
  JointController& operator=(const JointController&) = delete;

  void cycle() {
    if (!exec_) prepare();
    require(cudaGraphLaunch(exec_, stream_), "launch");
    require(cudaStreamSynchronize(stream_), "cycle");
  }
  float position() const {
    float v = 0.0f;
    require(cudaMemcpy(&v, pos_, sizeof v, cudaMemcpyDeviceToHost), "read");
    return v;
  }

 private:
  void prepare() {
    cudaGraph_t graph = nullptr;
    require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    torqueKernel<<<1, 32, 0, stream_>>>(pos_, target_, tau_, gains_->proportional(), limit_);  // HAZARD frozen
    integrateKernel<<<1, 32, 0, stream_>>>(pos_, tau_, dt_);
    telemetry_->onCycle();  // HAZARD host_logic
    require(cudaStreamEndCapture(stream_, &graph), "end");
    require(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    require(cudaGraphDestroy(graph), "graph");
  }

  std::shared_ptr<const IGainSchedule> gains_;
  std::shared_ptr<ITelemetry> telemetry_;
  const float dt_;
  float limit_ = 50.0f;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *pos_ = nullptr, *target_ = nullptr, *tau_ = nullptr;
};

}  // namespace arm

int main() {
  try {
    auto gains = std::make_shared<arm::TableGains>(std::vector<float>{2.0f, 4.0f, 1.0f});
    auto telemetry = std::make_shared<arm::CycleTelemetry>();
    arm::JointController controller(gains, telemetry, 0.25f);
    controller.cycle();
    const float first = controller.position();
    gains->advance();
    controller.cycle();
    const float second = controller.position();
    const bool ok = std::fabs(first - 0.5f) < 1e-5f && std::fabs(second - 0.75f) < 1e-5f && telemetry->cycles() == 1;
    if (ok) std::printf("LABEL CONFIRMED\n");
    else std::printf("LABEL REFUTED first=%f second=%f cycles=%u\n", first, second, telemetry->cycles());
  } catch (const std::exception& e) {
    std::printf("LABEL REFUTED %s\n", e.what());
  }
  return 0;
}
