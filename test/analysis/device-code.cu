// Device code is not host code.

// RUN: %check %s

#include <cstdio>
#include <ctime>
__device__ int counter;
__managed__ int mc;
int hostCounter;
__device__ int helper(int *p) {
  printf("dev");
  ++counter;
  return (int)clock64();
}
__global__ void k(int *p) {
  printf("x");
  ++counter;
  *p = helper(p) + (int)clock64();
}
__host__ __device__ void hd(int *p) {
  printf("both %p\n", p);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'printf'
  *p = 1;
}
__host__ __device__ void hd2(int *p) {
  printf("both\n");
  *p = 1;
}
__global__ void k2(int *p) {
  hd2(p);
  if (p)
    __syncthreads();
}
template <class F> __global__ void kf(F f) { f(threadIdx.x); }
void use(cudaStream_t s, cudaGraph_t *g, int *p) {
  hd2(p);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 1, 0, s>>>(p);
  k2<<<1, 1, 0, s>>>(p);
  kf<<<1, 1, 0, s>>>([=] __device__(int i) {
    printf("%d", i);
    ++counter;
    p[i] = 0;
  });
  kf<<<1, 1, 0, s>>>([=] __host__ __device__(int i) { printf("%d", i); });
  int v = 0;
  hd(&v);
  cudaStreamEndCapture(s, g);
}
