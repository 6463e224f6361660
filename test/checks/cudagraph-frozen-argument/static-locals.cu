// A static local variable with an initializer contains the graph, or records that there
// is one. The initializer runs only once, so later calls launch the earlier graph.

// RUN: %check %s cudagraph-frozen-argument

__global__ void adam(float *weights, int step);

void nullPointer(cudaStream_t stream, float *weights, int step) {
  static cudaGraphExec_t exec = nullptr;
  if (!exec) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    adam<<<4, 256, 0, stream>>>(weights, step);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'step' of kernel 'adam' comes from parameter 'step' of 'nullPointer', whose later calls launch the graph of an earlier call
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
  }
  cudaGraphLaunch(exec, stream);
}

void braces(cudaStream_t stream, float *weights, int step) {
  static cudaGraphExec_t exec{};
  if (exec == nullptr) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    adam<<<4, 256, 0, stream>>>(weights, step);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'step' of kernel 'adam' comes from parameter 'step' of 'braces', whose later calls launch the graph of an earlier call
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
  }
  cudaGraphLaunch(exec, stream);
}

void flag(cudaStream_t stream, float *weights, int step) {
  static cudaGraphExec_t exec;
  static bool first = true;
  if (first) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    adam<<<4, 256, 0, stream>>>(weights, step);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'step' of kernel 'adam' comes from parameter 'step' of 'flag', whose later calls launch the graph of an earlier call
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    first = false;
  }
  cudaGraphLaunch(exec, stream);
}

// Legal: the graph is captured again for another step.
void again(cudaStream_t stream, float *weights, int step) {
  static cudaGraphExec_t exec = nullptr;
  static int captured = -1;
  if (captured != step) {
    cudaGraph_t graph;
    if (exec)
      cudaGraphExecDestroy(exec);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    adam<<<4, 256, 0, stream>>>(weights, step);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    captured = step;
  }
  cudaGraphLaunch(exec, stream);
}

// Legal: nothing sets the variable, so the graph is captured in each call.
void always(cudaStream_t stream, float *weights, int step) {
  static bool keep = false;
  static cudaGraphExec_t exec;
  if (!keep) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    adam<<<4, 256, 0, stream>>>(weights, step);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
  }
  cudaGraphLaunch(exec, stream);
}
