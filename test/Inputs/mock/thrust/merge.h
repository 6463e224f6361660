//===- merge.h - Merging -------------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_MERGE_H
#define CUDAGRAPH_MOCK_THRUST_MERGE_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator>
OutputIterator merge(const detail::execution_policy_base<DerivedPolicy> &exec,
                     InputIterator1 first1, InputIterator1 last1,
                     InputIterator2 first2, InputIterator2 last2,
                     OutputIterator result) {
  return result;
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator>
OutputIterator merge(InputIterator1 first1, InputIterator1 last1,
                     InputIterator2 first2, InputIterator2 last2,
                     OutputIterator result) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputIterator,
          typename StrictWeakCompare>
OutputIterator merge(const detail::execution_policy_base<DerivedPolicy> &exec,
                     InputIterator1 first1, InputIterator1 last1,
                     InputIterator2 first2, InputIterator2 last2,
                     OutputIterator result, StrictWeakCompare comp) {
  return result;
}
template <typename InputIterator1, typename InputIterator2,
          typename OutputIterator, typename StrictWeakCompare>
OutputIterator merge(InputIterator1 first1, InputIterator1 last1,
                     InputIterator2 first2, InputIterator2 last2,
                     OutputIterator result, StrictWeakCompare comp) {
  return result;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename InputIterator3,
          typename InputIterator4, typename OutputIterator1,
          typename OutputIterator2>
thrust::pair<OutputIterator1, OutputIterator2>
merge_by_key(const detail::execution_policy_base<DerivedPolicy> &exec,
             InputIterator1 keys_first1, InputIterator1 keys_last1,
             InputIterator2 keys_first2, InputIterator2 keys_last2,
             InputIterator3 values_first1, InputIterator4 values_first2,
             OutputIterator1 keys_result, OutputIterator2 values_result) {
  return thrust::pair<OutputIterator1, OutputIterator2>(keys_result,
                                                        values_result);
}
template <typename InputIterator1, typename InputIterator2,
          typename InputIterator3, typename InputIterator4,
          typename OutputIterator1, typename OutputIterator2>
thrust::pair<OutputIterator1, OutputIterator2>
merge_by_key(InputIterator1 keys_first1, InputIterator1 keys_last1,
             InputIterator2 keys_first2, InputIterator2 keys_last2,
             InputIterator3 values_first1, InputIterator4 values_first2,
             OutputIterator1 keys_result, OutputIterator2 values_result) {
  return thrust::pair<OutputIterator1, OutputIterator2>(keys_result,
                                                        values_result);
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename InputIterator3,
          typename InputIterator4, typename OutputIterator1,
          typename OutputIterator2, typename Compare>
thrust::pair<OutputIterator1, OutputIterator2>
merge_by_key(const detail::execution_policy_base<DerivedPolicy> &exec,
             InputIterator1 keys_first1, InputIterator1 keys_last1,
             InputIterator2 keys_first2, InputIterator2 keys_last2,
             InputIterator3 values_first1, InputIterator4 values_first2,
             OutputIterator1 keys_result, OutputIterator2 values_result,
             Compare comp) {
  return thrust::pair<OutputIterator1, OutputIterator2>(keys_result,
                                                        values_result);
}
template <typename InputIterator1, typename InputIterator2,
          typename InputIterator3, typename InputIterator4,
          typename OutputIterator1, typename OutputIterator2,
          typename StrictWeakCompare>
thrust::pair<OutputIterator1, OutputIterator2>
merge_by_key(InputIterator1 keys_first1, InputIterator1 keys_last1,
             InputIterator2 keys_first2, InputIterator2 keys_last2,
             InputIterator3 values_first1, InputIterator4 values_first2,
             OutputIterator1 keys_result, OutputIterator2 values_result,
             StrictWeakCompare comp) {
  return thrust::pair<OutputIterator1, OutputIterator2>(keys_result,
                                                        values_result);
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_MERGE_H
