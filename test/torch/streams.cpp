// An operator is captured on the current stream, with any argument.

// RUN: %check %s cudagraph-default-stream,cudagraph-stream-dependency --torch

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>
#include <torch/library.h>

void current(at::Tensor x) {
  cudaMemsetAsync(x.data_ptr(), 0, 4, at::cuda::getCurrentCUDAStream());
}
void as_a_number(at::Tensor x, int64_t stream) {
  cudaMemsetAsync(x.data_ptr(), 0, 4, reinterpret_cast<cudaStream_t>(stream));
}
void legacy(at::Tensor x) {
  cudaMemsetAsync(x.data_ptr(), 0, 4);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemsetAsync' sets memory on the legacy default stream
}
void default_stream(at::Tensor x) {
  cudaMemsetAsync(x.data_ptr(), 0, 4, at::cuda::getDefaultCUDAStream());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemsetAsync' sets memory on the legacy default stream
}


void forks(at::Tensor x, bool joins) {
  auto main = at::cuda::getCurrentCUDAStream();
  auto side = at::cuda::getStreamFromPool();
  at::cuda::CUDAEvent ready;
  ready.record(main);
  ready.block(side);
  cudaMemsetAsync(x.data_ptr(), 0, 4, side);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'forks' returns and leaves work on stream 'side' unjoined in the capture of the current stream; unless other code joins it, CUDA returns cudaErrorStreamCaptureUnjoined (904) in every capture mode [cudagraph-stream-dependency]
}
void forks_and_joins(at::Tensor x) {
  auto main = at::cuda::getCurrentCUDAStream();
  auto side = at::cuda::getStreamFromPool();
  at::cuda::CUDAEvent ready, done;
  ready.record(main);
  ready.block(side);
  cudaMemsetAsync(x.data_ptr(), 0, 4, side);
  done.record(side);
  done.block(main);
}

static at::cuda::CUDAStream &kept() {
  static at::cuda::CUDAStream stream = at::cuda::getStreamFromPool();
  return stream;
}
void on_its_own(at::Tensor x) {
  cudaMemsetAsync(x.data_ptr(), 0, 4, kept().stream());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemsetAsync' sets memory on stream 'kept().stream()', which is not part of the capture
}

PYBIND11_MODULE(native, m) {
  m.def("as_a_number", &as_a_number);
  m.def("current", &current);
}
TORCH_LIBRARY(s, m) {
  m.def("legacy", &legacy);
  m.def("default_stream", &default_stream);
  m.def("on_its_own", &on_its_own);
  m.def("forks", &forks);
  m.def("forks_and_joins", &forks_and_joins);
}
