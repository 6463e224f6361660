//===- transform_reduce.h - Reductions with a function -------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_TRANSFORM_REDUCE_H
#define CUDAGRAPH_MOCK_THRUST_TRANSFORM_REDUCE_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename InputIterator,
          typename UnaryFunction, typename OutputType, typename BinaryFunction>
OutputType
transform_reduce(const detail::execution_policy_base<DerivedPolicy> &exec,
                 InputIterator first, InputIterator last,
                 UnaryFunction unary_op, OutputType init,
                 BinaryFunction binary_op) {
  return init;
}
template <typename InputIterator, typename UnaryFunction, typename OutputType,
          typename BinaryFunction>
OutputType transform_reduce(InputIterator first, InputIterator last,
                            UnaryFunction unary_op, OutputType init,
                            BinaryFunction binary_op) {
  return init;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_TRANSFORM_REDUCE_H
