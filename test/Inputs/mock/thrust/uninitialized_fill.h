//===- uninitialized_fill.h - Filling raw memory -------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_UNINITIALIZED_FILL_H
#define CUDAGRAPH_MOCK_THRUST_UNINITIALIZED_FILL_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename ForwardIterator, typename T>
void uninitialized_fill(
    const detail::execution_policy_base<DerivedPolicy> &exec,
    ForwardIterator first, ForwardIterator last, const T &x) {}
template <typename ForwardIterator, typename T>
void uninitialized_fill(ForwardIterator first, ForwardIterator last,
                        const T &x) {}
template <typename DerivedPolicy, typename ForwardIterator, typename Size,
          typename T>
ForwardIterator
uninitialized_fill_n(const detail::execution_policy_base<DerivedPolicy> &exec,
                     ForwardIterator first, Size n, const T &x) {
  return first;
}
template <typename ForwardIterator, typename Size, typename T>
ForwardIterator uninitialized_fill_n(ForwardIterator first, Size n,
                                     const T &x) {
  return first;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_UNINITIALIZED_FILL_H
