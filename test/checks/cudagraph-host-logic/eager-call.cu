// RUN: %check %s cudagraph-host-logic,cudagraph-frozen-argument,cudagraph-dynamic-shape
// RUN: %check %s cudagraph-host-logic,cudagraph-frozen-argument,cudagraph-dynamic-shape --suffix=CACHED -- -DCACHED
// A function that a capture calls may also be called outside a capture, with
// other numbers: such a call does its own work.
struct Plan {
  int count;
  float scale;
};

struct Runner {
  cudaStream_t stream;
  cudaGraphExec_t exec;
};

__global__ void kernel(float *p, int n, float scale);

static void enqueue(Runner *r, const Plan *plan, float *data) {
  for (int i = 0; i < plan->count; ++i)
    // CHECK-MESSAGES-CACHED: :[[@LINE-1]]:19: warning: the branch depends on 'count', which has a different value when the graph is launched
    kernel<<<1, 32, 0, r->stream>>>(data, i, plan->scale);
  // CHECK-MESSAGES-CACHED: :[[@LINE-1]]:5: warning: argument 'plan->scale' of kernel 'kernel' has a different value when the graph is launched
}

#ifdef CACHED
// This one launches the graph of the first call.
static void run(Runner *r, const Plan *plan, float *data) {
  if (!r->exec) {
    cudaGraph_t graph;
    if (cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeGlobal))
      return;
    enqueue(r, plan, data);
    if (cudaStreamEndCapture(r->stream, &graph) ||
        cudaGraphInstantiate(&r->exec, graph, 0))
      return;
  }
  cudaGraphLaunch(r->exec, r->stream);
}

int main() {
  Runner r{};
  Plan first{3, 0.5f}, second{2, 0.25f};
  float *data;
  if (cudaStreamCreate(&r.stream) || cudaMalloc(&data, 128))
    return 1;
  run(&r, &first, data);
  run(&r, &second, data);
  return cudaStreamSynchronize(r.stream);
}
#else
static bool record(Runner *r, const Plan *plan, float *data) {
  cudaGraph_t graph;
  if (cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeGlobal))
    return false;
  enqueue(r, plan, data);
  return cudaStreamEndCapture(r->stream, &graph) == cudaSuccess &&
         cudaGraphInstantiate(&r->exec, graph, 0) == cudaSuccess;
}

int main() {
  Runner r{};
  Plan first{3, 0.5f}, second{2, 0.25f};
  float *data;
  if (cudaStreamCreate(&r.stream) || cudaMalloc(&data, 128))
    return 1;
  if (!record(&r, &first, data))
    return 1;
  enqueue(&r, &second, data);
  for (int i = 0; i < 3; ++i)
    cudaGraphLaunch(r.exec, r.stream);
  return cudaStreamSynchronize(r.stream);
}
#endif
