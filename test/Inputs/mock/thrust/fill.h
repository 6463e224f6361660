//===- fill.h - Filling --------------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_FILL_H
#define CUDAGRAPH_MOCK_THRUST_FILL_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename ForwardIterator, typename T>
void fill(const detail::execution_policy_base<DerivedPolicy> &exec,
          ForwardIterator first, ForwardIterator last, const T &value) {}
template <typename ForwardIterator, typename T>
void fill(ForwardIterator first, ForwardIterator last, const T &value) {}
template <typename DerivedPolicy, typename OutputIterator, typename Size,
          typename T>
OutputIterator fill_n(const detail::execution_policy_base<DerivedPolicy> &exec,
                      OutputIterator first, Size n, const T &value) {
  return first;
}
template <typename OutputIterator, typename Size, typename T>
OutputIterator fill_n(OutputIterator first, Size n, const T &value) {
  return first;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_FILL_H
