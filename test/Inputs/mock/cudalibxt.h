//===- cudalibxt.h - Descriptors of several devices ----------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUDALIBXT_H
#define CUDAGRAPH_MOCK_CUDALIBXT_H

#include "cuda_runtime.h"

#define CUDA_XT_DESCRIPTOR_VERSION 0x01000000

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cudaXtCopyType_t {
  LIB_XT_COPY_HOST_TO_DEVICE = 0,
  LIB_XT_COPY_DEVICE_TO_HOST = 1,
  LIB_XT_COPY_DEVICE_TO_DEVICE = 2
} cudaLibXtCopyType;

typedef enum libFormat_t {
  LIB_FORMAT_CUFFT = 0,
  LIB_FORMAT_UNDEFINED = 1
} libFormat;

typedef struct cudaXtDesc_t {
  int version;
  int nGPUs;
  int GPUs[64];
  void *data[64];
  size_t size[64];
  void *cudaXtState;
} cudaXtDesc;

typedef struct cudaLibXtDesc_t {
  int version;
  cudaXtDesc *descriptor;
  libFormat library;
  int subFormat;
  void *libDescriptor;
} cudaLibXtDesc;

#ifdef __cplusplus
}
#endif

#endif // CUDAGRAPH_MOCK_CUDALIBXT_H
