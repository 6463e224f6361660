// blend_stack.hpp - header-only exposure blending: out += gain * layer, once per layer.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace blend {

inline void die_if(bool bad, const char* what) {
  if (bad) {
    std::fprintf(stderr, "blend: %s\n", what);
    std::exit(5);
  }
}
#define BLEND_RT(x) ::blend::die_if((x) != cudaSuccess, #x)
#define BLEND_BLAS(x) ::blend::die_if((x) != CUBLAS_STATUS_SUCCESS, #x)

template <class T> struct axpy_traits;
template <> struct axpy_traits<float> {
  static cublasStatus_t call(cublasHandle_t h, int n, const float* a, const float* x, float* y) {
    return cublasSaxpy(h, n, a, x, 1, y, 1);  // HAZARD frozen #1
  }
};
template <> struct axpy_traits<double> {
  static cublasStatus_t call(cublasHandle_t h, int n, const double* a, const double* x, double* y) {
    return cublasDaxpy(h, n, a, x, 1, y, 1);
  }
};

template <class T> struct host_gain {
  static constexpr cublasPointerMode_t mode = CUBLAS_POINTER_MODE_HOST;
  const T* address() const { return &value_; }
  void set(T v, cudaStream_t) { value_ = v; }
  T value_ = T(1);
};

template <class T> struct device_gain {
  static constexpr cublasPointerMode_t mode = CUBLAS_POINTER_MODE_DEVICE;
  device_gain() { BLEND_RT(cudaMalloc(&value_, sizeof(T))); }
  device_gain(const device_gain&) = delete;
  ~device_gain() { cudaFree(value_); }
  const T* address() const { return value_; }
  void set(T v, cudaStream_t s) { BLEND_RT(cudaMemcpyAsync(value_, &v, sizeof(T), cudaMemcpyHostToDevice, s)); }
  T* value_ = nullptr;
};

template <class T, template <class> class Gain> class layer_stack {
 public:
  layer_stack(const T* layer, T* out, int n) : layer_(layer), out_(out), n_(n) {
    BLEND_RT(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    BLEND_BLAS(cublasCreate(&blas_));
    BLEND_BLAS(cublasSetStream(blas_, stream_));
    BLEND_BLAS(cublasSetPointerMode(blas_, Gain<T>::mode));
    gain_.set(T(1), stream_);
    BLEND_RT(cudaStreamSynchronize(stream_));
    capture([this] { apply(); });
  }
  layer_stack(const layer_stack&) = delete;
  ~layer_stack() {
    cudaGraphExecDestroy(exec_);
    cublasDestroy(blas_);
    cudaStreamDestroy(stream_);
  }

  void expose(T gain) {
    gain_.set(gain, stream_);
    BLEND_RT(cudaGraphLaunch(exec_, stream_));
    BLEND_RT(cudaStreamSynchronize(stream_));
  }

 private:
  void apply() {
    BLEND_BLAS(axpy_traits<T>::call(blas_, n_, gain_.address(), layer_, out_));  // HAZARD frozen #1
  }

  template <class Body> void capture(Body&& body) {
    cudaGraph_t g = nullptr;
    BLEND_RT(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    body();
    BLEND_RT(cudaStreamEndCapture(stream_, &g));
    BLEND_RT(cudaGraphInstantiate(&exec_, g, 0));
    BLEND_RT(cudaGraphDestroy(g));
  }

  const T* layer_;
  T* out_;
  int n_;
  Gain<T> gain_;
  cublasHandle_t blas_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace blend

int main() {
  constexpr int n = 1 << 12;
  static float ones[n];
  for (float& v : ones) v = 1.f;
  float *layer, *out;
  BLEND_RT(cudaMalloc(&layer, sizeof ones));
  BLEND_RT(cudaMalloc(&out, sizeof ones));
  BLEND_RT(cudaMemcpy(layer, ones, sizeof ones, cudaMemcpyHostToDevice));
  BLEND_RT(cudaMemset(out, 0, sizeof ones));
  BLEND_RT(cudaDeviceSynchronize());

  float expected = 0.f, got = 0.f;
  {
    blend::layer_stack<float, blend::host_gain> stack(layer, out, n);
    for (float gain : {1.f, 4.f, 0.5f}) {
      stack.expose(gain);
      expected += gain;
    }
    BLEND_RT(cudaMemcpy(&got, out + n - 1, sizeof got, cudaMemcpyDeviceToHost));
  }
  std::printf("blend %.2f expected %.2f\n", got, expected);
  BLEND_RT(cudaFree(layer));
  BLEND_RT(cudaFree(out));
  const bool right = got == expected;
  std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
}
