// Lambdas: called in the region, and the variables they capture.

// RUN: %check %s cudagraph-dangling-memory
// RUN: %if gxx %{ %check %s cudagraph-dangling-memory --real-std %}

#include <functional>
#include <vector>

__global__ void kernel(const float *in, float *out);

void called_in_place(cudaStream_t s, float *device, cudaGraph_t *graph) {
  float kept[2] = {1, 2};
  auto upload = [&](const float *host) {
    cudaMemcpyAsync(device, host, 8, cudaMemcpyHostToDevice, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies from 'kept', a local variable of 'called_in_place'; every replay will read 8 bytes of the stack frame of 'called_in_place' [cudagraph-dangling-memory]
  };
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  upload(kept);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls the lambda
  cudaStreamEndCapture(s, graph);
}

// A variable of the lambda itself.
void inner_variable(cudaStream_t s, float *device, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  [&] {
    float scale = 2.0f;
    cudaMemcpyAsync(device, &scale, sizeof(scale), cudaMemcpyHostToDevice, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies from 'scale', a local variable of a lambda in 'inner_variable'; every replay will read 4 bytes of the stack frame of a lambda in 'inner_variable' [cudagraph-dangling-memory]
  }();
  cudaStreamEndCapture(s, graph);
}

// A host function that is a lambda, and data of the enclosing function.
void host_function(cudaStream_t s, cudaGraph_t *graph) {
  long replays = 0;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaLaunchHostFunc(s, [](void *data) { ++*static_cast<long *>(data); }, &replays);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the host function of 'cudaLaunchHostFunc' uses 'replays', a local variable of 'host_function'; {{.*}} [cudagraph-dangling-memory]
  cudaStreamEndCapture(s, graph);
}

// The lambda is stored, and called once in the region.
void stored(cudaStream_t s, int *device, cudaGraph_t *graph) {
  std::vector<int> table(16);
  std::function<void()> upload = [&] {
    cudaMemcpyAsync(device, table.data(), 64, cudaMemcpyHostToDevice, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies from the elements of 'table', a local variable of 'stored'; {{.*}} [cudagraph-dangling-memory]
  };
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  upload();
  cudaStreamEndCapture(s, graph);
}

// This lambda is not called in any region.
void eager(cudaStream_t s, int *device, float *x, cudaGraph_t *graph) {
  auto upload = [&](int value) {
    cudaMemcpyAsync(device, &value, sizeof(value), cudaMemcpyHostToDevice, s);
  };
  upload(1);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(x, x);
  cudaStreamEndCapture(s, graph);
  upload(2);
}
