//===- scatter.h - Scattering --------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_SCATTER_H
#define CUDAGRAPH_MOCK_THRUST_SCATTER_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename RandomAccessIterator>
void scatter(const detail::execution_policy_base<DerivedPolicy> &exec,
             InputIterator1 first, InputIterator1 last, InputIterator2 map,
             RandomAccessIterator result) {}
template <typename InputIterator1, typename InputIterator2,
          typename RandomAccessIterator>
void scatter(InputIterator1 first, InputIterator1 last, InputIterator2 map,
             RandomAccessIterator result) {}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename InputIterator3,
          typename RandomAccessIterator>
void scatter_if(const detail::execution_policy_base<DerivedPolicy> &exec,
                InputIterator1 first, InputIterator1 last, InputIterator2 map,
                InputIterator3 stencil, RandomAccessIterator output) {}
template <typename InputIterator1, typename InputIterator2,
          typename InputIterator3, typename RandomAccessIterator>
void scatter_if(InputIterator1 first, InputIterator1 last, InputIterator2 map,
                InputIterator3 stencil, RandomAccessIterator output) {}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename InputIterator3,
          typename RandomAccessIterator, typename Predicate>
void scatter_if(const detail::execution_policy_base<DerivedPolicy> &exec,
                InputIterator1 first, InputIterator1 last, InputIterator2 map,
                InputIterator3 stencil, RandomAccessIterator output,
                Predicate pred) {}
template <typename InputIterator1, typename InputIterator2,
          typename InputIterator3, typename RandomAccessIterator,
          typename Predicate>
void scatter_if(InputIterator1 first, InputIterator1 last, InputIterator2 map,
                InputIterator3 stencil, RandomAccessIterator output,
                Predicate pred) {}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_SCATTER_H
