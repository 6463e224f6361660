//===- channel_descriptor.h - Channel formats ----------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CHANNEL_DESCRIPTOR_H
#define CUDAGRAPH_MOCK_CHANNEL_DESCRIPTOR_H

#include "driver_types.h"

#ifdef __cplusplus
extern "C" struct cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f);

template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return ::cudaCreateChannelDesc(8 * (int)sizeof(T), 0, 0, 0,
                                 cudaChannelFormatKindNone);
}
#endif

#endif // CUDAGRAPH_MOCK_CHANNEL_DESCRIPTOR_H
