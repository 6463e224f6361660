// Temporaries are destroyed with their statement, before the same function
// launches the graph; a reference extends the lifetime.

// RUN: %check %s cudagraph-dangling-memory
// RUN: %if gxx %{ %check %s cudagraph-dangling-memory --real-std %}

#include <initializer_list>
#include <string>
#include <vector>

std::vector<int> table(int n);
std::string name(int n);

void launched(cudaStream_t s, int *d, char *c) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(d, std::vector<int>(4).data(), 16, cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from a temporary; {{.*}} [cudagraph-dangling-memory]
  cudaMemcpyAsync(d, table(4).data(), 16, cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from a temporary; {{.*}} [cudagraph-dangling-memory]
  cudaMemcpyAsync(c, name(4).c_str(), 4, cudaMemcpyHostToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from a temporary; {{.*}} [cudagraph-dangling-memory]
  const std::vector<int> &kept = table(8);
  cudaMemcpyAsync(d, kept.data(), 32, cudaMemcpyHostToDevice, s);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, s);
  cudaStreamSynchronize(s);
  cudaGraphExecDestroy(exec);
}
