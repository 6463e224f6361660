// Unknown facts cause neither certain nor likely findings.

// RUN: %check %s

#include <vector>
__global__ void k(float *x);
cudaStream_t pick(int i);
void opaque_callback(cudaStream_t s);

// The stream may be the capturing one, or may have joined the capture.
void other_streams(cudaStream_t s, cudaStream_t t, float *x, cudaGraph_t *g,
                   std::vector<cudaStream_t> &v, int i) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  k<<<1, 1, 0, t>>>(x);
  k<<<1, 1, 0, pick(i)>>>(x);
  k<<<1, 1, 0, v[i]>>>(x);
  cudaStreamSynchronize(t);
  cudaStreamSynchronize(pick(i));
  cudaStreamEndCapture(s, g);
}

// The capture ends in code that is not visible.
void end_it(cudaStream_t s, cudaGraph_t *g);
void ends_elsewhere(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  k<<<1, 1, 0, s>>>(nullptr);
  end_it(s, g);
}

// A fork inside a function without source.
struct Pool {
  std::vector<cudaStream_t> side;
  void fork(cudaStream_t from);
  void join(cudaStream_t to);
};
void opaque_fork(Pool &p, cudaStream_t s, float *x, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  p.fork(s);
  for (cudaStream_t t : p.side)
    k<<<1, 1, 0, t>>>(x);
  p.join(s);
  cudaStreamEndCapture(s, g);
}

// The stream is replaced between the begin call and the end call.
struct Holder {
  cudaStream_t s;
  void swap(cudaStream_t t) { s = t; }
  void go(cudaStream_t t, float *x, cudaGraph_t *g) {
    cudaStream_t saved = s;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    swap(t);
    k<<<1, 1, 0, s>>>(x);
    swap(saved);
    k<<<1, 1, 0, s>>>(x);
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing
    cudaStreamEndCapture(s, g);
  }
};
