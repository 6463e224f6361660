// Expression templates over device arrays; shapers and blends record their expressions once.
#include <cuda_runtime.h>
#include <array>
#include <cstdio>
#include <utility>

namespace field {

constexpr int kMax = 512;

template <class E>
struct Expr {
  const E& self() const { return static_cast<const E&>(*this); }
};

struct View : Expr<View> {
  const float* p;
  explicit View(const float* q) : p(q) {}
  __device__ float operator[](int i) const { return p[i]; }
};

template <class L, class R>
struct Sum : Expr<Sum<L, R>> {
  L l;
  R r;
  Sum(L a, R b) : l(a), r(b) {}
  __device__ float operator[](int i) const { return l[i] + r[i]; }
};

template <class X>
struct Line : Expr<Line<X>> {
  const float* c;
  X x;
  Line(const float* coef, X arg) : c(coef), x(arg) {}
  __device__ float operator[](int i) const { return c[0] + c[1] * x[i]; }
};

template <class E>
struct Take {
  E e;
  int n;
};

template <class L, class R>
Sum<L, R> operator+(const Expr<L>& l, const Expr<R>& r) { return {l.self(), r.self()}; }
template <class E>
Take<E> take(const Expr<E>& e, int n) { return {e.self(), n}; }

template <class E>
__global__ void evaluate(E e, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = e[i];
}

class Array {
 public:
  explicit Array(float v = 0.0f) {
    std::array<float, kMax> init;
    init.fill(v);
    cudaMalloc(&p_, sizeof init);
    cudaMemcpy(p_, init.data(), sizeof init, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
  }
  Array(const Array&) = delete;
  ~Array() { cudaFree(p_); }
  View view() const { return View(p_); }
  float* raw() const { return p_; }
  template <class E>
  void assign(const Take<E>& t, cudaStream_t s) {
    evaluate<<<(t.n + 127) / 128, 128, 0, s>>>(t.e, p_, t.n);
  }
  float at(int i) const {
    float v = -1;
    cudaMemcpy(&v, p_ + i, sizeof v, cudaMemcpyDeviceToHost);
    return v;
  }
 private:
  float* p_ = nullptr;
};
struct Temp {
  float* p = nullptr;
  cudaStream_t s;
  template <class E>
  Temp(const Expr<E>& e, cudaStream_t stream) : s(stream) {
    cudaMallocAsync(&p, kMax * sizeof(float), s);
    evaluate<<<kMax / 128, 128, 0, s>>>(e.self(), p, kMax);
  }
  ~Temp() { cudaFreeAsync(p, s); }
};
template <class F>
cudaError_t record(cudaStream_t s, cudaGraphExec_t& exec, F&& body) {
  cudaGraph_t g = nullptr;
  cudaError_t rc = cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  if (rc != cudaSuccess) return rc;
  std::forward<F>(body)();
  if ((rc = cudaStreamEndCapture(s, &g)) != cudaSuccess) return rc;
  if (exec) cudaGraphExecDestroy(exec);
  rc = cudaGraphInstantiate(&exec, g, 0);
  cudaGraphDestroy(g);
  return rc;
}
struct Window { int length; };
class Shaper {
 public:
  Shaper(cudaStream_t s, const Window& w, float k) : stream_(s), window_(w), k_(k), x_(1.0f) {}
  ~Shaper() { if (exec_) cudaGraphExecDestroy(exec_); }
  cudaError_t prepare() {
    taps_.fill(k_);
    recorded_ = window_.length;
    return record(stream_, exec_, [this] {
      loadTaps();
      out.assign(take(Line<View>(coef_.raw(), x_.view()), window_.length), stream_);
    });
  }
  cudaError_t run() {
    if (recorded_ != window_.length)
      if (cudaError_t made = prepare(); made != cudaSuccess) return made;
    cudaError_t rc = cudaGraphLaunch(exec_, stream_);
    return rc != cudaSuccess ? rc : cudaStreamSynchronize(stream_);
  }
  Array out;
 private:
  void loadTaps() {
    cudaMemcpyAsync(coef_.raw(), taps_.data(), sizeof taps_, cudaMemcpyHostToDevice, stream_);
  }
  cudaStream_t stream_;
  const Window& window_;
  float k_;
  Array x_, coef_;
  cudaGraphExec_t exec_ = nullptr;
  std::array<float, 2> taps_{};
  int recorded_ = 0;
};
}  // namespace field
int main() {
  using namespace field;
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  Window window{64};
  Shaper soft(s, window, 0.5f), hard(s, window, 3.0f);
  bool clean = soft.prepare() == cudaSuccess && hard.prepare() == cudaSuccess && soft.run() == cudaSuccess;
  window.length = 256;
  clean = soft.run() == cudaSuccess && clean;
  float head = soft.out.at(10), tail = soft.out.at(200);
  Array a(2.0f), b(5.0f), sum;
  cudaGraphExec_t blend = nullptr;
  cudaError_t made = record(s, blend, [&] {
    Temp t(a.view() + b.view(), s);
    sum.assign(take(View(t.p) + a.view(), kMax), s);
  });
  cudaError_t l1 = cudaGraphLaunch(blend, s), w1 = cudaStreamSynchronize(s);
  cudaError_t l2 = cudaGraphLaunch(blend, s), w2 = cudaStreamSynchronize(s);
  cudaGetLastError();
  clean = clean && made == cudaSuccess && l1 == cudaSuccess && w1 == cudaSuccess && w2 == cudaSuccess && sum.at(7) == 9.0f;
  const char* verdict = clean && head == 1.0f && tail == 1.0f && l2 == cudaSuccess ? "CONFIRMED" : "REFUTED";
  std::printf("LABEL %s\n", verdict);
  if (verdict[0] == 'R') std::printf("head %g tail %g made %d launch %d %d\n", head, tail, made, l1, l2);
  cudaGraphExecDestroy(blend);
  return 0;
}
