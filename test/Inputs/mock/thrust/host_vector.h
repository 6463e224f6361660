//===- host_vector.h - Vectors -------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_HOST_VECTOR_H
#define CUDAGRAPH_MOCK_THRUST_HOST_VECTOR_H

#include "detail/host_allocator.h"
#include "detail/vector_base.h"
#include <initializer_list>
#include <vector>

namespace thrust {

template <class T, class Alloc = detail::host_allocator<T>>
class host_vector : public detail::vector_base<T, Alloc> {
  typedef detail::vector_base<T, Alloc> Base;

public:
  host_vector();
  explicit host_vector(const Alloc &alloc);
  explicit host_vector(size_t n);
  host_vector(size_t n, const T &value);
  host_vector(const host_vector &other);
  host_vector(host_vector &&other);
  template <class U, class OtherAlloc>
  host_vector(const detail::vector_base<U, OtherAlloc> &other);
  template <class U> host_vector(const std::vector<U> &other);
  template <class It> host_vector(It first, It last);
  host_vector(std::initializer_list<T> list);
  ~host_vector();
  host_vector &operator=(const host_vector &other);
  host_vector &operator=(host_vector &&other);
  template <class U, class OtherAlloc>
  host_vector &operator=(const detail::vector_base<U, OtherAlloc> &other);
  template <class U> host_vector &operator=(const std::vector<U> &other);
  host_vector &operator=(std::initializer_list<T> list);
};

} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_HOST_VECTOR_H
