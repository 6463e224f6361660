// A library's wrapper whose source is visible: its body matters, even if the
// call receives the correct stream.

// RUN: %check %s cudagraph-default-stream

__global__ void kernel(float *x);

namespace cutlass {
namespace gemm {
namespace device {
struct Gemm {
  void initialize(float *x, void *workspace, cudaStream_t stream = nullptr) {
    cudaMemsetAsync(workspace, 0, 4, stream);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemsetAsync' sets memory on the legacy default stream
  }
  void run(float *x, cudaStream_t stream) { kernel<<<1, 32, 0, stream>>>(x); }
  void operator()(float *x, void *workspace, cudaStream_t stream = nullptr) {
    initialize(x, workspace);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls 'cutlass::gemm::device::Gemm::initialize'
    run(x, stream);
  }
};
struct GemmUniversal {
  void initialize(float *x, void *workspace, cudaStream_t stream = nullptr) { cudaMemsetAsync(workspace, 0, 4, stream); }
  void operator()(float *x, void *workspace, cudaStream_t stream = nullptr) {
    initialize(x, workspace, stream);
    kernel<<<1, 32, 0, stream>>>(x);
  }
};
} // namespace device
} // namespace gemm
} // namespace cutlass

void capture(float *x, void *workspace, cudaStream_t s, cudaGraph_t *g) {
  cutlass::gemm::device::Gemm gemm;
  cutlass::gemm::device::GemmUniversal legal;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  gemm(x, workspace, s);
  legal(x, workspace, s);
  cudaStreamEndCapture(s, g);
}
