//===- sequence.h - Sequences --------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_SEQUENCE_H
#define CUDAGRAPH_MOCK_THRUST_SEQUENCE_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename ForwardIterator>
void sequence(const detail::execution_policy_base<DerivedPolicy> &exec,
              ForwardIterator first, ForwardIterator last) {}
template <typename ForwardIterator>
void sequence(ForwardIterator first, ForwardIterator last) {}
template <typename DerivedPolicy, typename ForwardIterator, typename T>
void sequence(const detail::execution_policy_base<DerivedPolicy> &exec,
              ForwardIterator first, ForwardIterator last, T init) {}
template <typename ForwardIterator, typename T>
void sequence(ForwardIterator first, ForwardIterator last, T init) {}
template <typename DerivedPolicy, typename ForwardIterator, typename T>
void sequence(const detail::execution_policy_base<DerivedPolicy> &exec,
              ForwardIterator first, ForwardIterator last, T init, T step) {}
template <typename ForwardIterator, typename T>
void sequence(ForwardIterator first, ForwardIterator last, T init, T step) {}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_SEQUENCE_H
