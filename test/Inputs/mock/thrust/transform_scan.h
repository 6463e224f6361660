//===- transform_scan.h - Scans with a function --------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_TRANSFORM_SCAN_H
#define CUDAGRAPH_MOCK_THRUST_TRANSFORM_SCAN_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator, typename UnaryFunction,
          typename AssociativeOperator>
OutputIterator transform_inclusive_scan(
    const detail::execution_policy_base<DerivedPolicy> &exec,
    InputIterator first, InputIterator last, OutputIterator result,
    UnaryFunction unary_op, AssociativeOperator binary_op) {
  return result;
}
template <typename InputIterator, typename OutputIterator,
          typename UnaryFunction, typename AssociativeOperator>
OutputIterator transform_inclusive_scan(InputIterator first, InputIterator last,
                                        OutputIterator result,
                                        UnaryFunction unary_op,
                                        AssociativeOperator binary_op) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator, typename UnaryFunction, typename T,
          typename AssociativeOperator>
OutputIterator transform_inclusive_scan(
    const detail::execution_policy_base<DerivedPolicy> &exec,
    InputIterator first, InputIterator last, OutputIterator result,
    UnaryFunction unary_op, T init, AssociativeOperator binary_op) {
  return result;
}
template <typename InputIterator, typename OutputIterator,
          typename UnaryFunction, typename T, typename AssociativeOperator>
OutputIterator transform_inclusive_scan(InputIterator first, InputIterator last,
                                        OutputIterator result,
                                        UnaryFunction unary_op, T init,
                                        AssociativeOperator binary_op) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator, typename UnaryFunction, typename T,
          typename AssociativeOperator>
OutputIterator transform_exclusive_scan(
    const detail::execution_policy_base<DerivedPolicy> &exec,
    InputIterator first, InputIterator last, OutputIterator result,
    UnaryFunction unary_op, T init, AssociativeOperator binary_op) {
  return result;
}
template <typename InputIterator, typename OutputIterator,
          typename UnaryFunction, typename T, typename AssociativeOperator>
OutputIterator transform_exclusive_scan(InputIterator first, InputIterator last,
                                        OutputIterator result,
                                        UnaryFunction unary_op, T init,
                                        AssociativeOperator binary_op) {
  return result;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_TRANSFORM_SCAN_H
