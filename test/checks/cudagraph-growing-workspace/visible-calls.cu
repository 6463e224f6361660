// If main() owns a buffer, all calls that may make it grow are visible, unless a
// function without source receives it. Other functions without source cannot
// reach it.

// RUN: %check %s cudagraph-growing-workspace

__global__ void kernel(const float *in, float *out);
void report(int code);

struct Own {
  float *bytes = nullptr;
  size_t capacity = 0;
  void atLeast(size_t wanted) {
    if (wanted <= capacity)
      return;
    cudaFree(bytes);
    cudaMalloc(&bytes, wanted);
    capacity = wanted;
  }
};
struct Tuned {
  float *bytes = nullptr;
  size_t capacity = 0;
  void atLeast(size_t wanted) {
    if (wanted <= capacity)
      return;
    cudaFree(bytes);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'Tuned::atLeast' frees and reallocates 'bytes' while the graph
    cudaMalloc(&bytes, wanted);
    capacity = wanted;
  }
};
void tune(Tuned &staging);

template <class T> cudaGraphExec_t record(T &staging, cudaStream_t s, float *out) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  staging.atLeast(4096);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(staging.bytes, out);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  return exec;
}

int main() {
  cudaStream_t s;
  float *out;
  cudaStreamCreate(&s);
  cudaMalloc(&out, 4096);
  Own own;
  Tuned tuned;
  cudaGraphExec_t first = record(own, s, out);
  cudaGraphExec_t second = record(tuned, s, out);
  tune(tuned);
  cudaGraphLaunch(first, s);
  cudaGraphLaunch(second, s);
  report(0);
}
