// The result of an update is ignored, and nothing reads the member that receives
// the reason.

// RUN: %check %s cudagraph-ignored-result --confidence=likely

#include <cuda_runtime.h>

__global__ void work(float *x, int n);

template <int Case> class Engine {
public:
  explicit Engine(cudaStream_t s) : s_(s) {}
  bool record(int n) {
    cudaGraph_t g;
    if (cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal))
      return false;
    if (n > 8)
      work<<<1, 1, 0, s_>>>(x_, n);
    work<<<1, 1, 0, s_>>>(x_, 1);
    if (cudaStreamEndCapture(s_, &g))
      return false;
    if (!exec_)
      return cudaGraphInstantiate(&exec_, g, 0) == cudaSuccess;
    update(g);
    return cudaGraphDestroy(g) == cudaSuccess;
  }
  cudaGraphExecUpdateResult why() const;

private:
  void update(cudaGraph_t g);
  cudaStream_t s_;
  cudaGraphExec_t exec_ = nullptr;
  cudaGraphExecUpdateResultInfo info_{};
  cudaGraphExecUpdateResultInfo unread_{};
  float *x_ = nullptr;
};

template <> void Engine<0>::update(cudaGraph_t g) {
  cudaGraphExecUpdate(exec_, g, &unread_);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the result of 'cudaGraphExecUpdate' is ignored; if the new graph has other nodes or edges, CUDA returns cudaErrorGraphExecUpdateFailure (910), and launches will run the old nodes [cudagraph-ignored-result]
}

// Legal: another function examines it.
template <> void Engine<1>::update(cudaGraph_t g) {
  cudaGraphExecUpdate(exec_, g, &info_);
}
template <> cudaGraphExecUpdateResult Engine<1>::why() const {
  return info_.result;
}

int main() {
  cudaStream_t s;
  if (cudaStreamCreate(&s))
    return 1;
  Engine<0> a(s);
  Engine<1> b(s);
  bool ok = a.record(1) && a.record(9) && b.record(1) && b.record(9);
  return ok && b.why() == cudaGraphExecUpdateSuccess ? 0 : 1;
}
