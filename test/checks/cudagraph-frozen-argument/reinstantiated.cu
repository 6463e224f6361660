// If a graph is captured in each iteration and updates or replaces the
// executable graph, no value of an earlier call remains.

// RUN: %check %s cudagraph-frozen-argument

__global__ void relax(float *x, float threshold);

void solve(cudaStream_t s, float *x, float threshold, int rounds) {
  cudaGraphExec_t exec = nullptr;
  for (int i = 0; i < rounds; ++i) {
    cudaGraph_t graph;
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
      return;
    relax<<<1, 32, 0, s>>>(x, threshold);
    if (cudaStreamEndCapture(s, &graph))
      return;
    if (!exec) {
      if (cudaGraphInstantiate(&exec, graph, 0))
        return;
    } else {
      cudaGraphExecUpdateResultInfo info;
      if (cudaGraphExecUpdate(exec, graph, &info)) {
        cudaGraphExecDestroy(exec);
        if (cudaGraphInstantiate(&exec, graph, 0))
          return;
      } else if (info.result != cudaGraphExecUpdateSuccess) {
        if (cudaGraphInstantiate(&exec, graph, 0))
          return;
      }
    }
    if (cudaGraphLaunch(exec, s))
      return;
  }
}

// Only some launches come after an update.
class Kept {
public:
  void set(float threshold) { threshold_ = threshold; }
  void run(cudaStream_t s, bool anew) {
    if (anew) {
      cudaGraph_t graph;
      if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
        return;
      relax<<<1, 32, 0, s>>>(x_, threshold_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'threshold_' of kernel 'relax'
      if (cudaStreamEndCapture(s, &graph))
        return;
      if (!exec_)
        cudaGraphInstantiate(&exec_, graph, 0);
      else
        cudaGraphExecUpdate(exec_, graph, nullptr);
    }
    cudaGraphLaunch(exec_, s);
  }

private:
  float *x_ = nullptr;
  float threshold_ = 0;
  cudaGraphExec_t exec_ = nullptr;
};
void use(Kept &k, cudaStream_t s) {
  k.run(s, true);
  k.set(2);
  k.run(s, false);
}
