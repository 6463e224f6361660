//===- scan.h - Scans ----------------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_SCAN_H
#define CUDAGRAPH_MOCK_THRUST_SCAN_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator>
OutputIterator
inclusive_scan(const detail::execution_policy_base<DerivedPolicy> &exec,
               InputIterator first, InputIterator last, OutputIterator result) {
  return result;
}
template <typename InputIterator, typename OutputIterator>
OutputIterator inclusive_scan(InputIterator first, InputIterator last,
                              OutputIterator result) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator, typename AssociativeOperator>
OutputIterator
inclusive_scan(const detail::execution_policy_base<DerivedPolicy> &exec,
               InputIterator first, InputIterator last, OutputIterator result,
               AssociativeOperator binary_op) {
  return result;
}
template <typename InputIterator, typename OutputIterator,
          typename AssociativeOperator>
OutputIterator inclusive_scan(InputIterator first, InputIterator last,
                              OutputIterator result,
                              AssociativeOperator binary_op) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator, typename T, typename AssociativeOperator>
OutputIterator
inclusive_scan(const detail::execution_policy_base<DerivedPolicy> &exec,
               InputIterator first, InputIterator last, OutputIterator result,
               T init, AssociativeOperator binary_op) {
  return result;
}
template <typename InputIterator, typename OutputIterator, typename T,
          typename AssociativeOperator>
OutputIterator inclusive_scan(InputIterator first, InputIterator last,
                              OutputIterator result, T init,
                              AssociativeOperator binary_op) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator>
OutputIterator
exclusive_scan(const detail::execution_policy_base<DerivedPolicy> &exec,
               InputIterator first, InputIterator last, OutputIterator result) {
  return result;
}
template <typename InputIterator, typename OutputIterator>
OutputIterator exclusive_scan(InputIterator first, InputIterator last,
                              OutputIterator result) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator, typename T>
OutputIterator
exclusive_scan(const detail::execution_policy_base<DerivedPolicy> &exec,
               InputIterator first, InputIterator last, OutputIterator result,
               T init) {
  return result;
}
template <typename InputIterator, typename OutputIterator, typename T>
OutputIterator exclusive_scan(InputIterator first, InputIterator last,
                              OutputIterator result, T init) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator, typename T, typename AssociativeOperator>
OutputIterator
exclusive_scan(const detail::execution_policy_base<DerivedPolicy> &exec,
               InputIterator first, InputIterator last, OutputIterator result,
               T init, AssociativeOperator binary_op) {
  return result;
}
template <typename InputIterator, typename OutputIterator, typename T,
          typename AssociativeOperator>
OutputIterator exclusive_scan(InputIterator first, InputIterator last,
                              OutputIterator result, T init,
                              AssociativeOperator binary_op) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator>
OutputIterator
inclusive_scan_by_key(const detail::execution_policy_base<DerivedPolicy> &exec,
                      InputIterator1 first1, InputIterator1 last1,
                      InputIterator2 first2, OutputIterator result) {
  return result;
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator>
OutputIterator
inclusive_scan_by_key(InputIterator1 first1, InputIterator1 last1,
                      InputIterator2 first2, OutputIterator result) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator,
          typename BinaryPredicate>
OutputIterator
inclusive_scan_by_key(const detail::execution_policy_base<DerivedPolicy> &exec,
                      InputIterator1 first1, InputIterator1 last1,
                      InputIterator2 first2, OutputIterator result,
                      BinaryPredicate binary_pred) {
  return result;
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator, typename BinaryPredicate>
OutputIterator
inclusive_scan_by_key(InputIterator1 first1, InputIterator1 last1,
                      InputIterator2 first2, OutputIterator result,
                      BinaryPredicate binary_pred) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator,
          typename BinaryPredicate, typename AssociativeOperator>
OutputIterator
inclusive_scan_by_key(const detail::execution_policy_base<DerivedPolicy> &exec,
                      InputIterator1 first1, InputIterator1 last1,
                      InputIterator2 first2, OutputIterator result,
                      BinaryPredicate binary_pred,
                      AssociativeOperator binary_op) {
  return result;
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator, typename BinaryPredicate,
          typename AssociativeOperator>
OutputIterator
inclusive_scan_by_key(InputIterator1 first1, InputIterator1 last1,
                      InputIterator2 first2, OutputIterator result,
                      BinaryPredicate binary_pred,
                      AssociativeOperator binary_op) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator>
OutputIterator
exclusive_scan_by_key(const detail::execution_policy_base<DerivedPolicy> &exec,
                      InputIterator1 first1, InputIterator1 last1,
                      InputIterator2 first2, OutputIterator result) {
  return result;
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator>
OutputIterator
exclusive_scan_by_key(InputIterator1 first1, InputIterator1 last1,
                      InputIterator2 first2, OutputIterator result) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator, typename T>
OutputIterator
exclusive_scan_by_key(const detail::execution_policy_base<DerivedPolicy> &exec,
                      InputIterator1 first1, InputIterator1 last1,
                      InputIterator2 first2, OutputIterator result, T init) {
  return result;
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator, typename T>
OutputIterator
exclusive_scan_by_key(InputIterator1 first1, InputIterator1 last1,
                      InputIterator2 first2, OutputIterator result, T init) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator, typename T,
          typename BinaryPredicate>
OutputIterator
exclusive_scan_by_key(const detail::execution_policy_base<DerivedPolicy> &exec,
                      InputIterator1 first1, InputIterator1 last1,
                      InputIterator2 first2, OutputIterator result, T init,
                      BinaryPredicate binary_pred) {
  return result;
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator, typename T, typename BinaryPredicate>
OutputIterator
exclusive_scan_by_key(InputIterator1 first1, InputIterator1 last1,
                      InputIterator2 first2, OutputIterator result, T init,
                      BinaryPredicate binary_pred) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator, typename T,
          typename BinaryPredicate, typename AssociativeOperator>
OutputIterator
exclusive_scan_by_key(const detail::execution_policy_base<DerivedPolicy> &exec,
                      InputIterator1 first1, InputIterator1 last1,
                      InputIterator2 first2, OutputIterator result, T init,
                      BinaryPredicate binary_pred,
                      AssociativeOperator binary_op) {
  return result;
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator, typename T, typename BinaryPredicate,
          typename AssociativeOperator>
OutputIterator
exclusive_scan_by_key(InputIterator1 first1, InputIterator1 last1,
                      InputIterator2 first2, OutputIterator result, T init,
                      BinaryPredicate binary_pred,
                      AssociativeOperator binary_op) {
  return result;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_SCAN_H
