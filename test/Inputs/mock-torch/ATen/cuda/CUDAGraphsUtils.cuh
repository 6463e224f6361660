//===- CUDAGraphsUtils.cuh - Mock: capture status ------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_ATEN_CUDA_CUDAGRAPHSUTILS_CUH
#define CUDAGRAPH_MOCK_ATEN_CUDA_CUDAGRAPHSUTILS_CUH

#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <c10/util/Exception.h>

namespace at::cuda {
using CaptureStatus = c10::cuda::CaptureStatus;
bool hasPrimaryContext(c10::DeviceIndex device_index);

inline CaptureStatus currentStreamCaptureStatus() {
  if (hasPrimaryContext(-1))
    return c10::cuda::currentStreamCaptureStatusMayInitCtx();
  return CaptureStatus::None;
}

inline void assertNotCapturing(const std::string &attempt) {
  (void)attempt;
  TORCH_CHECK(currentStreamCaptureStatus() == CaptureStatus::None, attempt);
}
} // namespace at::cuda

#endif // CUDAGRAPH_MOCK_ATEN_CUDA_CUDAGRAPHSUTILS_CUH
