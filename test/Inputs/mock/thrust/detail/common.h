//===- common.h - The common part of the algorithms -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_DETAIL_COMMON_H
#define CUDAGRAPH_MOCK_THRUST_DETAIL_COMMON_H

#include "cuda_runtime.h"
#include <stddef.h>
#include <tuple>
#include <utility>

namespace thrust {

template <class A, class B> struct pair {
  typedef A first_type;
  typedef B second_type;
  A first;
  B second;
  __host__ __device__ pair() : first(), second() {}
  __host__ __device__ pair(const A &a, const B &b) : first(a), second(b) {}
};
template <class A, class B> __host__ __device__ pair<A, B> make_pair(A a, B b) {
  return pair<A, B>(a, b);
}

template <class... Ts> using tuple = std::tuple<Ts...>;
using std::get;
using std::make_tuple;
using std::tie;

template <class It> struct iterator_value {
  typedef typename It::value_type type;
};
template <class T> struct iterator_value<T *> {
  typedef T type;
};
template <class T> struct iterator_value<const T *> {
  typedef T type;
};
template <class It> struct iterator_difference {
  typedef ptrdiff_t type;
};
template <class It> struct iterator_traits {
  typedef typename iterator_value<It>::type value_type;
  typedef ptrdiff_t difference_type;
};

namespace detail {
template <class Derived> struct execution_policy_base {};

struct host_t : execution_policy_base<host_t> {};
struct device_t : execution_policy_base<device_t> {};
struct seq_t : execution_policy_base<seq_t> {};
} // namespace detail

template <class Derived>
using host_execution_policy = detail::execution_policy_base<Derived>;
template <class Derived>
using device_execution_policy = detail::execution_policy_base<Derived>;

} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_DETAIL_COMMON_H
