// Joint controller of a manipulator. The servo loop runs at every tick, the trajectory loop at a fraction
// of the rate and the health monitor at another one. Loops are stages of a pipeline replayed as a graph.
#include <cuda_runtime.h>

#include <cstdio>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace arm {

constexpr int kJoints = 64;

enum class Mode { kIdle, kTracking, kHolding, kFault };

struct JointState {
  int target;
  int position;
  int effort;
};

__host__ __device__ inline void plan_joint(JointState& s, int joint, int command) {
  s.target += command + joint % 3;
}

__host__ __device__ inline void servo_joint(JointState& s) {
  s.effort = (s.target - s.position) / 4;
  s.position += s.effort;
}

__global__ void plan(JointState* joints, const int* command) {
  plan_joint(joints[threadIdx.x], threadIdx.x, *command);
}

__global__ void servo(JointState* joints) { servo_joint(joints[threadIdx.x]); }

__global__ void monitor(const JointState* joints, int* heartbeat) {
  __shared__ int peak;
  if (threadIdx.x == 0) peak = 0;
  __syncthreads();
  const int effort = joints[threadIdx.x].effort;
  atomicMax(&peak, effort < 0 ? -effort : effort);
  __syncthreads();
  if (threadIdx.x == 0) {
    heartbeat[0] += 1;
    heartbeat[1] = peak;
  }
}

// Resources shared by the stages; host blocks are pinned.
struct Plant {
  JointState* joints = nullptr;
  int* command = nullptr;
  int* heartbeat = nullptr;
  int* host_command = nullptr;
  int* host_heartbeat = nullptr;
  JointState* host_joints = nullptr;

  cudaError_t open() {
    cudaError_t status = cudaMalloc(&joints, sizeof(JointState) * kJoints);
    if (status == cudaSuccess) status = cudaMalloc(&command, sizeof(int));
    if (status == cudaSuccess) status = cudaMalloc(&heartbeat, 2 * sizeof(int));
    if (status == cudaSuccess) status = cudaMallocHost(&host_command, sizeof(int));
    if (status == cudaSuccess) status = cudaMallocHost(&host_heartbeat, 2 * sizeof(int));
    if (status == cudaSuccess) status = cudaMallocHost(&host_joints, sizeof(JointState) * kJoints);
    if (status == cudaSuccess) status = cudaMemset(joints, 0, sizeof(JointState) * kJoints);
    if (status == cudaSuccess) status = cudaMemset(heartbeat, 0, 2 * sizeof(int));
    if (status == cudaSuccess) host_heartbeat[0] = host_heartbeat[1] = 0;
    return status == cudaSuccess ? cudaDeviceSynchronize() : status;
  }
  ~Plant() {
    cudaFree(joints);
    cudaFree(command);
    cudaFree(heartbeat);
    cudaFreeHost(host_command);
    cudaFreeHost(host_heartbeat);
    cudaFreeHost(host_joints);
  }
};

class Stage {
 public:
  explicit Stage(int divider) : divider_(divider) {}
  virtual ~Stage() = default;
  virtual cudaError_t enqueue(Plant& plant, cudaStream_t stream) = 0;
  bool due(long tick) const { return tick % divider_ == 0; }

 private:
  int divider_;
};

class TrajectoryStage final : public Stage {
 public:
  using Stage::Stage;
  cudaError_t enqueue(Plant& plant, cudaStream_t stream) override {
    cudaError_t status = cudaMemcpyAsync(plant.command, plant.host_command, sizeof(int), cudaMemcpyHostToDevice, stream);
    if (status != cudaSuccess) return status;
    plan<<<1, kJoints, 0, stream>>>(plant.joints, plant.command);
    return cudaGetLastError();
  }
};

class ServoStage final : public Stage {
 public:
  ServoStage() : Stage(1) {}
  cudaError_t enqueue(Plant& plant, cudaStream_t stream) override {
    servo<<<1, kJoints, 0, stream>>>(plant.joints);
    const cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess) return status;
    return cudaMemcpyAsync(plant.host_joints, plant.joints, sizeof(JointState) * kJoints, cudaMemcpyDeviceToHost, stream);
  }
};

class HealthStage final : public Stage {
 public:
  using Stage::Stage;
  cudaError_t enqueue(Plant& plant, cudaStream_t stream) override {
    monitor<<<1, kJoints, 0, stream>>>(plant.joints, plant.heartbeat);
    const cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess) return status;
    return cudaMemcpyAsync(plant.host_heartbeat, plant.heartbeat, 2 * sizeof(int), cudaMemcpyDeviceToHost, stream);
  }
};

class Pipeline {
 public:
  Pipeline() = default;
  ~Pipeline() {
    for (auto& entry : execs_) cudaGraphExecDestroy(entry.second);
    if (stream_) cudaStreamDestroy(stream_);
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  cudaError_t open() { return cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
  void add(std::unique_ptr<Stage> stage) { stages_.push_back(std::move(stage)); }

  cudaError_t tick(Plant& plant) {
    unsigned active = 0;
    for (size_t i = 0; i < stages_.size(); ++i) active |= stages_[i]->due(now_) ? 1u << i : 0u;
    ++now_;
    cudaGraphExec_t& exec = execs_[active];
    if (!exec) {
      const cudaError_t status = record(plant, active, &exec);
      if (status != cudaSuccess) {
        execs_.erase(active);
        return status;
      }
    }
    const cudaError_t status = cudaGraphLaunch(exec, stream_);
    return status == cudaSuccess ? cudaStreamSynchronize(stream_) : status;
  }

 private:
  cudaError_t record(Plant& plant, unsigned active, cudaGraphExec_t* exec) {
    cudaError_t status = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    if (status != cudaSuccess) return status;
    cudaError_t body = cudaSuccess;
    for (size_t i = 0; i < stages_.size(); ++i) {
      if (body == cudaSuccess && (active >> i & 1u)) body = stages_[i]->enqueue(plant, stream_);
    }
    cudaGraph_t graph = nullptr;
    status = cudaStreamEndCapture(stream_, &graph);
    if (status == cudaSuccess) status = body;
    if (status == cudaSuccess) status = cudaGraphInstantiate(exec, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    return status;
  }

  cudaStream_t stream_ = nullptr;
  long now_ = 0;
  std::map<unsigned, cudaGraphExec_t> execs_;
  std::vector<std::unique_ptr<Stage>> stages_;
};

class Watchdog {
 public:
  explicit Watchdog(int patience) : patience_(patience) {}
  Mode observe(Mode mode, const int* heartbeat) {
    silent_ = heartbeat[0] == last_beat_ ? silent_ + 1 : 0;
    last_beat_ = heartbeat[0];
    if (silent_ > patience_) return Mode::kFault;
    if (mode == Mode::kIdle) return Mode::kTracking;
    return heartbeat[1] == 0 ? Mode::kHolding : Mode::kTracking;
  }

 private:
  int patience_;
  int silent_ = 0;
  int last_beat_ = 0;
};

struct Outcome {
  cudaError_t status = cudaSuccess;
  int wrong_joints = 0;
  int wrong_beats = 0;
  Mode mode = Mode::kIdle;
};

Outcome run(int ticks, int plan_divider, int health_divider) {
  Outcome outcome;
  Plant plant;
  Pipeline pipeline;
  outcome.status = plant.open();
  if (outcome.status == cudaSuccess) outcome.status = pipeline.open();
  pipeline.add(std::make_unique<TrajectoryStage>(plan_divider));
  pipeline.add(std::make_unique<ServoStage>());
  pipeline.add(std::make_unique<HealthStage>(health_divider));

  Watchdog watchdog(health_divider);
  std::vector<JointState> model(kJoints, JointState{0, 0, 0});
  int beats = 0;
  for (int tick = 0; tick < ticks && outcome.status == cudaSuccess; ++tick) {
    *plant.host_command = 40 + 3 * tick;
    outcome.status = pipeline.tick(plant);
    if (outcome.status != cudaSuccess) break;
    outcome.mode = watchdog.observe(outcome.mode, plant.host_heartbeat);
    for (int j = 0; j < kJoints; ++j) {
      if (tick % plan_divider == 0) plan_joint(model[j], j, 40 + 3 * tick);
      servo_joint(model[j]);
      outcome.wrong_joints += model[j].position != plant.host_joints[j].position;
    }
    beats += tick % health_divider == 0;
    outcome.wrong_beats += plant.host_heartbeat[0] != beats;
  }
  return outcome;
}

}  // namespace arm

int main() {
  const arm::Outcome outcome = arm::run(24, 4, 3);
  std::printf("status %s, %d wrong joints, %d wrong heartbeats, mode %d\n", cudaGetErrorString(outcome.status),
              outcome.wrong_joints, outcome.wrong_beats, int(outcome.mode));
  const bool confirmed = outcome.status == cudaSuccess && outcome.wrong_joints == 0 && outcome.wrong_beats == 0 &&
                         outcome.mode == arm::Mode::kTracking;
  std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
  return confirmed ? 0 : 1;
}
