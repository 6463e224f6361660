//===- unique.h - Unique elements ----------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_UNIQUE_H
#define CUDAGRAPH_MOCK_THRUST_UNIQUE_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename ForwardIterator>
ForwardIterator unique(const detail::execution_policy_base<DerivedPolicy> &exec,
                       ForwardIterator first, ForwardIterator last) {
  return last;
}
template <typename ForwardIterator>
ForwardIterator unique(ForwardIterator first, ForwardIterator last) {
  return last;
}
template <typename DerivedPolicy, typename ForwardIterator,
          typename BinaryPredicate>
ForwardIterator unique(const detail::execution_policy_base<DerivedPolicy> &exec,
                       ForwardIterator first, ForwardIterator last,
                       BinaryPredicate binary_pred) {
  return last;
}
template <typename ForwardIterator, typename BinaryPredicate>
ForwardIterator unique(ForwardIterator first, ForwardIterator last,
                       BinaryPredicate binary_pred) {
  return last;
}
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator>
OutputIterator
unique_copy(const detail::execution_policy_base<DerivedPolicy> &exec,
            InputIterator first, InputIterator last, OutputIterator result) {
  return result;
}
template <typename InputIterator, typename OutputIterator>
OutputIterator unique_copy(InputIterator first, InputIterator last,
                           OutputIterator result) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator, typename BinaryPredicate>
OutputIterator
unique_copy(const detail::execution_policy_base<DerivedPolicy> &exec,
            InputIterator first, InputIterator last, OutputIterator result,
            BinaryPredicate binary_pred) {
  return result;
}
template <typename InputIterator, typename OutputIterator,
          typename BinaryPredicate>
OutputIterator unique_copy(InputIterator first, InputIterator last,
                           OutputIterator result, BinaryPredicate binary_pred) {
  return result;
}
template <typename DerivedPolicy, typename ForwardIterator1,
          typename ForwardIterator2>
thrust::pair<ForwardIterator1, ForwardIterator2>
unique_by_key(const detail::execution_policy_base<DerivedPolicy> &exec,
              ForwardIterator1 keys_first, ForwardIterator1 keys_last,
              ForwardIterator2 values_first) {
  return thrust::pair<ForwardIterator1, ForwardIterator2>(keys_last,
                                                          values_first);
}
template <typename ForwardIterator1, typename ForwardIterator2>
thrust::pair<ForwardIterator1, ForwardIterator2>
unique_by_key(ForwardIterator1 keys_first, ForwardIterator1 keys_last,
              ForwardIterator2 values_first) {
  return thrust::pair<ForwardIterator1, ForwardIterator2>(keys_last,
                                                          values_first);
}
template <typename DerivedPolicy, typename ForwardIterator1,
          typename ForwardIterator2, typename BinaryPredicate>
thrust::pair<ForwardIterator1, ForwardIterator2>
unique_by_key(const detail::execution_policy_base<DerivedPolicy> &exec,
              ForwardIterator1 keys_first, ForwardIterator1 keys_last,
              ForwardIterator2 values_first, BinaryPredicate binary_pred) {
  return thrust::pair<ForwardIterator1, ForwardIterator2>(keys_last,
                                                          values_first);
}
template <typename ForwardIterator1, typename ForwardIterator2,
          typename BinaryPredicate>
thrust::pair<ForwardIterator1, ForwardIterator2>
unique_by_key(ForwardIterator1 keys_first, ForwardIterator1 keys_last,
              ForwardIterator2 values_first, BinaryPredicate binary_pred) {
  return thrust::pair<ForwardIterator1, ForwardIterator2>(keys_last,
                                                          values_first);
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator1,
          typename OutputIterator2>
thrust::pair<OutputIterator1, OutputIterator2>
unique_by_key_copy(const detail::execution_policy_base<DerivedPolicy> &exec,
                   InputIterator1 keys_first, InputIterator1 keys_last,
                   InputIterator2 values_first, OutputIterator1 keys_result,
                   OutputIterator2 values_result) {
  return thrust::pair<OutputIterator1, OutputIterator2>(keys_result,
                                                        values_result);
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator1, typename OutputIterator2>
thrust::pair<OutputIterator1, OutputIterator2>
unique_by_key_copy(InputIterator1 keys_first, InputIterator1 keys_last,
                   InputIterator2 values_first, OutputIterator1 keys_result,
                   OutputIterator2 values_result) {
  return thrust::pair<OutputIterator1, OutputIterator2>(keys_result,
                                                        values_result);
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator1,
          typename OutputIterator2, typename BinaryPredicate>
thrust::pair<OutputIterator1, OutputIterator2>
unique_by_key_copy(const detail::execution_policy_base<DerivedPolicy> &exec,
                   InputIterator1 keys_first, InputIterator1 keys_last,
                   InputIterator2 values_first, OutputIterator1 keys_result,
                   OutputIterator2 values_result, BinaryPredicate binary_pred) {
  return thrust::pair<OutputIterator1, OutputIterator2>(keys_result,
                                                        values_result);
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator1, typename OutputIterator2,
          typename BinaryPredicate>
thrust::pair<OutputIterator1, OutputIterator2>
unique_by_key_copy(InputIterator1 keys_first, InputIterator1 keys_last,
                   InputIterator2 values_first, OutputIterator1 keys_result,
                   OutputIterator2 values_result, BinaryPredicate binary_pred) {
  return thrust::pair<OutputIterator1, OutputIterator2>(keys_result,
                                                        values_result);
}
template <typename DerivedPolicy, typename ForwardIterator,
          typename BinaryPredicate>
ptrdiff_t unique_count(const detail::execution_policy_base<DerivedPolicy> &exec,
                       ForwardIterator first, ForwardIterator last,
                       BinaryPredicate binary_pred) {
  return 0;
}
template <typename DerivedPolicy, typename ForwardIterator>
ptrdiff_t unique_count(const detail::execution_policy_base<DerivedPolicy> &exec,
                       ForwardIterator first, ForwardIterator last) {
  return 0;
}
template <typename ForwardIterator, typename BinaryPredicate>
ptrdiff_t unique_count(ForwardIterator first, ForwardIterator last,
                       BinaryPredicate binary_pred) {
  return 0;
}
template <typename ForwardIterator>
ptrdiff_t unique_count(ForwardIterator first, ForwardIterator last) {
  return 0;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_UNIQUE_H
