// An object that is constructed from a callable stores it; it does not call it.

// RUN: %check %s cudagraph-* --real-std

#include <cuda_runtime.h>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

struct Lane {
  cudaStream_t s = nullptr;
  Lane() { (void)cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); }
  ~Lane() { (void)cudaStreamDestroy(s); }
};

using Step = std::function<void(Lane &)>;

__global__ void add(float *x, float by);

Step adding(float *x, float by) {
  return [=](Lane &lane) { add<<<1, 1, 0, lane.s>>>(x, by); };
}

class Steps {
public:
  void append(Step s) { steps.push_back(std::move(s)); }
  std::optional<Step> at(unsigned i) const {
    if (i >= steps.size())
      return std::nullopt;
    return steps[i];
  }

private:
  std::vector<Step> steps;
};

class Player {
public:
  explicit Player(Lane &lane) : lane(lane) {}
  ~Player() {
    if (exec)
      (void)cudaGraphExecDestroy(exec);
  }
  cudaError_t load(const Steps &steps) {
    if (cudaError_t rc =
            cudaStreamBeginCapture(lane.s, cudaStreamCaptureModeThreadLocal))
      return rc;
    for (unsigned i = 0;; ++i) {
      std::optional<Step> step = steps.at(i);
      if (!step)
        break;
      (*step)(lane);
    }
    cudaGraph_t graph = nullptr;
    if (cudaError_t rc = cudaStreamEndCapture(lane.s, &graph))
      return rc;
    cudaError_t rc = cudaGraphInstantiate(&exec, graph, 0);
    (void)cudaGraphDestroy(graph);
    return rc;
  }
  cudaError_t play() { return cudaGraphLaunch(exec, lane.s); }

private:
  Lane &lane;
  cudaGraphExec_t exec = nullptr;
};

int main() {
  Lane first, second;
  float *x = nullptr;
  if (cudaMalloc(&x, 64) != cudaSuccess)
    return 1;
  Steps steps;
  steps.append(adding(x, 1));
  steps.append(adding(x, 2));
  Player one(first), two(second);
  bool clean = one.load(steps) == cudaSuccess && two.load(steps) == cudaSuccess;
  for (int i = 0; i < 2 && clean; ++i)
    clean = one.play() == cudaSuccess && two.play() == cudaSuccess;
  return !clean;
}
