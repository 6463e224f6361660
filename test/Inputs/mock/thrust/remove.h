//===- remove.h - Removing ------------------------------------ -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_REMOVE_H
#define CUDAGRAPH_MOCK_THRUST_REMOVE_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename ForwardIterator, typename T>
ForwardIterator remove(const detail::execution_policy_base<DerivedPolicy> &exec,
                       ForwardIterator first, ForwardIterator last,
                       const T &value) {
  return last;
}
template <typename ForwardIterator, typename T>
ForwardIterator remove(ForwardIterator first, ForwardIterator last,
                       const T &value) {
  return last;
}
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator, typename T>
OutputIterator
remove_copy(const detail::execution_policy_base<DerivedPolicy> &exec,
            InputIterator first, InputIterator last, OutputIterator result,
            const T &value) {
  return result;
}
template <typename InputIterator, typename OutputIterator, typename T>
OutputIterator remove_copy(InputIterator first, InputIterator last,
                           OutputIterator result, const T &value) {
  return result;
}
template <typename DerivedPolicy, typename ForwardIterator, typename Predicate>
ForwardIterator
remove_if(const detail::execution_policy_base<DerivedPolicy> &exec,
          ForwardIterator first, ForwardIterator last, Predicate pred) {
  return last;
}
template <typename ForwardIterator, typename Predicate>
ForwardIterator remove_if(ForwardIterator first, ForwardIterator last,
                          Predicate pred) {
  return last;
}
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator, typename Predicate>
OutputIterator
remove_copy_if(const detail::execution_policy_base<DerivedPolicy> &exec,
               InputIterator first, InputIterator last, OutputIterator result,
               Predicate pred) {
  return result;
}
template <typename InputIterator, typename OutputIterator, typename Predicate>
OutputIterator remove_copy_if(InputIterator first, InputIterator last,
                              OutputIterator result, Predicate pred) {
  return result;
}
template <typename DerivedPolicy, typename ForwardIterator,
          typename InputIterator, typename Predicate>
ForwardIterator
remove_if(const detail::execution_policy_base<DerivedPolicy> &exec,
          ForwardIterator first, ForwardIterator last, InputIterator stencil,
          Predicate pred) {
  return last;
}
template <typename ForwardIterator, typename InputIterator, typename Predicate>
ForwardIterator remove_if(ForwardIterator first, ForwardIterator last,
                          InputIterator stencil, Predicate pred) {
  return last;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator, typename Predicate>
OutputIterator
remove_copy_if(const detail::execution_policy_base<DerivedPolicy> &exec,
               InputIterator1 first, InputIterator1 last,
               InputIterator2 stencil, OutputIterator result, Predicate pred) {
  return result;
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator, typename Predicate>
OutputIterator remove_copy_if(InputIterator1 first, InputIterator1 last,
                              InputIterator2 stencil, OutputIterator result,
                              Predicate pred) {
  return result;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_REMOVE_H
