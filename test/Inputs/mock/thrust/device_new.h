//===- device_new.h - Device memory --------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_DEVICE_NEW_H
#define CUDAGRAPH_MOCK_THRUST_DEVICE_NEW_H

#include "device_ptr.h"

namespace thrust {
template <class T> device_ptr<T> device_new(const size_t n = 1);
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_DEVICE_NEW_H
