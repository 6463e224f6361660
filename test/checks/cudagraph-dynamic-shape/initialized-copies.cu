// RUN: %check %s cudagraph-dynamic-shape
// RUN: %check %s cudagraph-dynamic-shape --suffix=LEGAL -- -DMOST
// RUN: %check %s cudagraph-dynamic-shape --suffix=LEGAL -- -DOTHER

// A structure, or an array, has initial values before it is copied from the
// device; the grid is one of the copied numbers. (MOST: the grid is the largest
// possible one; OTHER: the copy fills only the first number of the array, and the
// grid is the second one.)

#include "cuda_runtime.h"

struct Tally {
  int Found, Measured;
};

__global__ void search(const float *In, Tally *T) {
  if (In[threadIdx.x] > 0)
    atomicAdd(&T->Found, 1);
}
__global__ void measure(float *Data, Tally *T) {
  if (blockIdx.x < T->Found)
    Data[blockIdx.x] = 1;
}

struct Line {
  cudaStream_t Stream;
  float *In, *Out;
  Tally *Counts;
  int *Sizes;
  int Blocks, Rows;
};

static int probe(Line &L) {
  Tally Seen = {0, 0};
  int Sizes[3] = {0, 0, 0};
  search<<<1, 256>>>(L.In, L.Counts);
  if (cudaMemcpy(&Seen, L.Counts, sizeof Seen, cudaMemcpyDeviceToHost) ||
      cudaMemcpy(Sizes, L.Sizes, sizeof Sizes, cudaMemcpyDeviceToHost))
    return 1;
#ifdef MOST
  L.Blocks = L.Rows = 256;
#elif defined(OTHER)
  int Fixed[3] = {8, 4, 2};
  if (cudaMemcpy(&Fixed[0], L.Sizes, sizeof(int), cudaMemcpyDeviceToHost))
    return 1;
  L.Blocks = L.Rows = Fixed[1];
#else
  L.Blocks = Seen.Found;
  L.Rows = Sizes[1];
#endif
  return 0;
}

static int capture(Line &L, cudaGraphExec_t *Exec) {
  cudaGraph_t Graph;
  if (cudaStreamBeginCapture(L.Stream, cudaStreamCaptureModeThreadLocal))
    return 1;
  search<<<1, 256, 0, L.Stream>>>(L.In, L.Counts);
  measure<<<L.Blocks, 32, 0, L.Stream>>>(L.Out, L.Counts);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'measure' is computed from a value read back from the device; replays keep the value from the capture
  measure<<<L.Rows, 32, 0, L.Stream>>>(L.Out, L.Counts);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: the grid of kernel 'measure' is computed from a value read back from the device; replays keep the value from the capture
  if (cudaStreamEndCapture(L.Stream, &Graph))
    return 1;
  return cudaGraphInstantiate(Exec, Graph, 0);
}

int main() {
  Line L;
  cudaGraphExec_t Exec;
  cudaStreamCreate(&L.Stream);
  cudaMalloc(&L.In, 1024);
  cudaMalloc(&L.Out, 1024);
  cudaMalloc(&L.Counts, sizeof(Tally));
  cudaMalloc(&L.Sizes, 3 * sizeof(int));
  if (probe(L) || capture(L, &Exec))
    return 1;
  return cudaGraphLaunch(Exec, L.Stream) || cudaGraphLaunch(Exec, L.Stream);
}
