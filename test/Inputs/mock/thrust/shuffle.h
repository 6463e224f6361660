//===- shuffle.h - Shuffling ---------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_SHUFFLE_H
#define CUDAGRAPH_MOCK_THRUST_SHUFFLE_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename RandomIterator, typename URBG>
void shuffle(const detail::execution_policy_base<DerivedPolicy> &exec,
             RandomIterator first, RandomIterator last, URBG &&g) {}
template <typename RandomIterator, typename URBG>
void shuffle(RandomIterator first, RandomIterator last, URBG &&g) {}
template <typename DerivedPolicy, typename RandomIterator,
          typename OutputIterator, typename URBG>
void shuffle_copy(const detail::execution_policy_base<DerivedPolicy> &exec,
                  RandomIterator first, RandomIterator last,
                  OutputIterator result, URBG &&g) {}
template <typename RandomIterator, typename OutputIterator, typename URBG>
void shuffle_copy(RandomIterator first, RandomIterator last,
                  OutputIterator result, URBG &&g) {}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_SHUFFLE_H
