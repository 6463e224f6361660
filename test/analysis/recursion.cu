// Recursion.

// RUN: %check %s

__global__ void k(float *x);
#define BEGIN(s) cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)
namespace rec {
void r(cudaStream_t s, int n) {
  if (n == 0) {
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
    return;
  }
  r(s, n - 1);
}
void even(cudaStream_t s, int n);
void odd(cudaStream_t s, int n) {
  k<<<1, 1, 0, s>>>(nullptr);
  if (n)
    even(s, n - 1);
}
void even(cudaStream_t s, int n) {
  if (n)
    odd(s, n - 1);
  else
    cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
}
void use(cudaStream_t s, cudaGraph_t *g) {
  BEGIN(s);
  r(s, 4);
  even(s, 4);
  cudaStreamEndCapture(s, g);
  r(s, 3);
}
void selfcap(cudaStream_t s, int n, cudaGraph_t *g) {
  if (n == 0)
    return;
  BEGIN(s);
  k<<<1, 1, 0, s>>>(nullptr);
  cudaStreamEndCapture(s, g);
  selfcap(s, n - 1, g);
  cudaStreamSynchronize(s);
}
} // namespace rec
