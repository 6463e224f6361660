//===- equal.h - Comparisons ---------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_EQUAL_H
#define CUDAGRAPH_MOCK_THRUST_EQUAL_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2>
bool equal(const detail::execution_policy_base<DerivedPolicy> &exec,
           InputIterator1 first1, InputIterator1 last1, InputIterator2 first2) {
  return false;
}
template <typename InputIterator1, typename InputIterator2>
bool equal(InputIterator1 first1, InputIterator1 last1, InputIterator2 first2) {
  return false;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename BinaryPredicate>
bool equal(const detail::execution_policy_base<DerivedPolicy> &exec,
           InputIterator1 first1, InputIterator1 last1, InputIterator2 first2,
           BinaryPredicate binary_pred) {
  return false;
}
template <typename InputIterator1, typename InputIterator2,
          typename BinaryPredicate>
bool equal(InputIterator1 first1, InputIterator1 last1, InputIterator2 first2,
           BinaryPredicate binary_pred) {
  return false;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_EQUAL_H
