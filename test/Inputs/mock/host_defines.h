//===- host_defines.h - Markers of host and device code ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_HOST_DEFINES_H
#define CUDAGRAPH_MOCK_HOST_DEFINES_H

// Clang defines this macro in its own header, which -nocudainc omits.
#if defined(__CUDA__) && !defined(__CUDACC__)
#define __CUDACC__ 1
#endif

#ifdef __CUDACC__
#define CUDAGRAPH_MOCK_ATTRIBUTE(NAME) __attribute__((NAME))
#else
#define CUDAGRAPH_MOCK_ATTRIBUTE(NAME)
#endif

#define __host__ CUDAGRAPH_MOCK_ATTRIBUTE(host)
#define __device__ CUDAGRAPH_MOCK_ATTRIBUTE(device)
#define __global__ CUDAGRAPH_MOCK_ATTRIBUTE(global)
#define __shared__ CUDAGRAPH_MOCK_ATTRIBUTE(shared)
#define __constant__ CUDAGRAPH_MOCK_ATTRIBUTE(constant)
#define __managed__ CUDAGRAPH_MOCK_ATTRIBUTE(managed)
#define __grid_constant__ CUDAGRAPH_MOCK_ATTRIBUTE(grid_constant)
#define __launch_bounds__(...)                                                 \
  CUDAGRAPH_MOCK_ATTRIBUTE(launch_bounds(__VA_ARGS__))
#define __cluster_dims__(...)
// __noinline__ is not defined here: it is a keyword in Clang's CUDA mode, and
// GCC's headers use the name for the attribute.
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(BYTES) __attribute__((aligned(BYTES)))

#endif // CUDAGRAPH_MOCK_HOST_DEFINES_H
