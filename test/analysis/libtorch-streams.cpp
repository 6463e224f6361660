// libtorch: pool streams, stream guards, and events that fork and join.

// RUN: %check %s --torch

#include <cstdint>
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <ATen/cuda/CUDAGraphsUtils.cuh>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
void fork(void *p, at::cuda::CUDAGraph &g) {
  auto main = at::cuda::getStreamFromPool();
  auto side = at::cuda::getStreamFromPool();
  at::cuda::CUDAStreamGuard guard(main);
  at::cuda::CUDAEvent e, done;
  g.capture_begin();
  cudaMemsetAsync(p, 0, 4, side);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemsetAsync'
  e.record(main);
  e.block(side);
  cudaMemsetAsync(p, 0, 4, side);
  {
    at::cuda::CUDAStreamGuard inner(side);
    cudaMemsetAsync(p, 0, 4, at::cuda::getCurrentCUDAStream());
  }
  done.record(side);
  done.block(main);
  done.synchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: 'at::cuda::CUDAEvent::synchronize' waits for event 'done'
  g.capture_end();
  done.synchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'at::cuda::CUDAEvent::synchronize' uses an event outside
}
void op(at::Tensor t) {
  auto s = c10::cuda::getCurrentCUDAStream();
  C10_CUDA_CHECK(cudaMemsetAsync(t.data_ptr(), 0, 4, s));
  if (at::cuda::currentStreamCaptureStatus() == at::cuda::CaptureStatus::None)
    C10_CUDA_CHECK(cudaStreamSynchronize(s));
  TORCH_CHECK(at::cuda::currentStreamCaptureStatus() == at::cuda::CaptureStatus::None,
              "no");
  C10_CUDA_CHECK(cudaStreamSynchronize(s));
}
void assertive(at::Tensor t) {
  at::cuda::assertNotCapturing("item");
  t.item();
}
void deflt(at::Tensor t) {
  C10_CUDA_CHECK(
      cudaMemsetAsync(t.data_ptr(), 0, 4, c10::cuda::getDefaultCUDAStream()));
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaMemsetAsync'
  C10_CUDA_CHECK(
      cudaMemsetAsync(t.data_ptr(), 0, 4, c10::cuda::getStreamFromPool()));
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'cudaMemsetAsync'
}
void run(at::Tensor t, at::cuda::CUDAGraph &g, int which) {
  at::cuda::CUDAStreamGuard guard(at::cuda::getStreamFromPool());
  g.capture_begin();
  if (which == 0)
    op(t);
  if (which == 1)
    assertive(t);
  if (which == 2)
    deflt(t);
  g.capture_end();
}
void no_guard(at::Tensor t, at::cuda::CUDAGraph &g) {
  g.capture_begin();
  t.add_(t);
  t.cpu();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: 'at::Tensor::cpu'
  g.capture_end();
  t.cpu();
}
