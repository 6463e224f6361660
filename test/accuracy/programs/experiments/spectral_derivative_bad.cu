// link: -lcufft
// Spectral differentiation of periodic signals.
#include <cuda_runtime.h>
#include <cufft.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA(x)                                                                              \
  do {                                                                                       \
    cudaError_t e_ = (x);                                                                    \
    if (e_ != cudaSuccess) {                                                                 \
      std::printf("%d: %s\nLABEL UNOBSERVED\n", __LINE__, cudaGetErrorString(e_));           \
      std::exit(1);                                                                          \
    }                                                                                        \
  } while (0)
#define FFT(x)                                                                               \
  do {                                                                                       \
    cufftResult r_ = (x);                                                                    \
    if (r_ != CUFFT_SUCCESS) {                                                               \
      std::printf("%d: cufft %d\nLABEL UNOBSERVED\n", __LINE__, int(r_));                    \
      std::exit(1);                                                                          \
    }                                                                                        \
  } while (0)

__global__ void multiply_ik(cufftComplex* c, int n, float scale) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int k = i < n / 2 ? i : i - n;
  if (i == n / 2) k = 0;
  cufftComplex v = c[i];
  c[i] = make_cuFloatComplex(-k * v.y * scale, k * v.x * scale);
}

class SpectralWorkspace {
 public:
  explicit SpectralWorkspace(int n) : n_(n) {
    CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CUDA(cudaMalloc(&signal_, bytes()));
    CUDA(cudaMalloc(&spectrum_, bytes()));
    CUDA(cudaMalloc(&result_, bytes()));
    for (auto* p : {signal_, spectrum_, result_}) CUDA(cudaMemset(p, 0, bytes()));
    CUDA(cudaDeviceSynchronize());
    FFT(cufftPlan1d(&forward_, n_, CUFFT_C2C, 1));
    FFT(cufftSetStream(forward_, stream_));
    FFT(cufftPlan1d(&inverse_, n_, CUFFT_C2C, 1));
    CUDA(cudaDeviceSynchronize());
  }
  ~SpectralWorkspace() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cufftDestroy(forward_);
    cufftDestroy(inverse_);
    cudaFree(signal_);
    cudaFree(spectrum_);
    cudaFree(result_);
    cudaStreamDestroy(stream_);
  }
  SpectralWorkspace(const SpectralWorkspace&) = delete;
  SpectralWorkspace& operator=(const SpectralWorkspace&) = delete;

  void build() {
    cudaGraph_t g = nullptr;
    CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
    to_spectrum();
    multiply_ik<<<(n_ + 127) / 128, 128, 0, stream_>>>(spectrum_, n_, 1.f / n_);
    CUDA(cudaGetLastError());
    to_signal();
    CUDA(cudaStreamEndCapture(stream_, &g));
    CUDA(cudaGraphGetNodes(g, nullptr, &nodes_));
    CUDA(cudaGraphInstantiateWithFlags(&exec_, g, 0));
    CUDA(cudaGraphDestroy(g));
  }

  std::vector<float> differentiate(const std::vector<float>& x) {
    std::vector<cufftComplex> h(n_);
    for (int i = 0; i < n_; ++i) h[i] = make_cuFloatComplex(x[i], 0.f);
    CUDA(cudaMemcpyAsync(signal_, h.data(), bytes(), cudaMemcpyHostToDevice, stream_));
    CUDA(cudaGraphLaunch(exec_, stream_));
    CUDA(cudaMemcpyAsync(h.data(), result_, bytes(), cudaMemcpyDeviceToHost, stream_));
    CUDA(cudaStreamSynchronize(stream_));
    std::vector<float> d(n_);
    for (int i = 0; i < n_; ++i) d[i] = h[i].x;
    return d;
  }
  size_t nodes() const { return nodes_; }

 private:
  size_t bytes() const { return n_ * sizeof(cufftComplex); }
  void to_spectrum() { FFT(cufftExecC2C(forward_, signal_, spectrum_, CUFFT_FORWARD)); }
  void to_signal() { FFT(cufftExecC2C(inverse_, spectrum_, result_, CUFFT_INVERSE)); }  // HAZARD default_stream

  const int n_;
  cudaStream_t stream_ = nullptr;
  cufftHandle forward_ = 0, inverse_ = 0;
  cufftComplex *signal_ = nullptr, *spectrum_ = nullptr, *result_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  size_t nodes_ = 0;
};

static float max_abs_diff(const std::vector<float>& a, const std::vector<float>& b) {
  float m = 0.f;
  for (size_t i = 0; i < a.size(); ++i) m = std::fmax(m, std::fabs(a[i] - b[i]));
  return m;
}

int main() {
  const int n = 256;
  const double two_pi = 6.283185307179586;
  SpectralWorkspace ws(n);
  ws.build();
  float worst = 0.f, zero = 0.f;
  const std::vector<float> nothing(n, 0.f);
  for (int mode = 1; mode <= 4; ++mode) {
    std::vector<float> x(n), want(n);
    for (int i = 0; i < n; ++i) {
      x[i] = float(std::sin(mode * two_pi * i / n));
      want[i] = float(mode * std::cos(mode * two_pi * i / n));
    }
    auto got = ws.differentiate(x);
    worst = std::fmax(worst, max_abs_diff(got, want));
    zero = std::fmax(zero, max_abs_diff(got, nothing));
  }
  std::printf("%zu nodes, worst error %g, magnitude %g\n", ws.nodes(), worst, zero);
  bool confirmed = worst > 0.9f && zero < 1e-6f;
  std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
  return confirmed ? 0 : 1;
}
