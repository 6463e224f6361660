//===- CUDAFunctions.h - Mock: device functions --------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_C10_CUDA_CUDAFUNCTIONS_H
#define CUDAGRAPH_MOCK_C10_CUDA_CUDAFUNCTIONS_H

#include <c10/core.h>
#include <cuda_runtime_api.h>

namespace c10::cuda {
DeviceIndex device_count() noexcept;
DeviceIndex current_device();
void set_device(DeviceIndex device);
void device_synchronize();
void stream_synchronize(cudaStream_t stream);
} // namespace c10::cuda

#endif // CUDAGRAPH_MOCK_C10_CUDA_CUDAFUNCTIONS_H
