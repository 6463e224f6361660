//===- channel_descriptor.h - Channel formats ----------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CHANNEL_DESCRIPTOR_H
#define CUDAGRAPH_MOCK_CHANNEL_DESCRIPTOR_H

#include "cuda_runtime_api.h"

#ifdef __cplusplus

template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return ::cudaCreateChannelDesc(8 * (int)sizeof(T), 0, 0, 0,
                                 cudaChannelFormatKindNone);
}

#define CUDAGRAPH_MOCK_HALF(NAME, X, Y, Z, W)                                  \
  static inline cudaChannelFormatDesc NAME(void) {                             \
    return cudaCreateChannelDesc(X, Y, Z, W, cudaChannelFormatKindFloat);      \
  }
CUDAGRAPH_MOCK_HALF(cudaCreateChannelDescHalf, 16, 0, 0, 0)
CUDAGRAPH_MOCK_HALF(cudaCreateChannelDescHalf1, 16, 0, 0, 0)
CUDAGRAPH_MOCK_HALF(cudaCreateChannelDescHalf2, 16, 16, 0, 0)
CUDAGRAPH_MOCK_HALF(cudaCreateChannelDescHalf4, 16, 16, 16, 16)
#undef CUDAGRAPH_MOCK_HALF

static inline cudaChannelFormatDesc cudaCreateChannelDescNV12(void) {
  return cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindNV12);
}

#endif // __cplusplus

#endif // CUDAGRAPH_MOCK_CHANNEL_DESCRIPTOR_H
