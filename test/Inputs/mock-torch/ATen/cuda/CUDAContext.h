//===- CUDAContext.h - Mock: the CUDA context ----------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_ATEN_CUDA_CUDACONTEXT_H
#define CUDAGRAPH_MOCK_ATEN_CUDA_CUDACONTEXT_H

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

namespace at::cuda {
cudaDeviceProp *getCurrentDeviceProperties();
cudaDeviceProp *getDeviceProperties(c10::DeviceIndex device);
int warp_size();
cublasHandle_t getCurrentCUDABlasHandle();
size_t getChosenWorkspaceSize();
} // namespace at::cuda

#endif // CUDAGRAPH_MOCK_ATEN_CUDA_CUDACONTEXT_H
