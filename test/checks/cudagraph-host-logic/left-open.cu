// A function leaves its capture open on one path and ends it on others: what
// its caller then prints is not part of the captured code.

// RUN: %check %s cudagraph-host-logic

#include <cstdio>
#include <cuda_runtime.h>

__global__ void apply(float *p, int n);

static int record(cudaStream_t s, float *p, int n, cudaGraph_t *g) {
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    return 1;
  if (n < 4)
    return 2;
  apply<<<1, 32, 0, s>>>(p, n);
  printf("%d\n", n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'printf' writes to the standard output
  return cudaStreamEndCapture(s, g) != cudaSuccess;
}

int use(cudaStream_t s, float *p, int n, cudaGraph_t *g) {
  int Status = record(s, p, n, g);
  printf("status %d\n", Status);
  return Status;
}

static void begin(cudaStream_t s) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
}

void separate(cudaStream_t s, float *p, cudaGraph_t *g) {
  begin(s);
  apply<<<1, 32, 0, s>>>(p, 1);
  printf("recorded\n");
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'printf' writes to the standard output
  cudaStreamEndCapture(s, g);
}
