// Operators of tvm-ffi and of torch's stable ABI, XLA's handlers, and the body
// of an autograd function.

// RUN: %driver --no-cache --roots=torch-ops,entry-points --cuda-path=mock %s -- -isystem %S/Inputs/third_party -isystem %mock-torch -isystem %mock-std 2>/dev/null | grep warning: > %t.out || true
// RUN: FileCheck %s --input-file=%t.out --implicit-check-not=warning:
// RUN: %driver ops --no-cache --cuda-path=mock %s -- -isystem %S/Inputs/third_party -isystem %mock-torch -isystem %mock-std 2>/dev/null | FileCheck %s --check-prefix=OPS

#include <ATen/ATen.h>
#include <cuda_runtime.h>
#include <exports.h>
#include <torch/library.h>

using tvm::ffi::TensorView;

void scale(TensorView x) {
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(2, 0));
  cudaMemsetAsync(x.data_ptr(), 0, 4, stream);
  cudaStreamSynchronize(stream);
  // CHECK: exports.cpp:[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 'stream', which is capturing
}
void fill(TensorView x) {
  cudaMemsetAsync(x.data_ptr(), 0, 4,
                  static_cast<cudaStream_t>(TVMFFIEnvGetStream(2, 0)));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, scale)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fill, fill)

static void copyBack(float *x, cudaStream_t stream) {
  cudaStreamSynchronize(stream);
  // CHECK: exports.cpp:[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 'stream'
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(CopyBack, copyBack, xla::ffi::Ffi::Bind())

struct Linear : torch::autograd::Function<Linear> {
  static at::Tensor forward(torch::autograd::AutogradContext *context,
                            const at::Tensor &x) {
    x.item();
    // CHECK: exports.cpp:[[@LINE-1]]:5: warning: 'at::Tensor::item' copies
    return x;
  }
};
at::Tensor linear(const at::Tensor &x) { return Linear::apply(x); }
TORCH_LIBRARY(auto_, m) { m.def("linear", &linear); }

at::Tensor boxed(const at::Tensor &x) {
  void *stream = nullptr;
  aoti_torch_get_current_cuda_stream(0, &stream);
  cudaMemsetAsync(x.data_ptr(), 0, 4, static_cast<cudaStream_t>(stream));
  cudaDeviceSynchronize();
  // CHECK: exports.cpp:[[@LINE-1]]:3: warning: 'cudaDeviceSynchronize' waits
  return x;
}
STABLE_TORCH_LIBRARY_IMPL(stable, CUDA, m) {
  m.impl("boxed", &TORCH_BOX(boxed));
}

// OPS: unsafe {{ *}}CopyBack
// OPS: unsafe {{ *}}auto_::linear
// OPS: calls 'Linear::forward'
// OPS: safe {{ *}}fill
// OPS: unsafe {{ *}}scale
// OPS: unsafe {{ *}}stable::boxed (CUDA)
// OPS: 6 operators: 1 safe, 5 unsafe, 0 unknown.
