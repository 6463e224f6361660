//===- CUDAGraphsC10Utils.h - Mock: capture status ------------ -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_C10_CUDA_CUDAGRAPHSC10UTILS_H
#define CUDAGRAPH_MOCK_C10_CUDA_CUDAGRAPHSC10UTILS_H

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

namespace c10::cuda {
struct CUDAStreamCaptureModeGuard {
  CUDAStreamCaptureModeGuard(cudaStreamCaptureMode desired)
      : strictness_(desired) {
    C10_CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&strictness_));
  }
  ~CUDAStreamCaptureModeGuard() {
    C10_CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&strictness_));
  }
  CUDAStreamCaptureModeGuard(const CUDAStreamCaptureModeGuard &) = delete;

private:
  cudaStreamCaptureMode strictness_;
};

enum class CaptureStatus : int {
  None = int(cudaStreamCaptureStatusNone),
  Active = int(cudaStreamCaptureStatusActive),
  Invalidated = int(cudaStreamCaptureStatusInvalidated)
};

inline CaptureStatus currentStreamCaptureStatusMayInitCtx() {
  cudaStreamCaptureStatus is_capturing{cudaStreamCaptureStatusNone};
  C10_CUDA_CHECK(cudaStreamIsCapturing(getCurrentCUDAStream(), &is_capturing));
  return CaptureStatus(is_capturing);
}
} // namespace c10::cuda

#endif // CUDAGRAPH_MOCK_C10_CUDA_CUDAGRAPHSC10UTILS_H
