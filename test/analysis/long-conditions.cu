// A condition with many terms has the same effect as one with few: each term
// holds where the whole condition holds, and a value that varies between
// replays is also found in the last term.

// RUN: %check %s

__global__ void k(float *x);
bool b(int);
#define TERM(I) n != I
#define TEN(I)                                                                 \
  TERM(I) && TERM(I + 1) && TERM(I + 2) && TERM(I + 3) && TERM(I + 4) &&       \
      TERM(I + 5) && TERM(I + 6) && TERM(I + 7) && TERM(I + 8) && TERM(I + 9)
#define FEW TERM(0) && TERM(1)
#define MANY TEN(0) && TEN(10) && TEN(20) && TEN(30) && TEN(40)

void few(cudaStream_t s, cudaGraph_t *g, int n, bool last) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (FEW && last) {
    if (!last)
      cudaStreamSynchronize(s);
    if (n == 1)
      cudaStreamSynchronize(s);
    cudaDeviceSynchronize();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaDeviceSynchronize'
  }
  cudaStreamEndCapture(s, g);
}
void many(cudaStream_t s, cudaGraph_t *g, int n, bool last) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (MANY && last) {
    if (!last)
      cudaStreamSynchronize(s);
    if (n == 1)
      cudaStreamSynchronize(s);
    if (n == 45)
      cudaStreamSynchronize(s);
    cudaDeviceSynchronize();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaDeviceSynchronize'
  }
  cudaStreamEndCapture(s, g);
}
void first(cudaStream_t s, cudaGraph_t *g, int n, bool last) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (last && MANY)
    if (!last)
      cudaStreamSynchronize(s);
  if (last && MANY && !last)
    cudaStreamSynchronize(s);
  cudaStreamEndCapture(s, g);
}
void either(cudaStream_t s, cudaGraph_t *g, int n, bool last) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (last || !(MANY) || n == 77) {
    cudaDeviceSynchronize();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaDeviceSynchronize'
  } else if (last || n == 77) {
    cudaStreamSynchronize(s);
  }
  cudaStreamEndCapture(s, g);
}
