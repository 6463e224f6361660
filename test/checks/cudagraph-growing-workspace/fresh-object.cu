// Changes to an object that the same function has just allocated, including
// cleanup after a failure, are construction. Changes to an object that is
// passed in are not.

// RUN: %check %s cudagraph-growing-workspace,cudagraph-dangling-memory,cudagraph-dynamic-shape

#include <cstdlib>

__global__ void relax(float *x, int n);

struct Solver {
  cudaStream_t s;
  cudaGraphExec_t exec;
  float *x;
  int n;
};

int solver_for(Solver **out, int n) {
  Solver *solver = (Solver *)std::calloc(1, sizeof *solver);
  if (!solver)
    return -1;
  solver->n = n;
  if (cudaMalloc((void **)&solver->x, n) != cudaSuccess)
    goto fail;
  if (cudaStreamCreate(&solver->s) != cudaSuccess)
    goto fail;
  *out = solver;
  return 0;
fail:
  cudaFree(solver->x);
  std::free(solver);
  return -2;
}

int solver_record(Solver *solver) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(solver->s, cudaStreamCaptureModeGlobal);
  relax<<<solver->n, 1, 0, solver->s>>>(solver->x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'relax' is computed from a value that 'solver_resize' sets while the graph exists; {{.*}} [cudagraph-dynamic-shape]
  cudaStreamEndCapture(solver->s, &graph);
  return cudaGraphInstantiate(&solver->exec, graph, 0);
}

int solver_run(Solver *solver) { return cudaGraphLaunch(solver->exec, solver->s); }

int solver_resize(Solver *solver, int n) {
  solver->n = n;
  cudaFree(solver->x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'solver_resize' frees and reallocates 'x' {{.*}} [cudagraph-growing-workspace]
  return cudaMalloc((void **)&solver->x, n);
}
