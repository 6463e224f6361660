//===- host_allocator.h - The allocator of host vectors ------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_DETAIL_HOST_ALLOCATOR_H
#define CUDAGRAPH_MOCK_THRUST_DETAIL_HOST_ALLOCATOR_H

#include "common.h"

namespace thrust {
namespace detail {
template <class T> struct host_allocator {
  typedef T value_type;
  typedef T *pointer;
  typedef const T *const_pointer;
  typedef T &reference;
  typedef const T &const_reference;
};
} // namespace detail
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_DETAIL_HOST_ALLOCATOR_H
