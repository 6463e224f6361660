//===- cuda_profiler_api.h - Start and stop of profilers ------ -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUDA_PROFILER_API_H
#define CUDAGRAPH_MOCK_CUDA_PROFILER_API_H

#include "driver_types.h"

extern "C" cudaError_t cudaProfilerStart(void);
extern "C" cudaError_t cudaProfilerStop(void);

#endif // CUDAGRAPH_MOCK_CUDA_PROFILER_API_H
