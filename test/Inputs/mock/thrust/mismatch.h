//===- mismatch.h - Mismatches -------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_MISMATCH_H
#define CUDAGRAPH_MOCK_THRUST_MISMATCH_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2>
thrust::pair<InputIterator1, InputIterator2>
mismatch(const detail::execution_policy_base<DerivedPolicy> &exec,
         InputIterator1 first1, InputIterator1 last1, InputIterator2 first2) {
  return thrust::pair<InputIterator1, InputIterator2>(last1, first2);
}
template <typename InputIterator1, typename InputIterator2>
thrust::pair<InputIterator1, InputIterator2>
mismatch(InputIterator1 first1, InputIterator1 last1, InputIterator2 first2) {
  return thrust::pair<InputIterator1, InputIterator2>(last1, first2);
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename BinaryPredicate>
thrust::pair<InputIterator1, InputIterator2>
mismatch(const detail::execution_policy_base<DerivedPolicy> &exec,
         InputIterator1 first1, InputIterator1 last1, InputIterator2 first2,
         BinaryPredicate pred) {
  return thrust::pair<InputIterator1, InputIterator2>(last1, first2);
}
template <typename InputIterator1, typename InputIterator2,
          typename BinaryPredicate>
thrust::pair<InputIterator1, InputIterator2>
mismatch(InputIterator1 first1, InputIterator1 last1, InputIterator2 first2,
         BinaryPredicate pred) {
  return thrust::pair<InputIterator1, InputIterator2>(last1, first2);
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_MISMATCH_H
