//===- cuda_pipeline.h - Asynchronous copies ------------------ -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUDA_PIPELINE_H
#define CUDAGRAPH_MOCK_CUDA_PIPELINE_H

#include "cuda_awbarrier.h"
#include "cuda_pipeline_primitives.h"

#ifdef __CUDACC__
namespace nvcuda {
namespace experimental {
struct pipeline {
  __device__ size_t commit();
  __device__ void commit_and_wait();
  __device__ void wait(size_t batch);
  template <unsigned N> __device__ void wait_prior();
  __device__ void arrive_on(awbarrier &barrier);
};
template <class T>
__device__ void memcpy_async(T &dst, const T &src, pipeline &pipe);
template <class T>
__device__ void memcpy_async(T *dst, const T *src, size_t size, pipeline &pipe);
} // namespace experimental
} // namespace nvcuda
#endif

#endif // CUDAGRAPH_MOCK_CUDA_PIPELINE_H
