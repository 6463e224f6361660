// One call of a function begins the capture, a later one ends it.

// RUN: %check %s

__global__ void k(float *x);
struct Steps {
  int next;
  cudaStream_t s;
  cudaGraph_t g;
  float *x;
  bool resume() {
    switch (next) {
    case 0:
      cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
      next = 1;
      return true;
    case 1:
      k<<<1, 1, 0, s>>>(x);
      next = 2;
      return true;
    case 2:
      cudaMalloc(&x, 4);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaMalloc'
      next = 3;
      return true;
    case 3:
      cudaStreamEndCapture(s, &g);
      next = 4;
      return true;
    default:
      return false;
    }
  }
};
void drive(Steps &steps) {
  while (steps.resume()) {
  }
  cudaStreamSynchronize(steps.s);
}
