//===- find.h - Finding --------------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_FIND_H
#define CUDAGRAPH_MOCK_THRUST_FIND_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename InputIterator, typename T>
InputIterator find(const detail::execution_policy_base<DerivedPolicy> &exec,
                   InputIterator first, InputIterator last, const T &value) {
  return last;
}
template <typename InputIterator, typename T>
InputIterator find(InputIterator first, InputIterator last, const T &value) {
  return last;
}
template <typename DerivedPolicy, typename InputIterator, typename Predicate>
InputIterator find_if(const detail::execution_policy_base<DerivedPolicy> &exec,
                      InputIterator first, InputIterator last, Predicate pred) {
  return last;
}
template <typename InputIterator, typename Predicate>
InputIterator find_if(InputIterator first, InputIterator last, Predicate pred) {
  return last;
}
template <typename DerivedPolicy, typename InputIterator, typename Predicate>
InputIterator
find_if_not(const detail::execution_policy_base<DerivedPolicy> &exec,
            InputIterator first, InputIterator last, Predicate pred) {
  return last;
}
template <typename InputIterator, typename Predicate>
InputIterator find_if_not(InputIterator first, InputIterator last,
                          Predicate pred) {
  return last;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_FIND_H
