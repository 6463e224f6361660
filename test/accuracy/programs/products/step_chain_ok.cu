// Step generators and std::function combinators: programs yield steps, lanes carry the streams.
#include <cuda_runtime.h>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

struct Lane {
  cudaStream_t s = nullptr;
  Lane() { cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); }
  ~Lane() { cudaStreamDestroy(s); }
  Lane(const Lane&) = delete;
};

struct Gate {
  cudaEvent_t e = nullptr;
  Gate() { cudaEventCreateWithFlags(&e, cudaEventDisableTiming); }
  ~Gate() { cudaEventDestroy(e); }
  Gate(const Gate&) = delete;
  void pass(const Lane& from, const Lane& to) {
    cudaEventRecord(e, from.s);
    cudaStreamWaitEvent(to.s, e, 0);
  }
};

using Step = std::function<void(Lane&)>;

__global__ void addValue(float* v, float by) { *v += by; }
__global__ void addFrom(const float* src, float* dst) { *dst += *src; }

inline Step add(float* v, float by) {
  return [=](Lane& lane) { addValue<<<1, 1, 0, lane.s>>>(v, by); };
}
inline Step addTo(const float* src, float* dst) {
  return [=](Lane& lane) { addFrom<<<1, 1, 0, lane.s>>>(src, dst); };
}
inline Step then(Step first, Step second) {
  return [first = std::move(first), second = std::move(second)](Lane& lane) { first(lane); second(lane); };
}
void CUDART_CB callProgress(void* p) { (*static_cast<std::function<void(int)>*>(p))(1); }
inline Step notify(std::function<void(int)>& progress) {
  return [&progress](Lane& lane) { cudaLaunchHostFunc(lane.s, callProgress, &progress); };
}

class Beside {
 public:
  Beside(Lane& side, Step left, Step right, Step tail)
      : side_(side), left_(std::move(left)), right_(std::move(right)), tail_(std::move(tail)) {}
  void operator()(Lane& lane) {
    fork_.pass(lane, side_);
    left_(lane);
    right_(side_);
    tail_(side_);
    join_.pass(side_, lane);
  }

 private:
  Lane& side_;
  Step left_, right_, tail_;
  Gate fork_, join_;
};

class StepProgram {
 public:
  StepProgram& yield(Step s) { steps_.push_back(std::move(s)); return *this; }
  std::optional<Step> next() {
    if (at_ == steps_.size()) { at_ = 0; return std::nullopt; }
    return steps_[at_++];
  }

 private:
  std::vector<Step> steps_;
  size_t at_ = 0;
};

class Player {
 public:
  explicit Player(Lane& lane) : lane_(lane) {}
  ~Player() { if (exec_) cudaGraphExecDestroy(exec_); }
  cudaError_t load(StepProgram& program) {
    cudaError_t rc = cudaStreamBeginCapture(lane_.s, cudaStreamCaptureModeThreadLocal);
    if (rc != cudaSuccess) return rc;
    while (auto step = program.next()) (*step)(lane_);
    cudaGraph_t g = nullptr;
    rc = cudaStreamEndCapture(lane_.s, &g);
    return install(rc, g);
  }
  cudaError_t play() {
    cudaError_t rc = cudaGraphLaunch(exec_, lane_.s);
    return rc != cudaSuccess ? rc : cudaStreamSynchronize(lane_.s);
  }

 protected:
  cudaError_t install(cudaError_t rc, cudaGraph_t g) {
    if (rc == cudaSuccess) rc = cudaGraphInstantiate(&exec_, g, 0);
    if (g) cudaGraphDestroy(g);
    return rc;
  }
  Lane& lane_;
  cudaGraphExec_t exec_ = nullptr;
};

class HandoffPlayer : public Player {
 public:
  HandoffPlayer(Lane& first, Lane& second) : Player(first), second_(second), active_(&first) {}
  cudaError_t open() { return cudaStreamBeginCapture(lane_.s, cudaStreamCaptureModeThreadLocal); }
  void push(const Step& step) { step(*active_); }
  void handoff() { moves_.pass(*active_, second_); active_ = &second_; }
  cudaError_t close() {
    cudaGraph_t g = nullptr;
    if (active_ != &lane_) moves_.pass(*active_, lane_);
    active_ = &lane_;
    cudaError_t rc = cudaStreamEndCapture(active_->s, &g);
    return install(rc, g);
  }

 private:
  Lane& second_;
  Lane* active_;
  Gate moves_;
};

int main() {
  Lane origin, side, first, second;
  float* v;
  cudaMalloc(&v, 4 * sizeof(float));
  cudaMemset(v, 0, 4 * sizeof(float));
  cudaDeviceSynchronize();
  int frames = 0;
  std::function<void(int)> progress = [&frames](int n) { frames += n; };
  StepProgram simple;
  simple.yield(then(add(v, 1.0f), notify(progress)));
  Player player(origin);
  bool clean = player.load(simple) == cudaSuccess;
  for (int i = 0; i < 3; ++i) clean = player.play() == cudaSuccess && clean;
  auto beside = std::make_shared<Beside>(side, add(v + 1, 1.0f), add(v + 2, 2.0f), addTo(v + 2, v + 3));
  StepProgram wide;
  wide.yield([beside](Lane& lane) { (*beside)(lane); });
  Player widePlayer(origin);
  cudaError_t forked = widePlayer.load(wide);
  HandoffPlayer relay(first, second);
  cudaError_t opened = relay.open();
  relay.push(add(v, 10.0f));
  relay.handoff();
  relay.push(add(v, 20.0f));
  cudaError_t closed = relay.close();
  for (int i = 0; i < 2; ++i) clean = clean && widePlayer.play() == cudaSuccess && relay.play() == cudaSuccess;
  float out[4] = {};
  cudaMemcpy(out, v, sizeof out, cudaMemcpyDeviceToHost);
  bool hit = clean && frames == 3 && forked == cudaSuccess && opened == cudaSuccess && closed == cudaSuccess &&
             out[0] == 63.0f && out[1] == 2.0f && out[2] == 4.0f && out[3] == 6.0f;
  std::printf(hit ? "LABEL CONFIRMED\n" : "LABEL REFUTED frames %d v %g forked %d closed %d\n", frames, out[0], forked, closed);
  cudaFree(v);
  return 0;
}
