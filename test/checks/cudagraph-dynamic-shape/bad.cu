// Launch configurations and sizes that come from the device, or from host state
// that changes between replays.

// RUN: %check %s cudagraph-dynamic-shape
// RUN: %if gxx %{ %check %s cudagraph-dynamic-shape --real-std %}

#include <algorithm>
#include <cstdlib>
#include <vector>

__global__ void kernel(float *x, int n);

// A count is read back and used for a launch, as in stream compaction.
void from_device(float *x, int *count) {
  cudaStream_t s;
  cudaGraph_t graph;
  int n = 0;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(&n, count, sizeof(int), cudaMemcpyDeviceToHost, s);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: the value is read here
  kernel<<<(n + 255) / 256, 256, 0, s>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'kernel' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
  kernel<<<1, n, 0, s>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the block of kernel 'kernel' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
  kernel<<<1, 32, n * sizeof(float), s>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the shared memory of kernel 'kernel' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
  cudaMemsetAsync(x, 0, n * sizeof(float), s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the size given to 'cudaMemsetAsync' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
  cudaMemcpyAsync(x, x + n, n, cudaMemcpyDeviceToDevice, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the size given to 'cudaMemcpyAsync' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
  float *scratch;
  cudaMallocAsync(&scratch, n, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the size given to 'cudaMallocAsync' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
  cudaStreamEndCapture(s, &graph);
}

// The size is read before the region, but the graph retains it.
void read_before(float *x, int *count) {
  cudaStream_t s;
  cudaGraph_t graph;
  int n = 0;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaMemcpy(&n, count, sizeof(int), cudaMemcpyDeviceToHost);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<n, 256, 0, s>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'kernel' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
  cudaStreamEndCapture(s, &graph);
}

// Sizes from a symbol or a buffer, through arithmetic and std::min.
__device__ int total;
void through_arithmetic(float *x, const int *sizes) {
  cudaStream_t s;
  cudaGraph_t graph;
  int host_total, host_sizes[8];
  cudaStreamCreate(&s);
  cudaMemcpyFromSymbol(&host_total, total, sizeof(int));
  cudaMemcpy(host_sizes, sizes, sizeof(host_sizes), cudaMemcpyDeviceToHost);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  int blocks = host_total / 256 + (host_total % 256 != 0);
  dim3 grid(blocks, 1, 1);
  kernel<<<grid, 256, 0, s>>>(x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'kernel' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
  kernel<<<std::min(host_total, 1024), 256, 0, s>>>(x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: {{the grid of kernel 'kernel' is computed from a value read back}}
  kernel<<<host_sizes[3], 256, 0, s>>>(x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'kernel' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
  cudaStreamEndCapture(s, &graph);
}

// Values that differ from call to call.
void random_grid(float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  int n = rand() % 64;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<n, 32, 0, s>>>(x, n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'kernel' is computed from a value that differs from call to call; replays keep the value from the capture [cudagraph-dynamic-shape]
  cudaStreamEndCapture(s, &graph);
}

// Host state that grows from step to step: the length of a sequence.
class Decoder {
public:
  void step() { ++length_; }
  void append(int tokens) { length_ += tokens; }
  void build() {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    kernel<<<(length_ + 127) / 128, 128, 0, stream_>>>(cache_, length_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the grid of kernel 'kernel' is computed from host state that changes between replays; replays keep the value from the capture [cudagraph-dynamic-shape]
    cudaMemsetAsync(cache_, 0, length_ * sizeof(float), stream_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the size given to 'cudaMemsetAsync' is computed from host state that changes between replays; replays keep the value from the capture [cudagraph-dynamic-shape]
    cudaStreamEndCapture(stream_, &graph);
  }

private:
  cudaStream_t stream_;
  float *cache_;
  int length_ = 0;
};

static int batch;
void next_batch() { batch += 8; }
void global_state(cudaStream_t s, float *x) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<batch, 128, 0, s>>>(x, batch);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'kernel' is computed from host state that changes between replays; replays keep the value from the capture [cudagraph-dynamic-shape]
  cudaStreamEndCapture(s, &graph);
}

// Sizes in cudaLaunchKernel and in a launch configuration.
void launch_api(float *x, int *count) {
  cudaStream_t s;
  cudaGraph_t graph;
  int n;
  cudaStreamCreate(&s);
  cudaMemcpy(&n, count, sizeof(int), cudaMemcpyDeviceToHost);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  void *args[] = {&x, &n};
  cudaLaunchKernel((const void *)kernel, dim3(n), dim3(32), args, 0, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'cudaLaunchKernel' is computed from a value read back from the device; replays keep the value from the capture [cudagraph-dynamic-shape]
  cudaStreamEndCapture(s, &graph);
}
