//===- transform_iterator.h - Transforming -------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_ITERATOR_TRANSFORM_ITERATOR_H
#define CUDAGRAPH_MOCK_THRUST_ITERATOR_TRANSFORM_ITERATOR_H

#include "../detail/common.h"

namespace thrust {

template <class F, class It, class Reference = void, class Value = void>
struct transform_iterator {
  typedef decltype(std::declval<F>()(
      std::declval<typename iterator_value<It>::type>())) value_type;
  typedef decltype(std::declval<F>()(
      std::declval<typename iterator_value<It>::type>())) reference;
  typedef ptrdiff_t difference_type;
  __host__ __device__ transform_iterator &operator++();
  __host__ __device__ transform_iterator operator+(ptrdiff_t n) const;
  __host__ __device__ transform_iterator operator-(ptrdiff_t n) const;
  __host__ __device__ ptrdiff_t
  operator-(const transform_iterator &other) const;
  __host__ __device__ bool operator==(const transform_iterator &other) const;
  __host__ __device__ bool operator!=(const transform_iterator &other) const;
  __host__ __device__ reference operator*() const;
  __host__ __device__ reference operator[](ptrdiff_t i) const;
  __host__ __device__ transform_iterator();
  __host__ __device__ transform_iterator(It x, F f);
};

template <class F, class It>
__host__ __device__ transform_iterator<F, It> make_transform_iterator(It it,
                                                                      F f) {
  return transform_iterator<F, It>(it, f);
}

} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_ITERATOR_TRANSFORM_ITERATOR_H
