// Value-learning agent: online weights follow a regression target, target weights are refreshed periodically.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

inline void expect(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

__global__ void td_update(float* online, const float* target, const float* reward, int n, float lr, float gamma) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) online[i] += lr * (reward[i] + gamma * target[i] - online[i]);
}

struct Params {
  float* w = nullptr;
  int n;
  explicit Params(int n_) : n(n_) {
    expect(cudaMalloc(&w, n * sizeof(float)), "params");
    expect(cudaMemset(w, 0, n * sizeof(float)), "zero");
  }
  ~Params() { cudaFree(w); }
  Params(const Params&) = delete;
};

struct AgentConfig {
  int width = 256;
  int refresh_period = 4;
  float lr = 0.5f;
  float gamma = 0.9f;
};

class Graph {
 public:
  template <class Body>
  Graph(cudaStream_t s, Body&& body) {
    cudaGraph_t g = nullptr;
    expect(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal), "begin");
    try {
      body();
    } catch (...) {
      cudaStreamEndCapture(s, &g);
      throw;
    }
    expect(cudaStreamEndCapture(s, &g), "end");
    expect(cudaGraphInstantiateWithFlags(&exec_, g, 0), "instantiate");
    expect(cudaGraphDestroy(g), "destroy");
  }
  ~Graph() { cudaGraphExecDestroy(exec_); }
  Graph(const Graph&) = delete;
  void launch(cudaStream_t s) const { expect(cudaGraphLaunch(exec_, s), "launch"); }

 private:
  cudaGraphExec_t exec_ = nullptr;
};

class Agent {
 public:
  Agent(const AgentConfig& cfg, const std::vector<float>& reward)
      : cfg_(cfg), online_(cfg.width), target_(cfg.width), reward_(cfg.width) {
    expect(cudaStreamCreate(&stream_), "stream");
    expect(cudaMemcpy(reward_.w, reward.data(), cfg.width * sizeof(float), cudaMemcpyHostToDevice), "reward");
    expect(cudaDeviceSynchronize(), "init");
  }
  ~Agent() {
    train_graph_.reset();
    refresh_graph_.reset();
    cudaStreamDestroy(stream_);
  }

  void learn(int iterations) {
    if (!train_graph_) train_graph_ = std::make_unique<Graph>(stream_, [this] { update(); });
    if (!refresh_graph_) refresh_graph_ = std::make_unique<Graph>(stream_, [this] { refresh_target(); });
    for (int i = 0; i < iterations; ++i) {
      train_graph_->launch(stream_);
      if (++updates_ % cfg_.refresh_period == 0) refresh_graph_->launch(stream_);
    }
    expect(cudaStreamSynchronize(stream_), "learn");
  }

  std::vector<float> weights(bool target) const {
    std::vector<float> h(cfg_.width);
    const Params& p = target ? target_ : online_;
    expect(cudaMemcpy(h.data(), p.w, h.size() * sizeof(float), cudaMemcpyDeviceToHost), "weights");
    return h;
  }

 private:
  void update() {
    const int n = cfg_.width;
    td_update<<<(n + 127) / 128, 128, 0, stream_>>>(online_.w, target_.w, reward_.w, n, cfg_.lr, cfg_.gamma);
    expect(cudaGetLastError(), "td_update");
  }
  void refresh_target() {
    expect(cudaMemcpyAsync(target_.w, online_.w, cfg_.width * sizeof(float), cudaMemcpyDeviceToDevice, stream_),
           "refresh");
  }

  const AgentConfig cfg_;
  Params online_, target_, reward_;
  cudaStream_t stream_ = nullptr;
  long updates_ = 0;
  std::unique_ptr<Graph> train_graph_;
  std::unique_ptr<Graph> refresh_graph_;
};

static void simulate(const AgentConfig& c, const std::vector<float>& r, int its, bool refresh, std::vector<float>& on,
                     std::vector<float>& tg) {
  on.assign(c.width, 0.f);
  tg.assign(c.width, 0.f);
  for (int k = 1; k <= its; ++k) {
    for (int i = 0; i < c.width; ++i) on[i] += c.lr * (r[i] + c.gamma * tg[i] - on[i]);
    if (refresh && k % c.refresh_period == 0) tg = on;
  }
}
static float gap(const std::vector<float>& a, const std::vector<float>& b) {
  float m = 0;
  for (size_t i = 0; i < a.size(); ++i) m = std::fmax(m, std::fabs(a[i] - b[i]));
  return m;
}

int main() {
  try {
    AgentConfig cfg;
    std::vector<float> reward(cfg.width);
    for (int i = 0; i < cfg.width; ++i) reward[i] = 1.f + 0.01f * i;
    Agent agent(cfg, reward);
    agent.learn(6);
    agent.learn(14);
    std::vector<float> on, tg, on_never, tg_never;
    simulate(cfg, reward, 20, true, on, tg);
    simulate(cfg, reward, 20, false, on_never, tg_never);
    const float good = std::fmax(gap(agent.weights(false), on), gap(agent.weights(true), tg));
    const float never = std::fmax(gap(agent.weights(false), on_never), gap(agent.weights(true), tg_never));
    std::printf("distance to schedule %g, to no refresh %g\n", good, never);
    if (good < 1e-3f && never > 0.1f) { std::printf("LABEL CONFIRMED\n"); return 0; }
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
  }
  std::printf("LABEL UNOBSERVED\n");
  return 1;
}
