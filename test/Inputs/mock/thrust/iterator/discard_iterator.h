//===- discard_iterator.h - Discarding ------------------------ -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_ITERATOR_DISCARD_ITERATOR_H
#define CUDAGRAPH_MOCK_THRUST_ITERATOR_DISCARD_ITERATOR_H

#include "../detail/common.h"

namespace thrust {

template <class System = void> struct discard_iterator {
  typedef void *value_type;
  typedef void *reference;
  typedef ptrdiff_t difference_type;
  __host__ __device__ discard_iterator &operator++();
  __host__ __device__ discard_iterator operator+(ptrdiff_t n) const;
  __host__ __device__ discard_iterator operator-(ptrdiff_t n) const;
  __host__ __device__ ptrdiff_t operator-(const discard_iterator &other) const;
  __host__ __device__ bool operator==(const discard_iterator &other) const;
  __host__ __device__ bool operator!=(const discard_iterator &other) const;
  __host__ __device__ reference operator*() const;
  __host__ __device__ reference operator[](ptrdiff_t i) const;
  struct any_reference {
    template <class T>
    __host__ __device__ const any_reference &operator=(const T &) const;
  };
  __host__ __device__ discard_iterator();
};

inline __host__ __device__ discard_iterator<> make_discard_iterator() {
  return discard_iterator<>();
}

} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_ITERATOR_DISCARD_ITERATOR_H
