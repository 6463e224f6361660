//===- uninitialized_copy.h - Copies to raw memory ------------ -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_UNINITIALIZED_COPY_H
#define CUDAGRAPH_MOCK_THRUST_UNINITIALIZED_COPY_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename InputIterator,
          typename ForwardIterator>
ForwardIterator
uninitialized_copy(const detail::execution_policy_base<DerivedPolicy> &exec,
                   InputIterator first, InputIterator last,
                   ForwardIterator result) {
  return result;
}
template <typename InputIterator, typename ForwardIterator>
ForwardIterator uninitialized_copy(InputIterator first, InputIterator last,
                                   ForwardIterator result) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator, typename Size,
          typename ForwardIterator>
ForwardIterator
uninitialized_copy_n(const detail::execution_policy_base<DerivedPolicy> &exec,
                     InputIterator first, Size n, ForwardIterator result) {
  return result;
}
template <typename InputIterator, typename Size, typename ForwardIterator>
ForwardIterator uninitialized_copy_n(InputIterator first, Size n,
                                     ForwardIterator result) {
  return result;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_UNINITIALIZED_COPY_H
