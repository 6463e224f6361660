//===- gather.h - Gathering ----------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_GATHER_H
#define CUDAGRAPH_MOCK_THRUST_GATHER_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename InputIterator,
          typename RandomAccessIterator, typename OutputIterator>
OutputIterator gather(const detail::execution_policy_base<DerivedPolicy> &exec,
                      InputIterator map_first, InputIterator map_last,
                      RandomAccessIterator input_first, OutputIterator result) {
  return result;
}
template <typename InputIterator, typename RandomAccessIterator,
          typename OutputIterator>
OutputIterator gather(InputIterator map_first, InputIterator map_last,
                      RandomAccessIterator input_first, OutputIterator result) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename RandomAccessIterator,
          typename OutputIterator>
OutputIterator
gather_if(const detail::execution_policy_base<DerivedPolicy> &exec,
          InputIterator1 map_first, InputIterator1 map_last,
          InputIterator2 stencil, RandomAccessIterator input_first,
          OutputIterator result) {
  return result;
}
template <typename InputIterator1, typename InputIterator2,
          typename RandomAccessIterator, typename OutputIterator>
OutputIterator gather_if(InputIterator1 map_first, InputIterator1 map_last,
                         InputIterator2 stencil,
                         RandomAccessIterator input_first,
                         OutputIterator result) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename RandomAccessIterator,
          typename OutputIterator, typename Predicate>
OutputIterator
gather_if(const detail::execution_policy_base<DerivedPolicy> &exec,
          InputIterator1 map_first, InputIterator1 map_last,
          InputIterator2 stencil, RandomAccessIterator input_first,
          OutputIterator result, Predicate pred) {
  return result;
}
template <typename InputIterator1, typename InputIterator2,
          typename RandomAccessIterator, typename OutputIterator,
          typename Predicate>
OutputIterator gather_if(InputIterator1 map_first, InputIterator1 map_last,
                         InputIterator2 stencil,
                         RandomAccessIterator input_first,
                         OutputIterator result, Predicate pred) {
  return result;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_GATHER_H
