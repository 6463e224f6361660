// A loop captures one graph for each number. Each graph is for the number of its
// iteration.

// RUN: %check %s cudagraph-frozen-argument,cudagraph-dynamic-shape --real-std
// REQUIRES: gxx

#include <map>
#include <vector>

__global__ void blur(float *image, int radius);

// Each case has its own capture.
template <int Case>
cudaGraphExec_t record(cudaStream_t stream, int threads, int radius) {
  cudaGraphExec_t exec;
  cudaGraph_t graph;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  blur<<<1, threads, 0, stream>>>(nullptr, radius);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphDestroy(graph);
  return exec;
}

// Legal: one graph for each number.
void graphs(cudaStream_t stream) {
  for (int radius = 1; radius <= 4; radius *= 2) {
    std::vector<cudaGraphExec_t> own;
    for (int threads = 32; threads <= 128; threads *= 2)
      own.push_back(record<0>(stream, threads, radius));
    for (cudaGraphExec_t each : own)
      cudaGraphLaunch(each, stream);
    for (cudaGraphExec_t each : own)
      cudaGraphExecDestroy(each);
  }
  for (int radius : {1, 2}) {
    std::map<int, cudaGraphExec_t> own;
    for (int threads : {32, 64})
      own[threads] = record<1>(stream, threads, radius);
    for (auto &each : own)
      cudaGraphLaunch(each.second, stream);
  }
  std::vector<cudaGraphExec_t> all;
  int radius = 1;
  while (radius < 9) {
    all.push_back(record<2>(stream, 64, radius));
    radius += 2;
  }
  for (cudaGraphExec_t each : all)
    cudaGraphLaunch(each, stream);
}

// Legal: the launch is outside the loop whose variable the graph received.
void best(cudaStream_t stream) {
  cudaGraphExec_t kept = nullptr;
  for (int threads = 32; threads <= 128; threads *= 2) {
    cudaGraphExec_t exec = record<3>(stream, threads, 1);
    cudaGraphLaunch(exec, stream);
    if (kept)
      cudaGraphExecDestroy(kept);
    kept = exec;
  }
  cudaGraphLaunch(kept, stream);
}

// Wrong: the launch is inside the loop.
void launchedInside(cudaStream_t stream) {
  cudaGraphExec_t exec = nullptr;
  for (int radius = 1; radius < 9; ++radius) {
    if (!exec) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
      blur<<<1, 64, 0, stream>>>(nullptr, radius);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: argument 'radius' of kernel 'blur' has a different value when the graph is launched
      cudaStreamEndCapture(stream, &graph);
      cudaGraphInstantiate(&exec, graph, 0);
      cudaGraphDestroy(graph);
    }
    cudaGraphLaunch(exec, stream);
  }
}

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  graphs(stream);
  best(stream);
  launchedInside(stream);
}
