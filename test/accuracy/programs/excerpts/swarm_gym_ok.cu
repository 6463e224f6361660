// swarm_gym/vec_env: thousands of point-mass agents stepped on the GPU.
// step() = kFrameSkip physics substeps, reward and automatic reset, replayed as one graph.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#define GYM_CHECK(cond, ...)                                     \
  do {                                                           \
    if (!(cond)) {                                               \
      char buf_[256];                                            \
      std::snprintf(buf_, sizeof(buf_), __VA_ARGS__);            \
      throw std::runtime_error(buf_);                            \
    }                                                            \
  } while (0)

#define GYM_CUDA(expr)                                                                \
  do {                                                                                \
    cudaError_t gym_err_ = (expr);                                                    \
    GYM_CHECK(gym_err_ == cudaSuccess, "%s -> %s", #expr, cudaGetErrorString(gym_err_)); \
  } while (0)

namespace gym {

constexpr int kEnvs = 512;
constexpr int kFrameSkip = 2;
constexpr int kEpisodeSteps = 6;
constexpr float kDt = 0.125f;

struct AgentState {
  float pos, vel;
};

struct EpisodeInfo {
  int step;
  int episode;
};

template <typename T>
class DeviceTensor {
 public:
  explicit DeviceTensor(size_t n) : n_(n) { GYM_CUDA(cudaMalloc(&p_, n * sizeof(T))); }
  DeviceTensor(const DeviceTensor&) = delete;
  ~DeviceTensor() { cudaFree(p_); }
  T* get() const { return p_; }
  size_t bytes() const { return n_ * sizeof(T); }
 private:
  T* p_ = nullptr;
  size_t n_;
};

__host__ __device__ inline AgentState initial_state(int env, int episode) {
  return {0.25f * (env % 8) + episode, 0.f};
}

// Each agent is also pulled towards its neighbour, therefore read and write buffers differ.
__host__ __device__ inline AgentState substep(const AgentState* s, int env, float action) {
  const AgentState me = s[env];
  const float pull = 0.5f * (s[(env + 1) % kEnvs].pos - me.pos);
  const float vel = me.vel + kDt * (action + pull);
  return {me.pos + kDt * vel, vel};
}

__global__ void physics(const AgentState* cur, AgentState* next, const float* actions) {
  const int env = blockIdx.x * blockDim.x + threadIdx.x;
  if (env < kEnvs) next[env] = substep(cur, env, actions[env]);
}

__global__ void reset_finished(AgentState* state, EpisodeInfo* info) {
  const int env = blockIdx.x * blockDim.x + threadIdx.x;
  if (env >= kEnvs) return;
  EpisodeInfo e = info[env];
  if (++e.step == kEpisodeSteps) {
    e.step = 0;
    e.episode += 1;
    state[env] = initial_state(env, e.episode);
  }
  info[env] = e;
}

__global__ void init_agents(AgentState* state, EpisodeInfo* info) {
  const int env = blockIdx.x * blockDim.x + threadIdx.x;
  if (env >= kEnvs) return;
  state[env] = initial_state(env, 0);
  info[env] = {0, 0};
}

class VecEnv {
 public:
  VecEnv() : a_(kEnvs), b_(kEnvs), actions_(kEnvs), info_(kEnvs), cur_(a_.get()), next_(b_.get()) {
    GYM_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    GYM_CUDA(cudaMallocHost(&host_actions_, actions_.bytes()));
    GYM_CUDA(cudaMallocHost(&host_obs_, a_.bytes()));
    init_agents<<<kBlocks, kThreads, 0, stream_>>>(cur_, info_.get());
    GYM_CUDA(cudaGetLastError());
  }
  ~VecEnv() {
    cudaStreamSynchronize(stream_);
    if (step_graph_) cudaGraphExecDestroy(step_graph_);
    cudaFreeHost(host_obs_);
    cudaFreeHost(host_actions_);
    cudaStreamDestroy(stream_);
  }

  const AgentState* step(const std::function<float(int)>& policy) {
    for (int e = 0; e < kEnvs; ++e) host_actions_[e] = policy(e);
    if (!step_graph_) capture_step();
    GYM_CUDA(cudaGraphLaunch(step_graph_, stream_));
    GYM_CUDA(cudaMemcpyAsync(host_obs_, cur_, a_.bytes(), cudaMemcpyDeviceToHost, stream_));
    GYM_CUDA(cudaStreamSynchronize(stream_));
    return host_obs_;
  }

 private:
  static constexpr int kThreads = 128;
  static constexpr int kBlocks = kEnvs / kThreads;

  void enqueue_step() {
    for (int sub = 0; sub < kFrameSkip; ++sub) {
      physics<<<kBlocks, kThreads, 0, stream_>>>(cur_, next_, actions_.get());
      std::swap(cur_, next_);
    }
    reset_finished<<<kBlocks, kThreads, 0, stream_>>>(cur_, info_.get());
  }

  void capture_step() {
    static_assert(kFrameSkip % 2 == 0, "the result has to land in the buffer that the step began with");
    cudaGraph_t graph = nullptr;
    GYM_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    const cudaError_t upload =
        cudaMemcpyAsync(actions_.get(), host_actions_, actions_.bytes(), cudaMemcpyHostToDevice, stream_);
    enqueue_step();
    const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
    GYM_CUDA(upload);
    GYM_CUDA(ended);
    const cudaError_t inst = cudaGraphInstantiate(&step_graph_, graph, 0);
    cudaGraphDestroy(graph);
    GYM_CUDA(inst);
  }

  DeviceTensor<AgentState> a_, b_;
  DeviceTensor<float> actions_;
  DeviceTensor<EpisodeInfo> info_;
  AgentState *cur_, *next_;
  float* host_actions_ = nullptr;
  AgentState* host_obs_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t step_graph_ = nullptr;
};

class ReferenceEnv {
 public:
  ReferenceEnv() : cur_(kEnvs), next_(kEnvs) { reset(); }
  const std::vector<AgentState>& step(const std::function<float(int)>& policy) {
    for (int sub = 0; sub < kFrameSkip; ++sub) {
      for (int e = 0; e < kEnvs; ++e) next_[e] = substep(cur_.data(), e, policy(e));
      cur_.swap(next_);
    }
    if (++step_ == kEpisodeSteps) {
      step_ = 0;
      ++episode_;
      reset();
    }
    return cur_;
  }
 private:
  void reset() {
    for (int e = 0; e < kEnvs; ++e) cur_[e] = initial_state(e, episode_);
  }
  std::vector<AgentState> cur_, next_;
  int step_ = 0, episode_ = 0;
};

}  // namespace gym

int main() {
  int wrong_steps = 0, steps = 0;
  bool failed = false;
  try {
    gym::VecEnv env;
    gym::ReferenceEnv ref;
    for (; steps < 20; ++steps) {
      auto policy = [&](int e) { return 0.125f * ((e + 3 * steps) % 9) - 0.25f; };
      const gym::AgentState* obs = env.step(policy);
      const std::vector<gym::AgentState>& want = ref.step(policy);
      bool same = true;
      for (int e = 0; e < gym::kEnvs; ++e)
        same &= std::fabs(obs[e].pos - want[e].pos) < 1e-3f && std::fabs(obs[e].vel - want[e].vel) < 1e-3f;
      wrong_steps += !same;
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "swarm_gym: %s\n", e.what());
    failed = true;
  }
  std::printf("steps %d, wrong %d\n", steps, wrong_steps);
  std::puts(!failed && wrong_steps == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
