//===- device_delete.h - Device memory ------------------------ -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_DEVICE_DELETE_H
#define CUDAGRAPH_MOCK_THRUST_DEVICE_DELETE_H

#include "device_ptr.h"

namespace thrust {
template <class T> void device_delete(device_ptr<T> ptr, const size_t n = 0);
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_DEVICE_DELETE_H
