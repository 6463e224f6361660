// Memory that is allocated in the region, which relaxed mode permits: it is allocated
// once, and the graph uses it until it is freed.

// RUN: %check %s cudagraph-dangling-memory

__global__ void fill(float *p) { *p = 1; }

struct Engine {
  cudaStream_t S;
  cudaGraphExec_t Exec = nullptr;
  float *P = nullptr;
  void capture() {
    cudaGraph_t G;
    cudaStreamBeginCapture(S, cudaStreamCaptureModeRelaxed);
    cudaMalloc(&P, 64);
    fill<<<1, 1, 0, S>>>(P);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: kernel 'fill' uses 'P', which 'Engine::capture' frees; every replay will use freed memory that may have been reallocated
    cudaStreamEndCapture(S, &G);
    cudaGraphInstantiate(&Exec, G, 0);
    cudaFree(P);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: it is freed here
  }
  void run() { cudaGraphLaunch(Exec, S); }
};

void use(cudaStream_t s) {
  Engine E{s};
  E.capture();
  E.run();
}

// The memory is freed after the graph.
void last(cudaStream_t s) {
  cudaGraph_t G;
  cudaGraphExec_t Exec;
  float *P;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  cudaMalloc(&P, 64);
  fill<<<1, 1, 0, s>>>(P);
  cudaStreamEndCapture(s, &G);
  cudaGraphInstantiate(&Exec, G, 0);
  cudaGraphLaunch(Exec, s);
  cudaStreamSynchronize(s);
  cudaGraphExecDestroy(Exec);
  cudaGraphDestroy(G);
  cudaFree(P);
}
