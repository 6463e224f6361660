// An update of an executable graph fails if the nodes or edges differ.

// RUN: %check %s cudagraph-ignored-result

__global__ void step(float *x);
__global__ void stress(float *x);
void report(cudaGraphExecUpdateResultInfo *info);
void check(cudaError_t);

static cudaGraph_t record(cudaStream_t s, float *x, bool stressed) {
  cudaGraph_t graph;
  check(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  step<<<1, 32, 0, s>>>(x);
  if (stressed)
    stress<<<1, 32, 0, s>>>(x);
  check(cudaStreamEndCapture(s, &graph));
  return graph;
}

void dropped(cudaStream_t s, float *x, bool stressed, cudaGraphExec_t exec) {
  cudaGraph_t graph = record(s, x, stressed);
  cudaGraphExecUpdateResultInfo info;
  cudaGraphExecUpdate(exec, graph, &info);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the result of 'cudaGraphExecUpdate' is ignored; if the new graph has other nodes or edges, CUDA returns cudaErrorGraphExecUpdateFailure (910), and launches will run the old nodes [cudagraph-ignored-result]
  // CHECK-NOTES: :[[@LINE-2]]:3: note: check the result, and instantiate the graph again if the update fails
  cudaGraphDestroy(graph);
}

class Service {
public:
  void refresh(bool stressed) {
    cudaGraph_t graph = record(stream, x, stressed);
    if (!exec) {
      check(cudaGraphInstantiate(&exec, graph, 0));
    } else {
      cudaGraphExecUpdateResultInfo info{};
      cudaGraphExecUpdate(exec, graph, &info);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the result of 'cudaGraphExecUpdate' is ignored; {{.*}} [cudagraph-ignored-result]
    }
    check(cudaGraphDestroy(graph));
  }

private:
  cudaStream_t stream = nullptr;
  cudaGraphExec_t exec = nullptr;
  float *x = nullptr;
};

// The result, or its details, are examined.
void compared(cudaStream_t s, float *x, bool stressed, cudaGraphExec_t &exec) {
  cudaGraph_t graph = record(s, x, stressed);
  cudaGraphExecUpdateResultInfo info;
  if (cudaGraphExecUpdate(exec, graph, &info) != cudaSuccess)
    check(cudaGraphInstantiate(&exec, graph, 0));
}

void stored(cudaStream_t s, float *x, bool stressed, cudaGraphExec_t &exec) {
  cudaGraph_t graph = record(s, x, stressed);
  cudaGraphExecUpdateResultInfo info;
  cudaError_t status = cudaGraphExecUpdate(exec, graph, &info);
  check(status);
}

void details(cudaStream_t s, float *x, bool stressed, cudaGraphExec_t &exec) {
  cudaGraph_t graph = record(s, x, stressed);
  cudaGraphExecUpdateResultInfo info;
  cudaGraphExecUpdate(exec, graph, &info);
  if (info.result != cudaGraphExecUpdateSuccess)
    check(cudaGraphInstantiate(&exec, graph, 0));
}

void passed_on(cudaStream_t s, float *x, bool stressed, cudaGraphExec_t exec) {
  cudaGraph_t graph = record(s, x, stressed);
  cudaGraphExecUpdateResultInfo info;
  cudaGraphExecUpdate(exec, graph, &info);
  report(&info);
}

void last_error(cudaStream_t s, float *x, bool stressed, cudaGraphExec_t exec) {
  cudaGraph_t graph = record(s, x, stressed);
  cudaGraphExecUpdateResultInfo info;
  cudaGraphExecUpdate(exec, graph, &info);
  check(cudaGetLastError());
}

void caller(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
  cudaGraphExecUpdate(exec, graph, info);
}
void by_parameter(cudaStream_t s, float *x, bool stressed, cudaGraphExec_t &exec) {
  cudaGraph_t graph = record(s, x, stressed);
  cudaGraphExecUpdateResultInfo info;
  caller(exec, graph, &info);
  if (info.result != cudaGraphExecUpdateSuccess)
    check(cudaGraphInstantiate(&exec, graph, 0));
}

void on_purpose(cudaStream_t s, float *x, cudaGraphExec_t exec) {
  cudaGraph_t graph = record(s, x, false);
  cudaGraphExecUpdateResultInfo info;
  (void)cudaGraphExecUpdate(exec, graph, &info);
}
