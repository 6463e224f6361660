//===- tabulate.h - Tabulating -------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_TABULATE_H
#define CUDAGRAPH_MOCK_THRUST_TABULATE_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename ForwardIterator,
          typename UnaryOperation>
void tabulate(const detail::execution_policy_base<DerivedPolicy> &exec,
              ForwardIterator first, ForwardIterator last,
              UnaryOperation unary_op) {}
template <typename ForwardIterator, typename UnaryOperation>
void tabulate(ForwardIterator first, ForwardIterator last,
              UnaryOperation unary_op) {}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_TABULATE_H
