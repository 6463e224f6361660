//===- cuda_runtime.h - A GPU for CMake to find --------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This header is included only by the program that CMake compiles and runs to
// determine the GPUs of the machine. With a GPU of compute capability 9.0, the
// architecture `native` has a value, and the project can be configured.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DETECT_CUDA_RUNTIME_H
#define CUDAGRAPH_DETECT_CUDA_RUNTIME_H

enum cudaError_t { cudaSuccess };
enum cudaDeviceAttr {
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76
};
struct cudaDeviceProp {
  int major, minor;
};

inline cudaError_t cudaGetDeviceCount(int *Count) {
  *Count = 1;
  return cudaSuccess;
}

inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *Properties, int) {
  Properties->major = 9;
  Properties->minor = 0;
  return cudaSuccess;
}

inline cudaError_t cudaDeviceGetAttribute(int *Value, cudaDeviceAttr Attribute,
                                          int) {
  *Value = Attribute == cudaDevAttrComputeCapabilityMajor ? 9 : 0;
  return cudaSuccess;
}

#endif // CUDAGRAPH_DETECT_CUDA_RUNTIME_H
