// Robot arm controller: the control loop records its step while a telemetry agent resizes its ring.
#include <cuda_runtime.h>
#include <cstdio>
#include <future>
#include <thread>

__global__ void integrateJoints(float* q, const float* dq, int joints, float dt) {
  int i = threadIdx.x;
  if (i < joints) q[i] += dq[i] * dt;
}

__global__ void clampJoints(float* q, int joints, float limit) {
  int i = threadIdx.x;
  if (i < joints) q[i] = fminf(fmaxf(q[i], -limit), limit);
}

class TelemetryAgent {
 public:
  ~TelemetryAgent() {
    if (thread_.joinable()) thread_.join();
    cudaFree(ring_);
  }

  void start(std::shared_future<void> trigger) {
    thread_ = std::thread([this, trigger] {
      trigger.wait();
      result_ = grow(1 << 20);
      done_.set_value();
    });
  }

  void waitDone() { done_.get_future().wait(); }
  cudaError_t result() const { return result_; }

 private:
  cudaError_t grow(size_t bytes) {
    void* bigger = nullptr;
    cudaError_t rc = cudaMalloc(&bigger, bytes);  // HAZARD capture_mode #agent
    if (rc != cudaSuccess) {
      cudaGetLastError();
      return rc;
    }
    ring_ = bigger;
    return cudaSuccess;
  }

  std::thread thread_;
  std::promise<void> done_;
  cudaError_t result_ = cudaErrorUnknown;
  void* ring_ = nullptr;
};

class ControlLoop {
 public:
  static constexpr int kJoints = 7;

  ControlLoop() {
    cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, 0);
    cudaMalloc(&q_, kJoints * sizeof(float));
    cudaMalloc(&dq_, kJoints * sizeof(float));
    float rates[kJoints];
    for (int j = 0; j < kJoints; ++j) rates[j] = 1.0f + j;
    cudaMemset(q_, 0, kJoints * sizeof(float));
    cudaMemcpy(dq_, rates, sizeof rates, cudaMemcpyHostToDevice);
    step();
    cudaStreamSynchronize(stream_);
    cudaMemset(q_, 0, kJoints * sizeof(float));
    cudaDeviceSynchronize();
  }
  ~ControlLoop() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(q_);
    cudaFree(dq_);
    cudaStreamDestroy(stream_);
  }

  template <class Midway>
  cudaError_t record(Midway&& midway) {
    cudaError_t rc = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);  // HAZARD capture_mode #agent
    if (rc != cudaSuccess) return rc;
    step();
    midway();
    cudaGraph_t graph = nullptr;
    rc = cudaStreamEndCapture(stream_, &graph);
    if (rc != cudaSuccess) {
      cudaGetLastError();
      return rc;
    }
    rc = cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    return rc;
  }

  cudaError_t run(int cycles) {
    for (int i = 0; i < cycles; ++i) {
      cudaError_t rc = cudaGraphLaunch(exec_, stream_);
      if (rc != cudaSuccess) return rc;
    }
    return cudaStreamSynchronize(stream_);
  }

  float joint(int j) const {
    float v = -1.f;
    cudaMemcpy(&v, q_ + j, sizeof v, cudaMemcpyDeviceToHost);
    return v;
  }

 private:
  void step() {
    integrateJoints<<<1, 32, 0, stream_>>>(q_, dq_, kJoints, 0.25f);
    clampJoints<<<1, 32, 0, stream_>>>(q_, kJoints, 3.0f);
  }

  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *q_ = nullptr, *dq_ = nullptr;
};

int main() {
  ControlLoop loop;
  TelemetryAgent agent;
  std::promise<void> recording;
  agent.start(recording.get_future().share());
  cudaError_t recorded = loop.record([&] {
    recording.set_value();
    agent.waitDone();
  });
  cudaError_t ran = recorded == cudaSuccess ? loop.run(4) : recorded;
  std::printf("record %s, run %s, agent %s, joint0 %.2f joint6 %.2f\n", cudaGetErrorName(recorded), cudaGetErrorName(ran),
              cudaGetErrorName(agent.result()), loop.joint(0), loop.joint(6));
  const bool seen = recorded == cudaErrorStreamCaptureInvalidated && agent.result() == cudaErrorStreamCaptureUnsupported;
  std::puts(seen ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
