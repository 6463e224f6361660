// fir_bank.hpp - header-only FIR bank for the audio engine; every channel is one block.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace fir {

#define FIR_CHECK(expr)                                                              \
  do {                                                                               \
    if (const cudaError_t fir_e = (expr); fir_e != cudaSuccess) {                    \
      std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(fir_e)); \
      std::exit(3);                                                                  \
    }                                                                                \
  } while (0)

struct mono_tag {};
struct stereo_tag {};

template <class Layout> struct layout_traits;
template <> struct layout_traits<mono_tag> { static constexpr int channels = 1; };
template <> struct layout_traits<stereo_tag> { static constexpr int channels = 2; };

template <class T> __global__ void dot_block(const T* x, const T* h, T* y) {
  extern __shared__ unsigned char raw[];
  T* part = reinterpret_cast<T*>(raw);
  const int t = threadIdx.x;
  part[t] = x[t] * h[t];
  __syncthreads();
  if (t == 0) {
    T acc = T(0);
    for (int k = 0; k < static_cast<int>(blockDim.x); ++k) acc += part[k];
    y[blockIdx.x] = acc;
  }
}

template <class Derived> class graph_stage {
 public:
  void process(cudaStream_t s) {
    if (!exec_ || self().stale()) {
      refresh(s);
      self().fresh();
    }
    FIR_CHECK(cudaGraphLaunch(exec_, s));
  }
  ~graph_stage() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }

 protected:
  Derived& self() { return static_cast<Derived&>(*this); }

 private:
  void refresh(cudaStream_t s) {
    cudaGraph_t g = nullptr;
    FIR_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    self().emit(s);
    FIR_CHECK(cudaStreamEndCapture(s, &g));
    if (exec_) {
      cudaGraphExecUpdateResultInfo info{};
      if (cudaGraphExecUpdate(exec_, g, &info) == cudaSuccess) {
        FIR_CHECK(cudaGraphDestroy(g));
        return;
      }
      (void)cudaGetLastError();
      FIR_CHECK(cudaGraphExecDestroy(exec_));
      exec_ = nullptr;
    }
    FIR_CHECK(cudaGraphInstantiate(&exec_, g, 0));
    FIR_CHECK(cudaGraphDestroy(g));
  }
  cudaGraphExec_t exec_ = nullptr;
};

template <class T, class Layout = mono_tag> class convolver : public graph_stage<convolver<T, Layout>> {
  friend class graph_stage<convolver<T, Layout>>;
  static constexpr int kChannels = layout_traits<Layout>::channels;

 public:
  static constexpr int kMaxTaps = 512;
  convolver(const T* x, const T* h, T* y) : x_(x), h_(h), y_(y) {}

  bool taps(int n) {
    if (n < 1 || n > kMaxTaps) return false;
    if (n != taps_) stale_ = true;
    taps_ = n;
    return true;
  }
  int taps() const { return taps_; }

 private:
  cudaLaunchConfig_t config(cudaStream_t s) const {
    cudaLaunchConfig_t c{};
    c.gridDim = dim3(kChannels);
    c.blockDim = dim3(static_cast<unsigned>(taps_));
    c.dynamicSmemBytes = taps_ * sizeof(T);
    c.stream = s;
    return c;
  }
  void emit(cudaStream_t s) {
    const cudaLaunchConfig_t c = config(s);
    FIR_CHECK(cudaLaunchKernelEx(&c, &dot_block<T>, x_, h_, y_));
  }
  bool stale() const { return stale_; }
  void fresh() { stale_ = false; }

  const T* x_;
  const T* h_;
  T* y_;
  int taps_ = 32;
  bool stale_ = false;
};

}  // namespace fir

int main() {
  using bank = fir::convolver<float, fir::stereo_tag>;
  float ones[bank::kMaxTaps];
  for (float& v : ones) v = 1.f;
  float *x, *h, *y;
  cudaStream_t s;
  FIR_CHECK(cudaMalloc(&x, sizeof ones));
  FIR_CHECK(cudaMalloc(&h, sizeof ones));
  FIR_CHECK(cudaMalloc(&y, 2 * sizeof(float)));
  FIR_CHECK(cudaMemcpy(x, ones, sizeof ones, cudaMemcpyHostToDevice));
  FIR_CHECK(cudaMemcpy(h, ones, sizeof ones, cudaMemcpyHostToDevice));
  FIR_CHECK(cudaDeviceSynchronize());
  FIR_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  bool right = true;
  {
    bank b(x, h, y);
    for (int n : {32, 32, 96, 480, 64}) {
      float out[2] = {};
      if (!b.taps(n)) return 4;
      b.process(s);
      FIR_CHECK(cudaMemcpyAsync(out, y, sizeof out, cudaMemcpyDeviceToHost, s));
      FIR_CHECK(cudaStreamSynchronize(s));
      std::printf("taps %d -> %.0f\n", n, out[1]);
      right = right && out[0] == static_cast<float>(n) && out[1] == static_cast<float>(n);
    }
  }
  FIR_CHECK(cudaStreamDestroy(s));
  FIR_CHECK(cudaFree(x));
  FIR_CHECK(cudaFree(h));
  FIR_CHECK(cudaFree(y));
  std::puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
}
