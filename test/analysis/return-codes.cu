// A constant that a function returns early is not always a failure: the code
// after the call is still captured.

// RUN: %check %s

__global__ void k(float *x);
enum class Kind { None, Some, Many };
static int pick(int n) {
  if (n > 3)
    return 2;
  return 1;
}
static Kind kind(int n) {
  if (n == 0)
    return Kind::None;
  if (n == 1)
    return Kind::Some;
  return Kind::Many;
}
static bool small(int n) {
  if (n > 9)
    return false;
  return true;
}
static bool never(int n) {
  if (n > 9)
    return false;
  return false;
}
static const float *find(const float *p, int n) {
  for (int i = 0; i < n; i++)
    if (p[i] > 0)
      return p + i;
  return nullptr;
}
void use(cudaStream_t s, float *x, int n, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  pick(n);
  cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
  kind(n);
  cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
  if (!small(n))
    cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
  never(n);
  cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
  if (!find(x, n))
    cudaMalloc(&x, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
  cudaStreamEndCapture(s, g);
}
static int work(cudaStream_t s, float *x, int n) {
  if (n == 0)
    return 1;
  if (n == 7) {
    cudaFree(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaFree'
    return 2;
  }
  k<<<1, 1, 0, s>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'k' uses 'x', which 'run' frees
  return 0;
}
void run(cudaStream_t s, float *x, int n, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  int r = work(s, x, n);
  cudaStreamEndCapture(s, g);
  cudaFree(x);
}
