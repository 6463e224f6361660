//===- inner_product.h - Products ----------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_INNER_PRODUCT_H
#define CUDAGRAPH_MOCK_THRUST_INNER_PRODUCT_H

#include "detail/common.h"

namespace thrust {
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputType>
OutputType
inner_product(const detail::execution_policy_base<DerivedPolicy> &exec,
              InputIterator1 first1, InputIterator1 last1,
              InputIterator2 first2, OutputType init) {
  return init;
}
template <typename InputIterator1, typename InputIterator2, typename OutputType>
OutputType inner_product(InputIterator1 first1, InputIterator1 last1,
                         InputIterator2 first2, OutputType init) {
  return init;
}
template <typename DerivedPolicy, typename InputIterator1,
          typename InputIterator2, typename OutputType,
          typename BinaryFunction1, typename BinaryFunction2>
OutputType
inner_product(const detail::execution_policy_base<DerivedPolicy> &exec,
              InputIterator1 first1, InputIterator1 last1,
              InputIterator2 first2, OutputType init,
              BinaryFunction1 binary_op1, BinaryFunction2 binary_op2) {
  return init;
}
template <typename InputIterator1, typename InputIterator2, typename OutputType,
          typename BinaryFunction1, typename BinaryFunction2>
OutputType inner_product(InputIterator1 first1, InputIterator1 last1,
                         InputIterator2 first2, OutputType init,
                         BinaryFunction1 binary_op1,
                         BinaryFunction2 binary_op2) {
  return init;
}
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_INNER_PRODUCT_H
