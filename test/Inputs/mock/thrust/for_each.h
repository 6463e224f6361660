//===- for_each.h - Loops ------------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_FOR_EACH_H
#define CUDAGRAPH_MOCK_THRUST_FOR_EACH_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename InputIterator,
          typename UnaryFunction>
InputIterator for_each(const detail::execution_policy_base<DerivedPolicy> &exec,
                       InputIterator first, InputIterator last,
                       UnaryFunction f) {
  return last;
}
template <typename DerivedPolicy, typename InputIterator, typename Size,
          typename UnaryFunction>
InputIterator
for_each_n(const detail::execution_policy_base<DerivedPolicy> &exec,
           InputIterator first, Size n, UnaryFunction f) {
  return first;
}
template <typename InputIterator, typename UnaryFunction>
InputIterator for_each(InputIterator first, InputIterator last,
                       UnaryFunction f) {
  return last;
}
template <typename InputIterator, typename Size, typename UnaryFunction>
InputIterator for_each_n(InputIterator first, Size n, UnaryFunction f) {
  return first;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_FOR_EACH_H
