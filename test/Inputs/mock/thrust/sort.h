//===- sort.h - Sorting --------------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_SORT_H
#define CUDAGRAPH_MOCK_THRUST_SORT_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename RandomAccessIterator>
void sort(const detail::execution_policy_base<DerivedPolicy> &exec,
          RandomAccessIterator first, RandomAccessIterator last) {}
template <typename RandomAccessIterator>
void sort(RandomAccessIterator first, RandomAccessIterator last) {}
template <typename DerivedPolicy, typename RandomAccessIterator,
          typename StrictWeakOrdering>
void sort(const detail::execution_policy_base<DerivedPolicy> &exec,
          RandomAccessIterator first, RandomAccessIterator last,
          StrictWeakOrdering comp) {}
template <typename RandomAccessIterator, typename StrictWeakOrdering>
void sort(RandomAccessIterator first, RandomAccessIterator last,
          StrictWeakOrdering comp) {}
template <typename DerivedPolicy, typename RandomAccessIterator>
void stable_sort(const detail::execution_policy_base<DerivedPolicy> &exec,
                 RandomAccessIterator first, RandomAccessIterator last) {}
template <typename RandomAccessIterator>
void stable_sort(RandomAccessIterator first, RandomAccessIterator last) {}
template <typename DerivedPolicy, typename RandomAccessIterator,
          typename StrictWeakOrdering>
void stable_sort(const detail::execution_policy_base<DerivedPolicy> &exec,
                 RandomAccessIterator first, RandomAccessIterator last,
                 StrictWeakOrdering comp) {}
template <typename RandomAccessIterator, typename StrictWeakOrdering>
void stable_sort(RandomAccessIterator first, RandomAccessIterator last,
                 StrictWeakOrdering comp) {}
template <typename DerivedPolicy, typename RandomAccessIterator1,
          typename RandomAccessIterator2>
void sort_by_key(const detail::execution_policy_base<DerivedPolicy> &exec,
                 RandomAccessIterator1 keys_first,
                 RandomAccessIterator1 keys_last,
                 RandomAccessIterator2 values_first) {}
template <typename RandomAccessIterator1, typename RandomAccessIterator2>
void sort_by_key(RandomAccessIterator1 keys_first,
                 RandomAccessIterator1 keys_last,
                 RandomAccessIterator2 values_first) {}
template <typename DerivedPolicy, typename RandomAccessIterator1,
          typename RandomAccessIterator2, typename StrictWeakOrdering>
void sort_by_key(const detail::execution_policy_base<DerivedPolicy> &exec,
                 RandomAccessIterator1 keys_first,
                 RandomAccessIterator1 keys_last,
                 RandomAccessIterator2 values_first, StrictWeakOrdering comp) {}
template <typename RandomAccessIterator1, typename RandomAccessIterator2,
          typename StrictWeakOrdering>
void sort_by_key(RandomAccessIterator1 keys_first,
                 RandomAccessIterator1 keys_last,
                 RandomAccessIterator2 values_first, StrictWeakOrdering comp) {}
template <typename DerivedPolicy, typename RandomAccessIterator1,
          typename RandomAccessIterator2>
void stable_sort_by_key(
    const detail::execution_policy_base<DerivedPolicy> &exec,
    RandomAccessIterator1 keys_first, RandomAccessIterator1 keys_last,
    RandomAccessIterator2 values_first) {}
template <typename RandomAccessIterator1, typename RandomAccessIterator2>
void stable_sort_by_key(RandomAccessIterator1 keys_first,
                        RandomAccessIterator1 keys_last,
                        RandomAccessIterator2 values_first) {}
template <typename DerivedPolicy, typename RandomAccessIterator1,
          typename RandomAccessIterator2, typename StrictWeakOrdering>
void stable_sort_by_key(
    const detail::execution_policy_base<DerivedPolicy> &exec,
    RandomAccessIterator1 keys_first, RandomAccessIterator1 keys_last,
    RandomAccessIterator2 values_first, StrictWeakOrdering comp) {}
template <typename RandomAccessIterator1, typename RandomAccessIterator2,
          typename StrictWeakOrdering>
void stable_sort_by_key(RandomAccessIterator1 keys_first,
                        RandomAccessIterator1 keys_last,
                        RandomAccessIterator2 values_first,
                        StrictWeakOrdering comp) {}
template <typename DerivedPolicy, typename ForwardIterator>
bool is_sorted(const detail::execution_policy_base<DerivedPolicy> &exec,
               ForwardIterator first, ForwardIterator last) {
  return false;
}
template <typename ForwardIterator>
bool is_sorted(ForwardIterator first, ForwardIterator last) {
  return false;
}
template <typename DerivedPolicy, typename ForwardIterator, typename Compare>
bool is_sorted(const detail::execution_policy_base<DerivedPolicy> &exec,
               ForwardIterator first, ForwardIterator last, Compare comp) {
  return false;
}
template <typename ForwardIterator, typename Compare>
bool is_sorted(ForwardIterator first, ForwardIterator last, Compare comp) {
  return false;
}
template <typename DerivedPolicy, typename ForwardIterator>
ForwardIterator
is_sorted_until(const detail::execution_policy_base<DerivedPolicy> &exec,
                ForwardIterator first, ForwardIterator last) {
  return last;
}
template <typename ForwardIterator>
ForwardIterator is_sorted_until(ForwardIterator first, ForwardIterator last) {
  return last;
}
template <typename DerivedPolicy, typename ForwardIterator, typename Compare>
ForwardIterator
is_sorted_until(const detail::execution_policy_base<DerivedPolicy> &exec,
                ForwardIterator first, ForwardIterator last, Compare comp) {
  return last;
}
template <typename ForwardIterator, typename Compare>
ForwardIterator is_sorted_until(ForwardIterator first, ForwardIterator last,
                                Compare comp) {
  return last;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_SORT_H
