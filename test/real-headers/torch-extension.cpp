// The mock libtorch and the real one both provide the names that this file
// uses.

// RUN: %clangxx -std=c++17 -isystem %mock-torch -isystem %mock -fsyntax-only %s
// RUN: %clangxx -std=c++17 -nostdinc++ -isystem %mock-std -isystem %mock-torch -isystem %mock -fsyntax-only %s
// RUN: %if torch %{ %if cuda %{ %clangxx -std=c++17 -DREAL -isystem %torch-include -isystem %torch-include/torch/csrc/api/include -isystem %cuda-include -fsyntax-only -Wno-everything %s %} %}

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <ATen/cuda/CUDAGraphsUtils.cuh>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

template <class A, class B> constexpr bool Same = false;
template <class A> constexpr bool Same<A, A> = true;
#define SIGNATURE(...) static_assert(Same<__VA_ARGS__>, "")

using at::Tensor;
SIGNATURE(decltype(&at::cuda::CUDAGraph::capture_begin),
          void (at::cuda::CUDAGraph::*)(at::MempoolId_t, cudaStreamCaptureMode));
SIGNATURE(decltype(&at::cuda::CUDAGraph::capture_end), void (at::cuda::CUDAGraph::*)());
SIGNATURE(decltype(&at::cuda::CUDAGraph::replay), void (at::cuda::CUDAGraph::*)());
SIGNATURE(decltype(&at::cuda::CUDAGraph::instantiate), void (at::cuda::CUDAGraph::*)());
SIGNATURE(decltype(&c10::cuda::getCurrentCUDAStream), c10::cuda::CUDAStream (*)(c10::DeviceIndex));
SIGNATURE(decltype(&c10::cuda::getDefaultCUDAStream), c10::cuda::CUDAStream (*)(c10::DeviceIndex));
SIGNATURE(decltype(&c10::cuda::getStreamFromExternal), c10::cuda::CUDAStream (*)(cudaStream_t, c10::DeviceIndex));
SIGNATURE(decltype(&c10::cuda::setCurrentCUDAStream), void (*)(c10::cuda::CUDAStream));
SIGNATURE(decltype(&c10::cuda::CUDAStream::stream), cudaStream_t (c10::cuda::CUDAStream::*)() const);
SIGNATURE(decltype(&c10::cuda::CUDAStream::synchronize), void (c10::cuda::CUDAStream::*)() const);
SIGNATURE(decltype(&c10::cuda::CUDAStream::query), bool (c10::cuda::CUDAStream::*)() const);
SIGNATURE(decltype(&c10::cuda::device_synchronize), void (*)());
SIGNATURE(decltype(&c10::cuda::currentStreamCaptureStatusMayInitCtx), c10::cuda::CaptureStatus (*)());
SIGNATURE(decltype(&at::cuda::currentStreamCaptureStatus), at::cuda::CaptureStatus (*)());
SIGNATURE(decltype(static_cast<at::Scalar (Tensor::*)() const>(&Tensor::item)), at::Scalar (Tensor::*)() const);
SIGNATURE(decltype(&Tensor::cpu), Tensor (Tensor::*)() const);
SIGNATURE(decltype(&Tensor::is_nonzero), bool (Tensor::*)() const);
SIGNATURE(decltype(&Tensor::nonzero), Tensor (Tensor::*)() const);
SIGNATURE(decltype(&Tensor::masked_select), Tensor (Tensor::*)(const Tensor &) const);
SIGNATURE(decltype(&Tensor::equal), bool (Tensor::*)(const Tensor &) const);
SIGNATURE(decltype(&Tensor::copy_), Tensor &(Tensor::*)(const Tensor &, bool) const);
SIGNATURE(decltype(&at::cuda::CUDAEvent::synchronize), void (at::cuda::CUDAEvent::*)() const);
SIGNATURE(decltype(&at::cuda::CUDAEvent::query), bool (at::cuda::CUDAEvent::*)() const);

Tensor op(const Tensor &x) {
  c10::cuda::CUDAGuard guard(x.device());
  auto stream = at::cuda::getCurrentCUDAStream();
  TORCH_CHECK(x.is_cuda(), "x must be on the device");
  Tensor y = at::empty({3, 4}, x.options().dtype(at::kFloat).pinned_memory(true));
  if (at::cuda::currentStreamCaptureStatus() != at::cuda::CaptureStatus::None)
    return y;
  C10_CUDA_CHECK(cudaMemcpyAsync(y.data_ptr(), x.data_ptr<float>(), 3, cudaMemcpyDefault, stream));
  AT_CUDA_CHECK(cudaGetLastError());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return x.item<float>() > 1 || x.item().toFloat() > x.size(0) ? x.to(at::kCPU, at::kFloat, true) : x.sum();
}

void capture() {
  at::cuda::CUDAGraph graph;
  c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
  c10::cuda::CUDAStreamGuard guard(stream);
  graph.capture_begin();
  graph.capture_end();
  graph.replay();
  c10::cuda::CUDAStreamCaptureModeGuard mode{cudaStreamCaptureModeRelaxed};
  at::cuda::CUDAEvent event;
  event.record(stream);
  event.block(stream);
  cublasHandle_t handle = at::cuda::getCurrentCUDABlasHandle();
  cublasSetStream(handle, stream);
  cudaStreamSynchronize(stream.stream());
}

TORCH_LIBRARY(example, m) {
  m.def("op(Tensor x) -> Tensor");
  m.impl("op", &op);
}
TORCH_LIBRARY_IMPL(example, CUDA, m) { m.impl("op", &op); }
