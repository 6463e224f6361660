// Each rewriting has a site in this file.
#include <cuda_runtime.h>

int counter = 0;

void enqueue(float *x, cudaStream_t s) {
  cudaMemsetAsync(x, 0, 4, s);
  cudaStreamSynchronize(s);
}

int choose(int n) {
  if (n < 0) {
    return 0;
  } else {
    ++counter;
  }
  if (n > 9)
    return 9;
  return n;
}

void both(float *x, cudaStream_t s) {
  enqueue(x, s);
  if (x)
    enqueue(x, s);
}

void capture(float *x, int n, cudaStream_t s) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < n; ++i)
    enqueue(x, s);
  while (n > 0)
    --n;
  cudaStreamEndCapture(s, &graph);
  if (cudaGetLastError() == cudaSuccess)
    enqueue(x, s);
}

struct Worker {
  void work(float *x, cudaStream_t s) { enqueue(x, s); }
};

void create(float *x) {
  cudaStream_t first, second;
  cudaStream_t more[2];
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  for (int i = 0; i < 2; ++i)
    cudaStreamCreate(&more[i]);
  enqueue(x, second);
}
