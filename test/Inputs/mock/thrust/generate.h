//===- generate.h - Generating -------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_GENERATE_H
#define CUDAGRAPH_MOCK_THRUST_GENERATE_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename ForwardIterator, typename Generator>
void generate(const detail::execution_policy_base<DerivedPolicy> &exec,
              ForwardIterator first, ForwardIterator last, Generator gen) {}
template <typename ForwardIterator, typename Generator>
void generate(ForwardIterator first, ForwardIterator last, Generator gen) {}
template <typename DerivedPolicy, typename OutputIterator, typename Size,
          typename Generator>
OutputIterator
generate_n(const detail::execution_policy_base<DerivedPolicy> &exec,
           OutputIterator first, Size n, Generator gen) {
  return first;
}
template <typename OutputIterator, typename Size, typename Generator>
OutputIterator generate_n(OutputIterator first, Size n, Generator gen) {
  return first;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_GENERATE_H
