// Namespaces, class templates, and extern "C".

// RUN: %check %s

__global__ void k(float *x);
#define BEGIN(s) cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)
namespace {
void anon(cudaStream_t s) { cudaFree(nullptr); }
  // CHECK-MESSAGES: :[[@LINE-1]]:29: warning: 'cudaFree'
struct Anon {
  cudaStream_t s;
  void go(cudaGraph_t *g) {
    BEGIN(s);
    anon(s);
    cudaStreamEndCapture(s, g);
  }
};
} // namespace
void useAnon(Anon &a, cudaGraph_t *g) { a.go(g); }
template <class T, int N> struct Eng {
  cudaStream_t s;
  T *x;
  void step() {
    k<<<1, 1, 0, s>>>(x);
    cudaMalloc(&x, N);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMalloc'
  }
  void never() { cudaMalloc(&x, N); }
  void cap(cudaGraph_t *g) {
    BEGIN(s);
    step();
    cudaStreamEndCapture(s, g);
    step();
    never();
  }
};
template struct Eng<float, 3>;
void useE(Eng<float, 4> &e, cudaGraph_t *g) { e.cap(g); }
extern "C" void c_begin(cudaStream_t s) { BEGIN(s); }
extern "C" int c_end(cudaStream_t s, cudaGraph_t *g) {
  return cudaStreamEndCapture(s, g) != cudaSuccess;
}
extern "C" void c_run(cudaStream_t s, cudaGraph_t *g) {
  c_begin(s);
  cudaFree(nullptr);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaFree'
  c_end(s, g);
  cudaFree(nullptr);
}
