// A status to which later calls add changes only if a call fails. A counter
// that determines later launches does change.

// RUN: %check %s cudagraph-host-logic --real-std

#include <memory>
#include <vector>

__global__ void k(float *x);

struct Stage {
  virtual ~Stage() = default;
  virtual bool prepare() = 0;
  virtual bool enqueue(cudaStream_t s) = 0;
};
std::unique_ptr<Stage> makeStage(int id);

struct Status {
  Status(cudaError_t e) : code(e) {}
  explicit operator bool() const { return code == cudaSuccess; }
  Status &operator&=(Status other) {
    if (code == cudaSuccess)
      code = other.code;
    return *this;
  }
  cudaError_t code;
};

Status blend(cudaStream_t s) {
  k<<<1, 1, 0, s>>>(nullptr);
  return cudaGetLastError();
}

int stages() {
  cudaStream_t s;
  std::vector<std::unique_ptr<Stage>> chain;
  bool ok = true;
  for (int i = 0; i < 3; ++i) {
    chain.push_back(makeStage(i));
    ok = chain.back()->prepare() && ok;
  }
  ok = cudaStreamCreate(&s) == cudaSuccess && ok;
  cudaGraph_t g;
  cudaGraphExec_t e;
  ok = ok && cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal) ==
                 cudaSuccess;
  for (auto &stage : chain)
    ok = stage->enqueue(s) && ok;
  ok = cudaStreamEndCapture(s, &g) == cudaSuccess && ok;
  ok = ok && cudaGraphInstantiate(&e, g, 0) == cudaSuccess;
  if (!ok)
    return 1;
  for (int i = 0; i < 3; ++i)
    ok = cudaGraphLaunch(e, s) == cudaSuccess && ok;
  return ok ? 0 : 1;
}

int statuses(cudaStream_t s) {
  cudaGraph_t g;
  cudaGraphExec_t e;
  Status ok = cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  if (!ok)
    return 1;
  ok &= blend(s);
  ok &= cudaStreamEndCapture(s, &g);
  if (ok)
    ok &= cudaGraphInstantiate(&e, g, 0);
  for (int i = 0; i < 3 && ok; ++i)
    ok &= cudaGraphLaunch(e, s);
  return ok ? 0 : 1;
}

struct Recorder {
  bool recorded = true;
  int steps = 0;
  void record(cudaStream_t s) {
    cudaGraph_t g;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    k<<<1, 1, 0, s>>>(nullptr);
    ++steps;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'steps' changes during the capture of 's'
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&e, g, 0);
  }
  void run(cudaStream_t s) {
    for (int i = 0; i < 4; ++i) {
      cudaGraphLaunch(e, s);
      if (steps > 3)
        flush();
    }
  }
  void flush();
  cudaGraphExec_t e;
};

int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  Recorder r;
  r.record(s);
  r.run(s);
  return stages() + statuses(s);
}
