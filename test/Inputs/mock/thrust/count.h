//===- count.h - Counting ------------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_COUNT_H
#define CUDAGRAPH_MOCK_THRUST_COUNT_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename InputIterator,
          typename EqualityComparable>
ptrdiff_t count(const detail::execution_policy_base<DerivedPolicy> &exec,
                InputIterator first, InputIterator last,
                const EqualityComparable &value) {
  return 0;
}
template <typename InputIterator, typename EqualityComparable>
ptrdiff_t count(InputIterator first, InputIterator last,
                const EqualityComparable &value) {
  return 0;
}
template <typename DerivedPolicy, typename InputIterator, typename Predicate>
ptrdiff_t count_if(const detail::execution_policy_base<DerivedPolicy> &exec,
                   InputIterator first, InputIterator last, Predicate pred) {
  return 0;
}
template <typename InputIterator, typename Predicate>
ptrdiff_t count_if(InputIterator first, InputIterator last, Predicate pred) {
  return 0;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_COUNT_H
