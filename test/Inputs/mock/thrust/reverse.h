//===- reverse.h - Reversing ---------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_REVERSE_H
#define CUDAGRAPH_MOCK_THRUST_REVERSE_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename BidirectionalIterator>
void reverse(const detail::execution_policy_base<DerivedPolicy> &exec,
             BidirectionalIterator first, BidirectionalIterator last) {}
template <typename BidirectionalIterator>
void reverse(BidirectionalIterator first, BidirectionalIterator last) {}
template <typename DerivedPolicy, typename BidirectionalIterator,
          typename OutputIterator>
OutputIterator
reverse_copy(const detail::execution_policy_base<DerivedPolicy> &exec,
             BidirectionalIterator first, BidirectionalIterator last,
             OutputIterator result) {
  return result;
}
template <typename BidirectionalIterator, typename OutputIterator>
OutputIterator reverse_copy(BidirectionalIterator first,
                            BidirectionalIterator last, OutputIterator result) {
  return result;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_REVERSE_H
