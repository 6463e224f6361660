// RUN: %check %s cudagraph-concurrent-work
// RUN: %check %s cudagraph-concurrent-work --suffix=OWN -- -DOWN
// Each object has buffers of its own, whose memory has one name in the
// analysis, and may also share a buffer.

struct Space {
  double *partial;
};
struct Solver {
  double *residual, *product, *partial;
  cudaGraphExec_t exec;
  cudaStream_t stream;
};

__global__ void multiply(const double *r, double *p) {
  p[threadIdx.x] = 2 * r[threadIdx.x];
}
__global__ void reduce(const double *p, double *partial) {
  if (threadIdx.x == 0)
    partial[blockIdx.x] = p[blockIdx.x];
}

static double *allocate() {
  double *memory = nullptr;
  cudaMalloc(&memory, 64 * sizeof(double));
  return memory;
}

static void create(Solver *solver, Space *space) {
  solver->residual = allocate();
  solver->product = allocate();
  solver->partial = space->partial;
  cudaStreamCreateWithFlags(&solver->stream, cudaStreamNonBlocking);
}

static void record(Solver *solver) {
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(solver->stream, cudaStreamCaptureModeGlobal);
  multiply<<<1, 64, 0, solver->stream>>>(solver->residual, solver->product);
  reduce<<<2, 64, 0, solver->stream>>>(solver->product, solver->partial);
  cudaStreamEndCapture(solver->stream, &graph);
  cudaGraphInstantiate(&solver->exec, graph, 0);
  cudaGraphDestroy(graph);
}

static void step(Solver *solvers, int n) {
  for (int i = 0; i < n; ++i)
    cudaGraphLaunch(solvers[i].exec, solvers[i].stream);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaGraphLaunch' launches a graph that shares 'solver->partial' with a graph on another stream, and kernel 'reduce' writes to it; CUDA returns success, and both graphs may run at the same time [cudagraph-concurrent-work]
  for (int i = 0; i < n; ++i)
    cudaStreamSynchronize(solvers[i].stream);
}

int main() {
  Solver solvers[2];
#if defined(OWN)
  Space spaces[2];
  for (int i = 0; i < 2; ++i) {
    spaces[i].partial = allocate();
    create(&solvers[i], &spaces[i]);
    record(&solvers[i]);
  }
#else
  Space space;
  space.partial = allocate();
  for (int i = 0; i < 2; ++i) {
    create(&solvers[i], &space);
    record(&solvers[i]);
  }
#endif
  for (int i = 0; i < 3; ++i)
    step(solvers, 2);
}
