// The result of a captured copy does not exist until the graph runs. Code in the region that
// keeps it, in a variable, an array, or a container, keeps what was there before.

// RUN: %check %s cudagraph-host-logic --real-std
// REQUIRES: gxx

#include <vector>

__global__ void kernel(float *x);

float last, logged[16];
int entries;

class Monitor {
public:
  Monitor() {
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMalloc(&device, 4096);
    cudaMallocHost(&host, 4096);
  }
  void record() {
    cudaGraph_t graph = nullptr;
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal))
      return;
    logged[0] = host[0]; // of an earlier run
    kernel<<<1, 32, 0, s>>>(device);
    cudaMemcpyAsync(host, device, 4096, cudaMemcpyDeviceToHost, s);
    logged[entries] = host[0];
// CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'logged' changes during the capture of 's'
    last = host[0];
// CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'last' changes during the capture of 's'
    history.push_back(host[0]);
// CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'std::vector::push_back' changes the container on which it is called during the capture of 's'
    if (cudaStreamEndCapture(s, &graph) || cudaGraphInstantiate(&exec, graph, 0))
      return;
  }
  void run() {
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
    logged[entries++] = host[0];
    last = host[0];
    history.push_back(host[0]);
  }

private:
  std::vector<float> history;
  float *device = nullptr, *host = nullptr;
  cudaStream_t s = nullptr;
  cudaGraphExec_t exec = nullptr;
};

int main() {
  Monitor monitor;
  monitor.record();
  for (int i = 0; i < 8; ++i)
    monitor.run();
}
