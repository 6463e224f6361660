//===- reverse_iterator.h - Reversing ------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_ITERATOR_REVERSE_ITERATOR_H
#define CUDAGRAPH_MOCK_THRUST_ITERATOR_REVERSE_ITERATOR_H

#include "../detail/common.h"

namespace thrust {

template <class It> struct reverse_iterator {
  typedef typename iterator_value<It>::type value_type;
  typedef typename iterator_value<It>::type reference;
  typedef ptrdiff_t difference_type;
  __host__ __device__ reverse_iterator &operator++();
  __host__ __device__ reverse_iterator operator+(ptrdiff_t n) const;
  __host__ __device__ reverse_iterator operator-(ptrdiff_t n) const;
  __host__ __device__ ptrdiff_t operator-(const reverse_iterator &other) const;
  __host__ __device__ bool operator==(const reverse_iterator &other) const;
  __host__ __device__ bool operator!=(const reverse_iterator &other) const;
  __host__ __device__ reference operator*() const;
  __host__ __device__ reference operator[](ptrdiff_t i) const;
  __host__ __device__ reverse_iterator();
  __host__ __device__ explicit reverse_iterator(It x);
};

template <class It>
__host__ __device__ reverse_iterator<It> make_reverse_iterator(It it) {
  return reverse_iterator<It>(it);
}

} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_ITERATOR_REVERSE_ITERATOR_H
