//===- device_vector.h - Vectors ------------------------------ -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_DEVICE_VECTOR_H
#define CUDAGRAPH_MOCK_THRUST_DEVICE_VECTOR_H

#include "detail/vector_base.h"
#include "device_allocator.h"
#include "device_ptr.h"
#include <initializer_list>
#include <vector>

namespace thrust {

template <class T, class Alloc = device_allocator<T>>
class device_vector : public detail::vector_base<T, Alloc> {
  typedef detail::vector_base<T, Alloc> Base;

public:
  device_vector();
  explicit device_vector(const Alloc &alloc);
  explicit device_vector(size_t n);
  device_vector(size_t n, const T &value);
  device_vector(const device_vector &other);
  device_vector(device_vector &&other);
  template <class U, class OtherAlloc>
  device_vector(const detail::vector_base<U, OtherAlloc> &other);
  template <class U> device_vector(const std::vector<U> &other);
  template <class It> device_vector(It first, It last);
  device_vector(std::initializer_list<T> list);
  ~device_vector();
  device_vector &operator=(const device_vector &other);
  device_vector &operator=(device_vector &&other);
  template <class U, class OtherAlloc>
  device_vector &operator=(const detail::vector_base<U, OtherAlloc> &other);
  template <class U> device_vector &operator=(const std::vector<U> &other);
  device_vector &operator=(std::initializer_list<T> list);
};

} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_DEVICE_VECTOR_H
