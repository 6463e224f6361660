//===- reduce.h - Reductions ---------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_REDUCE_H
#define CUDAGRAPH_MOCK_THRUST_REDUCE_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename InputIterator>
typename iterator_value<InputIterator>::type
reduce(const detail::execution_policy_base<DerivedPolicy> &exec,
       InputIterator first, InputIterator last) {
  return typename iterator_value<InputIterator>::type();
}
template <typename InputIterator>
typename iterator_value<InputIterator>::type reduce(InputIterator first,
                                                    InputIterator last) {
  return typename iterator_value<InputIterator>::type();
}
template <typename DerivedPolicy, typename InputIterator, typename T>
T reduce(const detail::execution_policy_base<DerivedPolicy> &exec,
         InputIterator first, InputIterator last, T init) {
  return init;
}
template <typename InputIterator, typename T>
T reduce(InputIterator first, InputIterator last, T init) {
  return init;
}
template <typename DerivedPolicy, typename InputIterator, typename T,
          typename BinaryFunction>
T reduce(const detail::execution_policy_base<DerivedPolicy> &exec,
         InputIterator first, InputIterator last, T init,
         BinaryFunction binary_op) {
  return init;
}
template <typename InputIterator, typename T, typename BinaryFunction>
T reduce(InputIterator first, InputIterator last, T init,
         BinaryFunction binary_op) {
  return init;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator1,
          typename OutputIterator2>
thrust::pair<OutputIterator1, OutputIterator2>
reduce_by_key(const detail::execution_policy_base<DerivedPolicy> &exec,
              InputIterator1 keys_first, InputIterator1 keys_last,
              InputIterator2 values_first, OutputIterator1 keys_output,
              OutputIterator2 values_output) {
  return thrust::pair<OutputIterator1, OutputIterator2>(keys_output,
                                                        values_output);
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator1, typename OutputIterator2>
thrust::pair<OutputIterator1, OutputIterator2>
reduce_by_key(InputIterator1 keys_first, InputIterator1 keys_last,
              InputIterator2 values_first, OutputIterator1 keys_output,
              OutputIterator2 values_output) {
  return thrust::pair<OutputIterator1, OutputIterator2>(keys_output,
                                                        values_output);
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator1,
          typename OutputIterator2, typename BinaryPredicate>
thrust::pair<OutputIterator1, OutputIterator2>
reduce_by_key(const detail::execution_policy_base<DerivedPolicy> &exec,
              InputIterator1 keys_first, InputIterator1 keys_last,
              InputIterator2 values_first, OutputIterator1 keys_output,
              OutputIterator2 values_output, BinaryPredicate binary_pred) {
  return thrust::pair<OutputIterator1, OutputIterator2>(keys_output,
                                                        values_output);
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator1, typename OutputIterator2,
          typename BinaryPredicate>
thrust::pair<OutputIterator1, OutputIterator2>
reduce_by_key(InputIterator1 keys_first, InputIterator1 keys_last,
              InputIterator2 values_first, OutputIterator1 keys_output,
              OutputIterator2 values_output, BinaryPredicate binary_pred) {
  return thrust::pair<OutputIterator1, OutputIterator2>(keys_output,
                                                        values_output);
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator1,
          typename OutputIterator2, typename BinaryPredicate,
          typename BinaryFunction>
thrust::pair<OutputIterator1, OutputIterator2>
reduce_by_key(const detail::execution_policy_base<DerivedPolicy> &exec,
              InputIterator1 keys_first, InputIterator1 keys_last,
              InputIterator2 values_first, OutputIterator1 keys_output,
              OutputIterator2 values_output, BinaryPredicate binary_pred,
              BinaryFunction binary_op) {
  return thrust::pair<OutputIterator1, OutputIterator2>(keys_output,
                                                        values_output);
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator1, typename OutputIterator2,
          typename BinaryPredicate, typename BinaryFunction>
thrust::pair<OutputIterator1, OutputIterator2>
reduce_by_key(InputIterator1 keys_first, InputIterator1 keys_last,
              InputIterator2 values_first, OutputIterator1 keys_output,
              OutputIterator2 values_output, BinaryPredicate binary_pred,
              BinaryFunction binary_op) {
  return thrust::pair<OutputIterator1, OutputIterator2>(keys_output,
                                                        values_output);
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_REDUCE_H
