//===- binary_search.h - Searching ---------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_BINARY_SEARCH_H
#define CUDAGRAPH_MOCK_THRUST_BINARY_SEARCH_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename ForwardIterator,
          typename LessThanComparable>
ForwardIterator
lower_bound(const detail::execution_policy_base<DerivedPolicy> &exec,
            ForwardIterator first, ForwardIterator last,
            const LessThanComparable &value) {
  return last;
}
template <class ForwardIterator, class LessThanComparable>
ForwardIterator lower_bound(ForwardIterator first, ForwardIterator last,
                            const LessThanComparable &value) {
  return last;
}
template <typename DerivedPolicy, typename ForwardIterator, typename T,
          typename StrictWeakOrdering>
ForwardIterator
lower_bound(const detail::execution_policy_base<DerivedPolicy> &exec,
            ForwardIterator first, ForwardIterator last, const T &value,
            StrictWeakOrdering comp) {
  return last;
}
template <class ForwardIterator, class T, class StrictWeakOrdering>
ForwardIterator lower_bound(ForwardIterator first, ForwardIterator last,
                            const T &value, StrictWeakOrdering comp) {
  return last;
}
template <typename DerivedPolicy, typename ForwardIterator,
          typename LessThanComparable>
ForwardIterator
upper_bound(const detail::execution_policy_base<DerivedPolicy> &exec,
            ForwardIterator first, ForwardIterator last,
            const LessThanComparable &value) {
  return last;
}
template <class ForwardIterator, class LessThanComparable>
ForwardIterator upper_bound(ForwardIterator first, ForwardIterator last,
                            const LessThanComparable &value) {
  return last;
}
template <typename DerivedPolicy, typename ForwardIterator, typename T,
          typename StrictWeakOrdering>
ForwardIterator
upper_bound(const detail::execution_policy_base<DerivedPolicy> &exec,
            ForwardIterator first, ForwardIterator last, const T &value,
            StrictWeakOrdering comp) {
  return last;
}
template <class ForwardIterator, class T, class StrictWeakOrdering>
ForwardIterator upper_bound(ForwardIterator first, ForwardIterator last,
                            const T &value, StrictWeakOrdering comp) {
  return last;
}
template <typename DerivedPolicy, typename ForwardIterator,
          typename LessThanComparable>
bool binary_search(const detail::execution_policy_base<DerivedPolicy> &exec,
                   ForwardIterator first, ForwardIterator last,
                   const LessThanComparable &value) {
  return false;
}
template <class ForwardIterator, class LessThanComparable>
bool binary_search(ForwardIterator first, ForwardIterator last,
                   const LessThanComparable &value) {
  return false;
}
template <typename DerivedPolicy, typename ForwardIterator, typename T,
          typename StrictWeakOrdering>
bool binary_search(const detail::execution_policy_base<DerivedPolicy> &exec,
                   ForwardIterator first, ForwardIterator last, const T &value,
                   StrictWeakOrdering comp) {
  return false;
}
template <class ForwardIterator, class T, class StrictWeakOrdering>
bool binary_search(ForwardIterator first, ForwardIterator last, const T &value,
                   StrictWeakOrdering comp) {
  return false;
}
template <typename DerivedPolicy, typename ForwardIterator,
          typename LessThanComparable>
thrust::pair<ForwardIterator, ForwardIterator>
equal_range(const detail::execution_policy_base<DerivedPolicy> &exec,
            ForwardIterator first, ForwardIterator last,
            const LessThanComparable &value) {
  return thrust::pair<ForwardIterator, ForwardIterator>(first, last);
}
template <class ForwardIterator, class LessThanComparable>
thrust::pair<ForwardIterator, ForwardIterator>
equal_range(ForwardIterator first, ForwardIterator last,
            const LessThanComparable &value) {
  return thrust::pair<ForwardIterator, ForwardIterator>(first, last);
}
template <typename DerivedPolicy, typename ForwardIterator, typename T,
          typename StrictWeakOrdering>
thrust::pair<ForwardIterator, ForwardIterator>
equal_range(const detail::execution_policy_base<DerivedPolicy> &exec,
            ForwardIterator first, ForwardIterator last, const T &value,
            StrictWeakOrdering comp) {
  return thrust::pair<ForwardIterator, ForwardIterator>(first, last);
}
template <class ForwardIterator, class T, class StrictWeakOrdering>
thrust::pair<ForwardIterator, ForwardIterator>
equal_range(ForwardIterator first, ForwardIterator last, const T &value,
            StrictWeakOrdering comp) {
  return thrust::pair<ForwardIterator, ForwardIterator>(first, last);
}
template <typename DerivedPolicy, typename ForwardIterator,
          typename InputIterator, typename OutputIterator>
OutputIterator
lower_bound(const detail::execution_policy_base<DerivedPolicy> &exec,
            ForwardIterator first, ForwardIterator last,
            InputIterator values_first, InputIterator values_last,
            OutputIterator result) {
  return result;
}
template <class ForwardIterator, class InputIterator, class OutputIterator>
OutputIterator lower_bound(ForwardIterator first, ForwardIterator last,
                           InputIterator values_first,
                           InputIterator values_last, OutputIterator result) {
  return result;
}
template <typename DerivedPolicy, typename ForwardIterator,
          typename InputIterator, typename OutputIterator,
          typename StrictWeakOrdering>
OutputIterator
lower_bound(const detail::execution_policy_base<DerivedPolicy> &exec,
            ForwardIterator first, ForwardIterator last,
            InputIterator values_first, InputIterator values_last,
            OutputIterator result, StrictWeakOrdering comp) {
  return result;
}
template <class ForwardIterator, class InputIterator, class OutputIterator,
          class StrictWeakOrdering>
OutputIterator lower_bound(ForwardIterator first, ForwardIterator last,
                           InputIterator values_first,
                           InputIterator values_last, OutputIterator result,
                           StrictWeakOrdering comp) {
  return result;
}
template <typename DerivedPolicy, typename ForwardIterator,
          typename InputIterator, typename OutputIterator>
OutputIterator
upper_bound(const detail::execution_policy_base<DerivedPolicy> &exec,
            ForwardIterator first, ForwardIterator last,
            InputIterator values_first, InputIterator values_last,
            OutputIterator result) {
  return result;
}
template <class ForwardIterator, class InputIterator, class OutputIterator>
OutputIterator upper_bound(ForwardIterator first, ForwardIterator last,
                           InputIterator values_first,
                           InputIterator values_last, OutputIterator result) {
  return result;
}
template <typename DerivedPolicy, typename ForwardIterator,
          typename InputIterator, typename OutputIterator,
          typename StrictWeakOrdering>
OutputIterator
upper_bound(const detail::execution_policy_base<DerivedPolicy> &exec,
            ForwardIterator first, ForwardIterator last,
            InputIterator values_first, InputIterator values_last,
            OutputIterator result, StrictWeakOrdering comp) {
  return result;
}
template <class ForwardIterator, class InputIterator, class OutputIterator,
          class StrictWeakOrdering>
OutputIterator upper_bound(ForwardIterator first, ForwardIterator last,
                           InputIterator values_first,
                           InputIterator values_last, OutputIterator result,
                           StrictWeakOrdering comp) {
  return result;
}
template <typename DerivedPolicy, typename ForwardIterator,
          typename InputIterator, typename OutputIterator>
OutputIterator
binary_search(const detail::execution_policy_base<DerivedPolicy> &exec,
              ForwardIterator first, ForwardIterator last,
              InputIterator values_first, InputIterator values_last,
              OutputIterator result) {
  return result;
}
template <class ForwardIterator, class InputIterator, class OutputIterator>
OutputIterator binary_search(ForwardIterator first, ForwardIterator last,
                             InputIterator values_first,
                             InputIterator values_last, OutputIterator result) {
  return result;
}
template <typename DerivedPolicy, typename ForwardIterator,
          typename InputIterator, typename OutputIterator,
          typename StrictWeakOrdering>
OutputIterator
binary_search(const detail::execution_policy_base<DerivedPolicy> &exec,
              ForwardIterator first, ForwardIterator last,
              InputIterator values_first, InputIterator values_last,
              OutputIterator result, StrictWeakOrdering comp) {
  return result;
}
template <class ForwardIterator, class InputIterator, class OutputIterator,
          class StrictWeakOrdering>
OutputIterator binary_search(ForwardIterator first, ForwardIterator last,
                             InputIterator values_first,
                             InputIterator values_last, OutputIterator result,
                             StrictWeakOrdering comp) {
  return result;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_BINARY_SEARCH_H
