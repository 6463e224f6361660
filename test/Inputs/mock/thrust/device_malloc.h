//===- device_malloc.h - Device memory ------------------------ -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_DEVICE_MALLOC_H
#define CUDAGRAPH_MOCK_THRUST_DEVICE_MALLOC_H

#include "device_ptr.h"

namespace thrust {
template <class T> device_ptr<T> device_malloc(const size_t n);
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_DEVICE_MALLOC_H
