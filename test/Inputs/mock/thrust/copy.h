//===- copy.h - Copies ---------------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_COPY_H
#define CUDAGRAPH_MOCK_THRUST_COPY_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator>
OutputIterator copy(const detail::execution_policy_base<DerivedPolicy> &exec,
                    InputIterator first, InputIterator last,
                    OutputIterator result) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator, typename Size,
          typename OutputIterator>
OutputIterator copy_n(const detail::execution_policy_base<DerivedPolicy> &exec,
                      InputIterator first, Size n, OutputIterator result) {
  return result;
}
template <typename InputIterator, typename OutputIterator>
OutputIterator copy(InputIterator first, InputIterator last,
                    OutputIterator result) {
  return result;
}
template <typename InputIterator, typename Size, typename OutputIterator>
OutputIterator copy_n(InputIterator first, Size n, OutputIterator result) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator, typename Predicate>
OutputIterator copy_if(const detail::execution_policy_base<DerivedPolicy> &exec,
                       InputIterator first, InputIterator last,
                       OutputIterator result, Predicate pred) {
  return result;
}
template <typename InputIterator, typename OutputIterator, typename Predicate>
OutputIterator copy_if(InputIterator first, InputIterator last,
                       OutputIterator result, Predicate pred) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator, typename Predicate>
OutputIterator copy_if(const detail::execution_policy_base<DerivedPolicy> &exec,
                       InputIterator1 first, InputIterator1 last,
                       InputIterator2 stencil, OutputIterator result,
                       Predicate pred) {
  return result;
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator, typename Predicate>
OutputIterator copy_if(InputIterator1 first, InputIterator1 last,
                       InputIterator2 stencil, OutputIterator result,
                       Predicate pred) {
  return result;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_COPY_H
