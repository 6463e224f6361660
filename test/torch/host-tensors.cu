// Copies from host tensors of a function: their memory returns to an allocator
// when the last reference ends, and every replay reads it again.

// RUN: %check %s cudagraph-dangling-memory --torch

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <torch/library.h>

void local(at::Tensor x, int64_t n) {
  at::Tensor sizes =
      at::empty({n}, at::TensorOptions().dtype(at::kLong).pinned_memory(true));
  at::Tensor plain = at::zeros({n}, at::kLong);
  cudaMemcpyAsync(x.data_ptr(), sizes.data_ptr<int64_t>(), 8 * n,
                  cudaMemcpyHostToDevice, at::cuda::getCurrentCUDAStream());
  // CHECK-MESSAGES: :[[@LINE-2]]:3: warning: 'cudaMemcpyAsync' copies from the elements of 'sizes', a local variable of 'local'; every replay will read freed memory [cudagraph-dangling-memory]
  cudaMemcpyAsync(x.data_ptr(), plain.data_ptr(), 8 * n,
                  cudaMemcpyHostToDevice, at::cuda::getCurrentCUDAStream());
  // CHECK-MESSAGES: :[[@LINE-2]]:3: warning: 'cudaMemcpyAsync' copies from the elements of 'plain'
}

// Legal: the caller receives the tensor, another reference exists, or the
// memory is on the device.
at::Tensor returned(at::Tensor x, int64_t n) {
  at::Tensor sizes = at::zeros({n}, at::kLong);
  cudaMemcpyAsync(x.data_ptr(), sizes.data_ptr(), 8 * n,
                  cudaMemcpyHostToDevice, at::cuda::getCurrentCUDAStream());
  return sizes;
}
static at::Tensor kept;
void stored(at::Tensor x, int64_t n) {
  at::Tensor sizes = at::zeros({n}, at::kLong);
  kept = sizes;
  cudaMemcpyAsync(x.data_ptr(), sizes.data_ptr(), 8 * n,
                  cudaMemcpyHostToDevice, at::cuda::getCurrentCUDAStream());
}
void stored_later(at::Tensor x, int64_t n) {
  at::Tensor sizes = at::zeros({n}, at::kLong);
  cudaMemcpyAsync(x.data_ptr(), sizes.data_ptr(), 8 * n,
                  cudaMemcpyHostToDevice, at::cuda::getCurrentCUDAStream());
  kept = sizes;
}
void passed(at::Tensor x, at::Tensor sizes, int64_t n) {
  cudaMemcpyAsync(x.data_ptr(), sizes.data_ptr(), 8 * n,
                  cudaMemcpyHostToDevice, at::cuda::getCurrentCUDAStream());
}
void on_device(at::Tensor x, int64_t n) {
  at::Tensor sizes = at::zeros({n}, at::kCUDA);
  cudaMemcpyAsync(x.data_ptr(), sizes.data_ptr(), 8 * n,
                  cudaMemcpyDeviceToDevice, at::cuda::getCurrentCUDAStream());
}

TORCH_LIBRARY(hosts, m) {
  m.def("local", local);
  m.def("returned", returned);
  m.def("stored", stored);
  m.def("stored_later", stored_later);
  m.def("passed", passed);
  m.def("on_device", on_device);
}
