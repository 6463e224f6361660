//===- counting_iterator.h - Counting ------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_ITERATOR_COUNTING_ITERATOR_H
#define CUDAGRAPH_MOCK_THRUST_ITERATOR_COUNTING_ITERATOR_H

#include "../detail/common.h"

namespace thrust {

template <class T, class System = void, class Traversal = void,
          class Difference = void>
struct counting_iterator {
  typedef T value_type;
  typedef T reference;
  typedef ptrdiff_t difference_type;
  __host__ __device__ counting_iterator &operator++();
  __host__ __device__ counting_iterator operator+(ptrdiff_t n) const;
  __host__ __device__ counting_iterator operator-(ptrdiff_t n) const;
  __host__ __device__ ptrdiff_t operator-(const counting_iterator &other) const;
  __host__ __device__ bool operator==(const counting_iterator &other) const;
  __host__ __device__ bool operator!=(const counting_iterator &other) const;
  __host__ __device__ reference operator*() const;
  __host__ __device__ reference operator[](ptrdiff_t i) const;
  __host__ __device__ counting_iterator();
  __host__ __device__ explicit counting_iterator(T x);
};

template <class T>
__host__ __device__ counting_iterator<T> make_counting_iterator(T x) {
  return counting_iterator<T>(x);
}

} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_ITERATOR_COUNTING_ITERATOR_H
