// libtorch: capture_begin and capture_end, guards of the current stream, and
// wrappers.

// RUN: %check %s --torch

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <ATen/cuda/CUDAGraphsUtils.cuh>
#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/torch.h>
void work(at::Tensor t) {
  auto s = at::cuda::getCurrentCUDAStream();
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize'
  s.synchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: 'c10::cuda::CUDAStream::synchronize'
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: 'at::Tensor::item'
  if (at::cuda::currentStreamCaptureStatus() == at::cuda::CaptureStatus::None)
    t.item();
  if (c10::cuda::currentStreamCaptureStatusMayInitCtx() ==
      c10::cuda::CaptureStatus::None)
    t.item();
  if (c10::cuda::currentStreamCaptureStatusMayInitCtx() !=
      c10::cuda::CaptureStatus::None)
    t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: 'at::Tensor::item'
  auto d = at::cuda::getDefaultCUDAStream();
  cudaMemsetAsync(t.data_ptr(), 0, 4, d);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemsetAsync'
  cudaMemsetAsync(t.data_ptr(), 0, 4, s);
  {
    c10::cuda::CUDAStreamCaptureModeGuard g{cudaStreamCaptureModeRelaxed};
    void *p;
    cudaMalloc(&p, 1);
  }
  void *p;
  cudaMalloc(&p, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMalloc'
}
void cap(at::Tensor t) {
  at::cuda::CUDAGraph g;
  auto s = at::cuda::getStreamFromPool();
  {
    at::cuda::CUDAStreamGuard guard(s);
    g.capture_begin();
    work(t);
    t.add_(t);
    g.capture_end();
  }
  g.replay();
  t.item();
  s.synchronize();
}
void cap2(at::Tensor t) {
  at::cuda::CUDAGraph g;
  at::cuda::CUDAStreamGuard guard(at::cuda::getStreamFromPool());
  g.capture_begin({0, 0}, cudaStreamCaptureModeRelaxed);
  void *p;
  cudaMalloc(&p, 1);
  t.cpu();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: 'at::Tensor::cpu'
  g.capture_end();
  t.cpu();
}
struct Runner {
  at::cuda::CUDAGraph g_;
  void begin() { g_.capture_begin(); }
  void end() { g_.capture_end(); }
};
void cap3(at::Tensor t, Runner &r) {
  r.begin();
  t.cpu();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: 'at::Tensor::cpu'
  r.end();
  t.cpu();
}
struct RG {
  at::cuda::CUDAGraph &g;
  RG(at::cuda::CUDAGraph &g) : g(g) { g.capture_begin(); }
  ~RG() { g.capture_end(); }
};
void cap4(at::Tensor t, at::cuda::CUDAGraph &g) {
  {
    RG r(g);
    t.nonzero();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: 'at::Tensor::nonzero'
  }
  t.nonzero();
}
