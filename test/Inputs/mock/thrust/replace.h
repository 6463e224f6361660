//===- replace.h - Replacing ---------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_REPLACE_H
#define CUDAGRAPH_MOCK_THRUST_REPLACE_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename ForwardIterator, typename T>
void replace(const detail::execution_policy_base<DerivedPolicy> &exec,
             ForwardIterator first, ForwardIterator last, const T &old_value,
             const T &new_value) {}
template <typename ForwardIterator, typename T>
void replace(ForwardIterator first, ForwardIterator last, const T &old_value,
             const T &new_value) {}
template <typename DerivedPolicy, typename ForwardIterator, typename Predicate,
          typename T>
void replace_if(const detail::execution_policy_base<DerivedPolicy> &exec,
                ForwardIterator first, ForwardIterator last, Predicate pred,
                const T &new_value) {}
template <typename ForwardIterator, typename Predicate, typename T>
void replace_if(ForwardIterator first, ForwardIterator last, Predicate pred,
                const T &new_value) {}
template <typename DerivedPolicy, typename ForwardIterator,
          typename InputIterator, typename Predicate, typename T>
void replace_if(const detail::execution_policy_base<DerivedPolicy> &exec,
                ForwardIterator first, ForwardIterator last,
                InputIterator stencil, Predicate pred, const T &new_value) {}
template <typename ForwardIterator, typename InputIterator, typename Predicate,
          typename T>
void replace_if(ForwardIterator first, ForwardIterator last,
                InputIterator stencil, Predicate pred, const T &new_value) {}
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator, typename T>
OutputIterator
replace_copy(const detail::execution_policy_base<DerivedPolicy> &exec,
             InputIterator first, InputIterator last, OutputIterator result,
             const T &old_value, const T &new_value) {
  return result;
}
template <typename InputIterator, typename OutputIterator, typename T>
OutputIterator replace_copy(InputIterator first, InputIterator last,
                            OutputIterator result, const T &old_value,
                            const T &new_value) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator, typename Predicate, typename T>
OutputIterator
replace_copy_if(const detail::execution_policy_base<DerivedPolicy> &exec,
                InputIterator first, InputIterator last, OutputIterator result,
                Predicate pred, const T &new_value) {
  return result;
}
template <typename InputIterator, typename OutputIterator, typename Predicate,
          typename T>
OutputIterator replace_copy_if(InputIterator first, InputIterator last,
                               OutputIterator result, Predicate pred,
                               const T &new_value) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator, typename Predicate,
          typename T>
OutputIterator
replace_copy_if(const detail::execution_policy_base<DerivedPolicy> &exec,
                InputIterator1 first, InputIterator1 last,
                InputIterator2 stencil, OutputIterator result, Predicate pred,
                const T &new_value) {
  return result;
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator, typename Predicate, typename T>
OutputIterator replace_copy_if(InputIterator1 first, InputIterator1 last,
                               InputIterator2 stencil, OutputIterator result,
                               Predicate pred, const T &new_value) {
  return result;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_REPLACE_H
