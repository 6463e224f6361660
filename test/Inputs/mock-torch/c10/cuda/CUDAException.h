//===- CUDAException.h - Mock: error checks ------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_C10_CUDA_CUDAEXCEPTION_H
#define CUDAGRAPH_MOCK_C10_CUDA_CUDAEXCEPTION_H

#include <cstdint>

#include <cuda_runtime_api.h>

namespace c10::cuda {
void c10_cuda_check_implementation(const int32_t err, const char *filename,
                                   const char *function_name,
                                   const uint32_t line_number,
                                   const bool include_device_assertions);
}

#define C10_CUDA_CHECK(EXPR)                                                   \
  do {                                                                         \
    const cudaError_t __err = EXPR;                                            \
    c10::cuda::c10_cuda_check_implementation(                                  \
        static_cast<int32_t>(__err), __FILE__, __func__,                       \
        static_cast<uint32_t>(__LINE__), true);                                \
  } while (0)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define AT_CUDA_CHECK(EXPR) C10_CUDA_CHECK(EXPR)

#endif // CUDAGRAPH_MOCK_C10_CUDA_CUDAEXCEPTION_H
