//===- zip_iterator.h - Zipping ------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_ITERATOR_ZIP_ITERATOR_H
#define CUDAGRAPH_MOCK_THRUST_ITERATOR_ZIP_ITERATOR_H

#include "../detail/common.h"

namespace thrust {

namespace detail {
template <class Tuple> struct zip_value;
template <class... Its> struct zip_value<tuple<Its...>> {
  typedef tuple<typename iterator_value<Its>::type...> type;
};
} // namespace detail

template <class Tuple> struct zip_iterator {
  typedef typename detail::zip_value<Tuple>::type value_type;
  typedef value_type reference;
  typedef ptrdiff_t difference_type;
  __host__ __device__ zip_iterator &operator++();
  __host__ __device__ zip_iterator operator+(ptrdiff_t n) const;
  __host__ __device__ zip_iterator operator-(ptrdiff_t n) const;
  __host__ __device__ ptrdiff_t operator-(const zip_iterator &other) const;
  __host__ __device__ bool operator==(const zip_iterator &other) const;
  __host__ __device__ bool operator!=(const zip_iterator &other) const;
  __host__ __device__ reference operator*() const;
  __host__ __device__ reference operator[](ptrdiff_t i) const;
  __host__ __device__ zip_iterator();
  __host__ __device__ zip_iterator(Tuple iterators);
  __host__ __device__ const Tuple &get_iterator_tuple() const;
};

template <class... Its>
__host__ __device__ zip_iterator<tuple<Its...>>
make_zip_iterator(tuple<Its...> t) {
  return zip_iterator<tuple<Its...>>(t);
}
template <class... Its>
__host__ __device__ zip_iterator<tuple<Its...>> make_zip_iterator(Its... its) {
  return zip_iterator<tuple<Its...>>(make_tuple(its...));
}

} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_ITERATOR_ZIP_ITERATOR_H
