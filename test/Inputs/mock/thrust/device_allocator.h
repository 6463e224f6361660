//===- device_allocator.h - Allocators ------------------------ -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_DEVICE_ALLOCATOR_H
#define CUDAGRAPH_MOCK_THRUST_DEVICE_ALLOCATOR_H

#include "device_ptr.h"

namespace thrust {
template <class T> struct device_allocator {
  typedef T value_type;
  typedef device_ptr<T> pointer;
  typedef device_ptr<const T> const_pointer;
  typedef device_reference<T> reference;
  typedef device_reference<const T> const_reference;
  pointer allocate(size_t n);
  void deallocate(pointer p, size_t n);
};
template <class T> using device_malloc_allocator = device_allocator<T>;
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_DEVICE_ALLOCATOR_H
