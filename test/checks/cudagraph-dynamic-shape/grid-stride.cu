// A kernel with a grid-stride loop that reads the count from memory processes all
// elements with any grid. Other dimensions of the grid, and kernels without such
// a loop, depend on the size.

// RUN: %check %s cudagraph-dynamic-shape

__global__ void strided(const int *count, float *x) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < *count;
       i += gridDim.x * blockDim.x)
    x[i] += 1;
}
__global__ void stridedByName(const int *count, float *x) {
  const int step = gridDim.x * blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (i < *count) {
    x[i] += 1;
    i = i + step;
  }
}
template <typename T> __global__ void stridedTemplate(const int *count, T *x) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < *count;
       i += blockDim.x * gridDim.x)
    x[i] += 1;
}
__global__ void rows(const int *count, float *x) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < *count;
       i += gridDim.x * blockDim.x)
    x[blockIdx.y * 64 + i] += 1;
}
// The count is as old as the grid.
__global__ void counted(int count, float *x) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x)
    x[i] += 1;
}
// One result for each block.
__global__ void sums(const int *count, float *x) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < *count;
       i += gridDim.x * blockDim.x)
    atomicAdd(&x[blockIdx.x], 1.0f);
}
__global__ void plain(const int *count, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < *count)
    x[i] += 1;
}
// The size of the grid is only a number here.
__global__ void average(const int *count, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float share = 1.0f / gridDim.x;
  if (i < *count)
    x[i] += share;
}

int main() {
  cudaStream_t s;
  cudaGraph_t g;
  cudaGraphExec_t exec;
  int *count, live = 100;
  float *x;
  cudaStreamCreate(&s);
  cudaMalloc(&count, 4);
  cudaMalloc(&x, 1 << 20);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  strided<<<(live + 127) / 128, 128, 0, s>>>(count, x);
  stridedByName<<<(live + 127) / 128, 128, 0, s>>>(count, x);
  stridedTemplate<<<(live + 127) / 128, 128, 0, s>>>(count, x);
  rows<<<dim3(4, live), 128, 0, s>>>(count, x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'rows' is computed from 'live', which has a different value when the graph is launched; the replay keeps the value from the capture [cudagraph-dynamic-shape]
  counted<<<(live + 127) / 128, 128, 0, s>>>(live, x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'counted' is computed from 'live', which has a different value when the graph is launched; the replay keeps the value from the capture [cudagraph-dynamic-shape]
  sums<<<(live + 127) / 128, 128, 0, s>>>(count, x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'sums' is computed from 'live', which has a different value when the graph is launched; the replay keeps the value from the capture [cudagraph-dynamic-shape]
  plain<<<(live + 127) / 128, 128, 0, s>>>(count, x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'plain' is computed from 'live', which has a different value when the graph is launched; the replay keeps the value from the capture [cudagraph-dynamic-shape]
  average<<<(live + 127) / 128, 128, 0, s>>>(count, x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'average' is computed from 'live', which has a different value when the graph is launched; the replay keeps the value from the capture [cudagraph-dynamic-shape]
  cudaStreamEndCapture(s, &g);
  cudaGraphInstantiate(&exec, g, 0);
  for (int i = 0; i < 4; ++i) {
    live += 200;
    cudaMemcpy(count, &live, 4, cudaMemcpyHostToDevice);
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
  }
}
