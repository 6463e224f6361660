//===- transform.h - Transformations -------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_TRANSFORM_H
#define CUDAGRAPH_MOCK_THRUST_TRANSFORM_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator, typename UnaryFunction>
OutputIterator
transform(const detail::execution_policy_base<DerivedPolicy> &exec,
          InputIterator first, InputIterator last, OutputIterator result,
          UnaryFunction op) {
  return result;
}
template <typename InputIterator, typename OutputIterator,
          typename UnaryFunction>
OutputIterator transform(InputIterator first, InputIterator last,
                         OutputIterator result, UnaryFunction op) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator,
          typename BinaryFunction>
OutputIterator
transform(const detail::execution_policy_base<DerivedPolicy> &exec,
          InputIterator1 first1, InputIterator1 last1, InputIterator2 first2,
          OutputIterator result, BinaryFunction op) {
  return result;
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator, typename BinaryFunction>
OutputIterator transform(InputIterator1 first1, InputIterator1 last1,
                         InputIterator2 first2, OutputIterator result,
                         BinaryFunction op) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator,
          typename ForwardIterator, typename UnaryFunction, typename Predicate>
ForwardIterator
transform_if(const detail::execution_policy_base<DerivedPolicy> &exec,
             InputIterator first, InputIterator last, ForwardIterator result,
             UnaryFunction op, Predicate pred) {
  return result;
}
template <typename InputIterator, typename ForwardIterator,
          typename UnaryFunction, typename Predicate>
ForwardIterator transform_if(InputIterator first, InputIterator last,
                             ForwardIterator result, UnaryFunction op,
                             Predicate pred) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename ForwardIterator,
          typename UnaryFunction, typename Predicate>
ForwardIterator
transform_if(const detail::execution_policy_base<DerivedPolicy> &exec,
             InputIterator1 first, InputIterator1 last, InputIterator2 stencil,
             ForwardIterator result, UnaryFunction op, Predicate pred) {
  return result;
}
template <typename InputIterator1, typename InputIterator2,
          typename ForwardIterator, typename UnaryFunction, typename Predicate>
ForwardIterator transform_if(InputIterator1 first, InputIterator1 last,
                             InputIterator2 stencil, ForwardIterator result,
                             UnaryFunction op, Predicate pred) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename InputIterator3,
          typename ForwardIterator, typename BinaryFunction, typename Predicate>
ForwardIterator
transform_if(const detail::execution_policy_base<DerivedPolicy> &exec,
             InputIterator1 first1, InputIterator1 last1, InputIterator2 first2,
             InputIterator3 stencil, ForwardIterator result,
             BinaryFunction binary_op, Predicate pred) {
  return result;
}
template <typename InputIterator1, typename InputIterator2,
          typename InputIterator3, typename ForwardIterator,
          typename BinaryFunction, typename Predicate>
ForwardIterator transform_if(InputIterator1 first1, InputIterator1 last1,
                             InputIterator2 first2, InputIterator3 stencil,
                             ForwardIterator result, BinaryFunction binary_op,
                             Predicate pred) {
  return result;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_TRANSFORM_H
