// A null stream in a pair: a library that takes the pair by const reference
// does not change it.

// RUN: %check %s cudagraph-default-stream
// RUN: %if gxx %{ %check %s cudagraph-default-stream --real-std %}

#include <utility>

__global__ void kernel(float *x);

static void in_pair(cudaStream_t stream, float *x) {
  std::pair<int, cudaStream_t> p(0, stream);
  kernel<<<1, 1, 0, p.second>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (non-blocking, global mode) captures
}

static void beside_pair(float *x) {
  cudaStream_t none = nullptr;
  std::pair<int, cudaStream_t> p(0, none);
  kernel<<<1, 1, 0, none>>>(x);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' is launched on the legacy default stream while 's' (non-blocking, global mode) captures
}

void bad(float *x, cudaGraph_t *graph) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  in_pair(nullptr, x);
  beside_pair(x);
  cudaStreamEndCapture(s, graph);
}

// Legal: the pair has the capturing stream from the start, or later.
static void captured_pair(cudaStream_t stream, float *x) {
  std::pair<int, cudaStream_t> p(0, stream);
  kernel<<<1, 1, 0, p.second>>>(x);
}

static void replaced(cudaStream_t stream, float *x) {
  cudaStream_t none = nullptr;
  std::pair<int, cudaStream_t> p(0, none);
  p.second = stream;
  kernel<<<1, 1, 0, p.second>>>(x);
}

void legal(float *x, cudaGraph_t *graph) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  captured_pair(s, x);
  replaced(s, x);
  cudaStreamEndCapture(s, graph);
}
