//===- swap.h - Swapping -------------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_SWAP_H
#define CUDAGRAPH_MOCK_THRUST_SWAP_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename ForwardIterator1,
          typename ForwardIterator2>
ForwardIterator2
swap_ranges(const detail::execution_policy_base<DerivedPolicy> &exec,
            ForwardIterator1 first1, ForwardIterator1 last1,
            ForwardIterator2 first2) {
  return first2;
}
template <typename ForwardIterator1, typename ForwardIterator2>
ForwardIterator2 swap_ranges(ForwardIterator1 first1, ForwardIterator1 last1,
                             ForwardIterator2 first2) {
  return first2;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_SWAP_H
