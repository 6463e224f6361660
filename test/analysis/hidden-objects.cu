// If main() takes objects from functions without source, only a part of their
// lifetimes is visible: other code may launch the graphs that they store.

// RUN: %check %s cudagraph-dangling-memory

__global__ void kernel(const float *in, float *out);

class Scatter {
public:
  void prepare(const float *in, int n) {
    float *scratch = nullptr;
    cudaGraph_t graph;
    cudaMalloc(&scratch, n * sizeof(float));
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    kernel<<<1, 32, 0, stream_>>>(in, scratch);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'kernel' uses 'scratch', which 'Scatter::prepare' frees
    cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaFree(scratch);
  }

private:
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};
Scatter &scatterOf(int device);

void freed(cudaStream_t s, float *out, cudaGraph_t *graph) {
  float *scratch;
  cudaMalloc(&scratch, 4096);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(scratch, out);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' uses 'scratch', which 'freed' frees
  cudaStreamEndCapture(s, graph);
  cudaFree(scratch);
}
cudaGraph_t *sharedGraph();

// The memory is freed after the last launch.
struct Plan {
  cudaStream_t stream;
  cudaGraphExec_t exec;
  float *scratch;
};
Plan &plan();
void build(Plan &p, const float *in) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(p.stream, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, p.stream>>>(in, p.scratch);
  cudaStreamEndCapture(p.stream, &graph);
  cudaGraphInstantiate(&p.exec, graph, 0);
}
cudaGraphExec_t global;
void buildGlobal(cudaStream_t s, const float *in, float *out) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(in, out);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&global, graph, 0);
}

int main() {
  cudaStream_t s;
  float *in, *out;
  cudaStreamCreate(&s);
  cudaMalloc(&in, 4096);
  cudaMalloc(&out, 4096);
  scatterOf(1).prepare(in, 5);
  freed(s, out, sharedGraph());

  plan().stream = s;
  cudaMalloc(&plan().scratch, 4096);
  build(plan(), in);
  buildGlobal(s, in, out);
  for (int i = 0; i < 10; ++i) {
    cudaGraphLaunch(plan().exec, s);
    cudaGraphLaunch(global, s);
  }
  cudaStreamSynchronize(s);
  cudaFree(plan().scratch);
  cudaFree(out);
  cudaFree(in);
}
