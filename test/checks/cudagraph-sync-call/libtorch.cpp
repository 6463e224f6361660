// libtorch: a capture with CUDAGraph runs on a pool stream, which is
// non-blocking, and in global mode by default.

// RUN: %check %s cudagraph-sync-call --torch

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <iostream>

float step(at::Tensor loss, at::Tensor mask) {
  at::cuda::CUDAGraph graph;
  auto stream = c10::cuda::getStreamFromPool();
  c10::cuda::CUDAStreamGuard guard(stream);
  graph.capture_begin();
  float value = loss.item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:17: warning: 'at::Tensor::item' copies a value from the device to the host and waits while the current stream (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  if (mask.is_nonzero())
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'at::Tensor::is_nonzero' copies a value from the device to the host and waits while the current stream (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
    loss.zero_();
  at::Tensor host = loss.cpu();
  // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: 'at::Tensor::cpu' copies a tensor from the device to the host and waits while the current stream (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  at::Tensor part = mask.narrow(0, 0, loss.item<int64_t>());
  // CHECK-MESSAGES: :[[@LINE-1]]:39: warning: 'at::Tensor::item' copies a value from the device to the host and waits
  stream.synchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'c10::cuda::CUDAStream::synchronize' waits for stream 'stream', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  stream.query();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'c10::cuda::CUDAStream::query' queries stream 'stream', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  c10::cuda::device_synchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'c10::cuda::device_synchronize' waits for all work on the device while the current stream (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  std::cout << loss;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'at::operator<<' copies a tensor to the host, waits, and prints it while the current stream (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  graph.capture_end();
  return value;
}

void wait_for_an_event() {
  at::cuda::CUDAGraph graph;
  auto stream = c10::cuda::getStreamFromPool();
  c10::cuda::CUDAStreamGuard guard(stream);
  at::cuda::CUDAEvent done;
  graph.capture_begin();
  done.record(stream);
  done.synchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'at::cuda::CUDAEvent::synchronize' waits for event 'done', which was recorded in the capture; CUDA returns cudaErrorCapturedEvent (907) in every capture mode [cudagraph-sync-call]
  graph.capture_end();
}

// Reading a value back before or after the capture is correct.
float legal(at::Tensor loss) {
  at::cuda::CUDAGraph graph;
  c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
  float before = loss.item<float>();
  graph.capture_begin();
  loss.mul(loss);
  loss.add_(loss);
  int64_t n = loss.numel() + loss.size(0);
  graph.capture_end();
  graph.replay();
  c10::cuda::getCurrentCUDAStream().synchronize();
  return before + loss.item<float>() + n;
}
