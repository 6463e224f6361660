// The stream has a different position than in the library's current version:
// CUB 1.x has a flag after it, and CUTLASS overloads have it anywhere.

// RUN: %check %s

namespace cub {
struct DeviceReduce {
  template <class In, class Out>
  static cudaError_t Sum(void *temp, size_t &bytes, In in, Out out, int n,
                         cudaStream_t stream = 0, bool synchronous = false);
};
} // namespace cub
namespace cutlass::gemm::device {
template <class Kernel> struct GemmUniversalAdapter {
  struct Arguments {};
  int run(cudaStream_t stream = nullptr);
  static int run(Arguments &arguments, cudaStream_t stream = nullptr);
  int run(Arguments const &arguments, void *workspace, cudaStream_t stream);
  int operator()(cudaStream_t stream = nullptr);
  int operator()(Arguments const &arguments, void *workspace = nullptr,
                 cudaStream_t stream = nullptr);
};
} // namespace cutlass::gemm::device
using Gemm = cutlass::gemm::device::GemmUniversalAdapter<float>;

void on_the_stream(float *x, void *temp, size_t bytes, Gemm &gemm,
                   Gemm::Arguments &a, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cub::DeviceReduce::Sum(temp, bytes, x, x, 4, s);
  cub::DeviceReduce::Sum(temp, bytes, x, x, 4, s, false);
  gemm.run(s);
  Gemm::run(a, s);
  gemm.run(a, temp, s);
  gemm(s);
  gemm(a, temp, s);
  cudaStreamEndCapture(s, g);
}
void elsewhere(float *x, void *temp, size_t bytes, Gemm &gemm,
               Gemm::Arguments &a, cudaStream_t s, cudaGraph_t *g) {
  cudaStream_t other;
  cudaStreamCreate(&other);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cub::DeviceReduce::Sum(temp, bytes, x, x, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cub::DeviceReduce::Sum' runs a device-wide algorithm on the legacy default stream while 's' (global mode) captures
  gemm.run();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cutlass::gemm::device::GemmUniversalAdapter::run' runs a kernel on the legacy default stream while 's' (global mode) captures
  Gemm::run(a, other);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cutlass::gemm::device::GemmUniversalAdapter::run' runs a kernel on stream 'other', which is not part of the capture of 's'
  gemm(a, temp);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cutlass::gemm::device::GemmUniversalAdapter::operator()' runs a kernel on the legacy default stream while 's' (global mode) captures
  cudaStreamEndCapture(s, g);
}
