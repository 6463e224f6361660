//===- nvcc_prelude.h - Declarations that nvcc adds to host code *- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This header is included before every CUDA file that is parsed with a real
// toolkit. Clang leaves __CUDACC__ empty, so that `#if __CUDACC__` fails, and
// lacks the host overloads of min and max that nvcc's headers declare.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_NVCC_PRELUDE_H
#define CUDAGRAPH_NVCC_PRELUDE_H

#undef __CUDACC__
#define __CUDACC__ 1

#if defined(__cplusplus) && defined(__CUDA__)
#define CUDAGRAPH_HOST_MIN_MAX(T)                                              \
  static inline __attribute__((host, unused)) T max(T a, T b) {                \
    return a < b ? b : a;                                                      \
  }                                                                            \
  static inline __attribute__((host, unused)) T min(T a, T b) {                \
    return b < a ? b : a;                                                      \
  }
CUDAGRAPH_HOST_MIN_MAX(int)
CUDAGRAPH_HOST_MIN_MAX(unsigned)
CUDAGRAPH_HOST_MIN_MAX(long)
CUDAGRAPH_HOST_MIN_MAX(unsigned long)
CUDAGRAPH_HOST_MIN_MAX(long long)
CUDAGRAPH_HOST_MIN_MAX(unsigned long long)
CUDAGRAPH_HOST_MIN_MAX(float)
CUDAGRAPH_HOST_MIN_MAX(double)
#undef CUDAGRAPH_HOST_MIN_MAX
#endif

#endif // CUDAGRAPH_NVCC_PRELUDE_H
