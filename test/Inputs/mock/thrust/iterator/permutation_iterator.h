//===- permutation_iterator.h - Permuting --------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_ITERATOR_PERMUTATION_ITERATOR_H
#define CUDAGRAPH_MOCK_THRUST_ITERATOR_PERMUTATION_ITERATOR_H

#include "../detail/common.h"

namespace thrust {

template <class Element, class Index> struct permutation_iterator {
  typedef typename iterator_value<Element>::type value_type;
  typedef typename iterator_value<Element>::type &reference;
  typedef ptrdiff_t difference_type;
  __host__ __device__ permutation_iterator &operator++();
  __host__ __device__ permutation_iterator operator+(ptrdiff_t n) const;
  __host__ __device__ permutation_iterator operator-(ptrdiff_t n) const;
  __host__ __device__ ptrdiff_t
  operator-(const permutation_iterator &other) const;
  __host__ __device__ bool operator==(const permutation_iterator &other) const;
  __host__ __device__ bool operator!=(const permutation_iterator &other) const;
  __host__ __device__ reference operator*() const;
  __host__ __device__ reference operator[](ptrdiff_t i) const;
  __host__ __device__ permutation_iterator();
  __host__ __device__ permutation_iterator(Element x, Index y);
};

template <class Element, class Index>
__host__ __device__ permutation_iterator<Element, Index>
make_permutation_iterator(Element e, Index i) {
  return permutation_iterator<Element, Index>(e, i);
}

} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_ITERATOR_PERMUTATION_ITERATOR_H
