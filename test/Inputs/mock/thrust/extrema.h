//===- extrema.h - Least and greatest ------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_EXTREMA_H
#define CUDAGRAPH_MOCK_THRUST_EXTREMA_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename ForwardIterator>
ForwardIterator
min_element(const detail::execution_policy_base<DerivedPolicy> &exec,
            ForwardIterator first, ForwardIterator last) {
  return last;
}
template <typename ForwardIterator>
ForwardIterator min_element(ForwardIterator first, ForwardIterator last) {
  return last;
}
template <typename DerivedPolicy, typename ForwardIterator,
          typename BinaryPredicate>
ForwardIterator
min_element(const detail::execution_policy_base<DerivedPolicy> &exec,
            ForwardIterator first, ForwardIterator last, BinaryPredicate comp) {
  return last;
}
template <typename ForwardIterator, typename BinaryPredicate>
ForwardIterator min_element(ForwardIterator first, ForwardIterator last,
                            BinaryPredicate comp) {
  return last;
}
template <typename DerivedPolicy, typename ForwardIterator>
ForwardIterator
max_element(const detail::execution_policy_base<DerivedPolicy> &exec,
            ForwardIterator first, ForwardIterator last) {
  return last;
}
template <typename ForwardIterator>
ForwardIterator max_element(ForwardIterator first, ForwardIterator last) {
  return last;
}
template <typename DerivedPolicy, typename ForwardIterator,
          typename BinaryPredicate>
ForwardIterator
max_element(const detail::execution_policy_base<DerivedPolicy> &exec,
            ForwardIterator first, ForwardIterator last, BinaryPredicate comp) {
  return last;
}
template <typename ForwardIterator, typename BinaryPredicate>
ForwardIterator max_element(ForwardIterator first, ForwardIterator last,
                            BinaryPredicate comp) {
  return last;
}
template <typename DerivedPolicy, typename ForwardIterator>
thrust::pair<ForwardIterator, ForwardIterator>
minmax_element(const detail::execution_policy_base<DerivedPolicy> &exec,
               ForwardIterator first, ForwardIterator last) {
  return thrust::pair<ForwardIterator, ForwardIterator>(first, last);
}
template <typename ForwardIterator>
thrust::pair<ForwardIterator, ForwardIterator>
minmax_element(ForwardIterator first, ForwardIterator last) {
  return thrust::pair<ForwardIterator, ForwardIterator>(first, last);
}
template <typename DerivedPolicy, typename ForwardIterator,
          typename BinaryPredicate>
thrust::pair<ForwardIterator, ForwardIterator>
minmax_element(const detail::execution_policy_base<DerivedPolicy> &exec,
               ForwardIterator first, ForwardIterator last,
               BinaryPredicate comp) {
  return thrust::pair<ForwardIterator, ForwardIterator>(first, last);
}
template <typename ForwardIterator, typename BinaryPredicate>
thrust::pair<ForwardIterator, ForwardIterator>
minmax_element(ForwardIterator first, ForwardIterator last,
               BinaryPredicate comp) {
  return thrust::pair<ForwardIterator, ForwardIterator>(first, last);
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_EXTREMA_H
