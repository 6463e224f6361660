//===- logical.h - Predicates of all -------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_LOGICAL_H
#define CUDAGRAPH_MOCK_THRUST_LOGICAL_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename InputIterator, typename Predicate>
bool all_of(const detail::execution_policy_base<DerivedPolicy> &exec,
            InputIterator first, InputIterator last, Predicate pred) {
  return false;
}
template <typename InputIterator, typename Predicate>
bool all_of(InputIterator first, InputIterator last, Predicate pred) {
  return false;
}
template <typename DerivedPolicy, typename InputIterator, typename Predicate>
bool any_of(const detail::execution_policy_base<DerivedPolicy> &exec,
            InputIterator first, InputIterator last, Predicate pred) {
  return false;
}
template <typename InputIterator, typename Predicate>
bool any_of(InputIterator first, InputIterator last, Predicate pred) {
  return false;
}
template <typename DerivedPolicy, typename InputIterator, typename Predicate>
bool none_of(const detail::execution_policy_base<DerivedPolicy> &exec,
             InputIterator first, InputIterator last, Predicate pred) {
  return false;
}
template <typename InputIterator, typename Predicate>
bool none_of(InputIterator first, InputIterator last, Predicate pred) {
  return false;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_LOGICAL_H
