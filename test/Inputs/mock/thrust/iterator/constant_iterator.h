//===- constant_iterator.h - Constants ------------------------ -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_ITERATOR_CONSTANT_ITERATOR_H
#define CUDAGRAPH_MOCK_THRUST_ITERATOR_CONSTANT_ITERATOR_H

#include "../detail/common.h"

namespace thrust {

template <class T, class Incrementable = void, class System = void>
struct constant_iterator {
  typedef T value_type;
  typedef T reference;
  typedef ptrdiff_t difference_type;
  __host__ __device__ constant_iterator &operator++();
  __host__ __device__ constant_iterator operator+(ptrdiff_t n) const;
  __host__ __device__ constant_iterator operator-(ptrdiff_t n) const;
  __host__ __device__ ptrdiff_t operator-(const constant_iterator &other) const;
  __host__ __device__ bool operator==(const constant_iterator &other) const;
  __host__ __device__ bool operator!=(const constant_iterator &other) const;
  __host__ __device__ reference operator*() const;
  __host__ __device__ reference operator[](ptrdiff_t i) const;
  __host__ __device__ constant_iterator();
  __host__ __device__ constant_iterator(const T &v);
};

template <class T>
__host__ __device__ constant_iterator<T> make_constant_iterator(T x) {
  return constant_iterator<T>(x);
}

} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_ITERATOR_CONSTANT_ITERATOR_H
