//===- adjacent_difference.h - Differences -------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_ADJACENT_DIFFERENCE_H
#define CUDAGRAPH_MOCK_THRUST_ADJACENT_DIFFERENCE_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator>
OutputIterator
adjacent_difference(const detail::execution_policy_base<DerivedPolicy> &exec,
                    InputIterator first, InputIterator last,
                    OutputIterator result) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator, typename BinaryFunction>
OutputIterator
adjacent_difference(const detail::execution_policy_base<DerivedPolicy> &exec,
                    InputIterator first, InputIterator last,
                    OutputIterator result, BinaryFunction binary_op) {
  return result;
}
template <typename InputIterator, typename OutputIterator>
OutputIterator adjacent_difference(InputIterator first, InputIterator last,
                                   OutputIterator result) {
  return result;
}
template <typename InputIterator, typename OutputIterator,
          typename BinaryFunction>
OutputIterator adjacent_difference(InputIterator first, InputIterator last,
                                   OutputIterator result,
                                   BinaryFunction binary_op) {
  return result;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_ADJACENT_DIFFERENCE_H
