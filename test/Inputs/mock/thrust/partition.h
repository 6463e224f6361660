//===- partition.h - Partitions ------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_PARTITION_H
#define CUDAGRAPH_MOCK_THRUST_PARTITION_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename ForwardIterator, typename Predicate>
ForwardIterator
partition(const detail::execution_policy_base<DerivedPolicy> &exec,
          ForwardIterator first, ForwardIterator last, Predicate pred) {
  return last;
}
template <typename ForwardIterator, typename Predicate>
ForwardIterator partition(ForwardIterator first, ForwardIterator last,
                          Predicate pred) {
  return last;
}
template <typename DerivedPolicy, typename ForwardIterator,
          typename InputIterator, typename Predicate>
ForwardIterator
partition(const detail::execution_policy_base<DerivedPolicy> &exec,
          ForwardIterator first, ForwardIterator last, InputIterator stencil,
          Predicate pred) {
  return last;
}
template <typename ForwardIterator, typename InputIterator, typename Predicate>
ForwardIterator partition(ForwardIterator first, ForwardIterator last,
                          InputIterator stencil, Predicate pred) {
  return last;
}
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator1, typename OutputIterator2,
          typename Predicate>
thrust::pair<OutputIterator1, OutputIterator2>
partition_copy(const detail::execution_policy_base<DerivedPolicy> &exec,
               InputIterator first, InputIterator last,
               OutputIterator1 out_true, OutputIterator2 out_false,
               Predicate pred) {
  return thrust::pair<OutputIterator1, OutputIterator2>(out_true, out_false);
}
template <typename InputIterator, typename OutputIterator1,
          typename OutputIterator2, typename Predicate>
thrust::pair<OutputIterator1, OutputIterator2>
partition_copy(InputIterator first, InputIterator last,
               OutputIterator1 out_true, OutputIterator2 out_false,
               Predicate pred) {
  return thrust::pair<OutputIterator1, OutputIterator2>(out_true, out_false);
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator1,
          typename OutputIterator2, typename Predicate>
thrust::pair<OutputIterator1, OutputIterator2>
partition_copy(const detail::execution_policy_base<DerivedPolicy> &exec,
               InputIterator1 first, InputIterator1 last,
               InputIterator2 stencil, OutputIterator1 out_true,
               OutputIterator2 out_false, Predicate pred) {
  return thrust::pair<OutputIterator1, OutputIterator2>(out_true, out_false);
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator1, typename OutputIterator2,
          typename Predicate>
thrust::pair<OutputIterator1, OutputIterator2>
partition_copy(InputIterator1 first, InputIterator1 last,
               InputIterator2 stencil, OutputIterator1 out_true,
               OutputIterator2 out_false, Predicate pred) {
  return thrust::pair<OutputIterator1, OutputIterator2>(out_true, out_false);
}
template <typename DerivedPolicy, typename ForwardIterator, typename Predicate>
ForwardIterator
stable_partition(const detail::execution_policy_base<DerivedPolicy> &exec,
                 ForwardIterator first, ForwardIterator last, Predicate pred) {
  return last;
}
template <typename ForwardIterator, typename Predicate>
ForwardIterator stable_partition(ForwardIterator first, ForwardIterator last,
                                 Predicate pred) {
  return last;
}
template <typename DerivedPolicy, typename ForwardIterator,
          typename InputIterator, typename Predicate>
ForwardIterator
stable_partition(const detail::execution_policy_base<DerivedPolicy> &exec,
                 ForwardIterator first, ForwardIterator last,
                 InputIterator stencil, Predicate pred) {
  return last;
}
template <typename ForwardIterator, typename InputIterator, typename Predicate>
ForwardIterator stable_partition(ForwardIterator first, ForwardIterator last,
                                 InputIterator stencil, Predicate pred) {
  return last;
}
template <typename DerivedPolicy, typename InputIterator,
          typename OutputIterator1, typename OutputIterator2,
          typename Predicate>
thrust::pair<OutputIterator1, OutputIterator2>
stable_partition_copy(const detail::execution_policy_base<DerivedPolicy> &exec,
                      InputIterator first, InputIterator last,
                      OutputIterator1 out_true, OutputIterator2 out_false,
                      Predicate pred) {
  return thrust::pair<OutputIterator1, OutputIterator2>(out_true, out_false);
}
template <typename InputIterator, typename OutputIterator1,
          typename OutputIterator2, typename Predicate>
thrust::pair<OutputIterator1, OutputIterator2>
stable_partition_copy(InputIterator first, InputIterator last,
                      OutputIterator1 out_true, OutputIterator2 out_false,
                      Predicate pred) {
  return thrust::pair<OutputIterator1, OutputIterator2>(out_true, out_false);
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator1,
          typename OutputIterator2, typename Predicate>
thrust::pair<OutputIterator1, OutputIterator2>
stable_partition_copy(const detail::execution_policy_base<DerivedPolicy> &exec,
                      InputIterator1 first, InputIterator1 last,
                      InputIterator2 stencil, OutputIterator1 out_true,
                      OutputIterator2 out_false, Predicate pred) {
  return thrust::pair<OutputIterator1, OutputIterator2>(out_true, out_false);
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator1, typename OutputIterator2,
          typename Predicate>
thrust::pair<OutputIterator1, OutputIterator2>
stable_partition_copy(InputIterator1 first, InputIterator1 last,
                      InputIterator2 stencil, OutputIterator1 out_true,
                      OutputIterator2 out_false, Predicate pred) {
  return thrust::pair<OutputIterator1, OutputIterator2>(out_true, out_false);
}
template <typename DerivedPolicy, typename ForwardIterator, typename Predicate>
ForwardIterator
partition_point(const detail::execution_policy_base<DerivedPolicy> &exec,
                ForwardIterator first, ForwardIterator last, Predicate pred) {
  return last;
}
template <typename ForwardIterator, typename Predicate>
ForwardIterator partition_point(ForwardIterator first, ForwardIterator last,
                                Predicate pred) {
  return last;
}
template <typename DerivedPolicy, typename InputIterator, typename Predicate>
bool is_partitioned(const detail::execution_policy_base<DerivedPolicy> &exec,
                    InputIterator first, InputIterator last, Predicate pred) {
  return false;
}
template <typename InputIterator, typename Predicate>
bool is_partitioned(InputIterator first, InputIterator last, Predicate pred) {
  return false;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_PARTITION_H
