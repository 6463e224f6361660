//===- cuda_pipeline_primitives.h - Asynchronous copies ------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUDA_PIPELINE_PRIMITIVES_H
#define CUDAGRAPH_MOCK_CUDA_PIPELINE_PRIMITIVES_H

#include "host_defines.h"
#include <stddef.h>

#ifdef __CUDACC__
__device__ void __pipeline_memcpy_async(void *dst, const void *src, size_t size,
                                        size_t zfill = 0);
__device__ void __pipeline_commit();
__device__ void __pipeline_wait_prior(size_t prior);
__device__ void __pipeline_arrive_on(unsigned long long *barrier);
#endif

#endif // CUDAGRAPH_MOCK_CUDA_PIPELINE_PRIMITIVES_H
