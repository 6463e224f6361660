// RUN: %check %s cudagraph-stream-dependency
// RUN: %check %s cudagraph-stream-dependency --suffix=EARLY -- -DEARLY
// RUN: %check %s cudagraph-stream-dependency --suffix=ALL -- -DALL
// A kernel on another stream writes only the edges of an array, such as those
// that a neighbor sends. A kernel for the interior need not wait for it.

__global__ void receive(double *u, const double *buffer, int n) {
  u[0] = buffer[0];
  u[n + 1] = buffer[1];
}
__global__ void receiveAll(double *u, const double *buffer, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] = buffer[i];
}
__global__ void interior(const double *u, double *next, int n) {
  int i = 2 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    next[i] = u[i - 1] + u[i + 1];
}
__global__ void borders(const double *u, double *next, int n) {
  next[1] = u[0] + u[2];
  next[n] = u[n - 1] + u[n + 1];
}

class Smoother {
public:
  void capture() {
    cudaGraph_t graph = nullptr;
    cudaStreamBeginCapture(compute, cudaStreamCaptureModeGlobal);
    step();
    cudaStreamEndCapture(compute, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
  }
  void run() { cudaGraphLaunch(exec, compute); }

private:
  void exchange() {
    cudaEventRecord(fork, compute);
    cudaStreamWaitEvent(link, fork, 0);
#if defined(EARLY)
    cudaEventRecord(received, link);
    // CHECK-NOTES-EARLY: :[[@LINE-1]]:5: note: the event is recorded here, before that work
#endif
#if defined(ALL)
    receiveAll<<<1, 256, 0, link>>>(u, buffer, n);
#else
    receive<<<1, 1, 0, link>>>(u, buffer, n);
    // CHECK-NOTES-EARLY: :[[@LINE-1]]:5: note: this kernel writes to it
#endif
#if !defined(EARLY)
    cudaEventRecord(received, link);
#endif
  }
  void step() {
    exchange();
    interior<<<1, 256, 0, compute>>>(u, next, n);
    // CHECK-MESSAGES-ALL: :[[@LINE-1]]:5: warning: kernel 'interior' reads 'u', which kernel 'receiveAll' writes on another stream, without waiting for it; CUDA returns success, and replays may run both at the same time [cudagraph-stream-dependency]
    cudaStreamWaitEvent(compute, received, 0);
    borders<<<1, 1, 0, compute>>>(u, next, n);
    // CHECK-MESSAGES-EARLY: :[[@LINE-1]]:5: warning: kernel 'borders' reads 'u', which kernel 'receive' writes on another stream, without waiting for it; CUDA returns success, and replays may run both at the same time [cudagraph-stream-dependency]
    cudaEventRecord(done, link);
    cudaStreamWaitEvent(compute, done, 0);
  }

  cudaStream_t compute = nullptr, link = nullptr;
  cudaEvent_t fork = nullptr, received = nullptr, done = nullptr;
  cudaGraphExec_t exec = nullptr;
  double *u = nullptr, *next = nullptr, *buffer = nullptr;
  int n = 256;
};

void run(Smoother &smoother) {
  smoother.capture();
  smoother.run();
  smoother.run();
}
