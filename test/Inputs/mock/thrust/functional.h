//===- functional.h - Function objects ------------------------ -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_FUNCTIONAL_H
#define CUDAGRAPH_MOCK_THRUST_FUNCTIONAL_H

#include "detail/common.h"

namespace thrust {

#define CUDAGRAPH_MOCK_OPERATOR(NAME, RESULT, EXPRESSION)                      \
  template <class T = void> struct NAME {                                      \
    __host__ __device__ RESULT operator()(const T &a, const T &b) const {      \
      return EXPRESSION;                                                       \
    }                                                                          \
  };                                                                           \
  template <> struct NAME<void> {                                              \
    template <class T, class U>                                                \
    __host__ __device__ auto operator()(const T &a, const U &b) const {        \
      return EXPRESSION;                                                       \
    }                                                                          \
  };
CUDAGRAPH_MOCK_OPERATOR(plus, T, a + b)
CUDAGRAPH_MOCK_OPERATOR(minus, T, a - b)
CUDAGRAPH_MOCK_OPERATOR(multiplies, T, a *b)
CUDAGRAPH_MOCK_OPERATOR(divides, T, a / b)
CUDAGRAPH_MOCK_OPERATOR(modulus, T, a % b)
CUDAGRAPH_MOCK_OPERATOR(bit_and, T, a &b)
CUDAGRAPH_MOCK_OPERATOR(bit_or, T, a | b)
CUDAGRAPH_MOCK_OPERATOR(bit_xor, T, a ^ b)
CUDAGRAPH_MOCK_OPERATOR(maximum, T, a < b ? b : a)
CUDAGRAPH_MOCK_OPERATOR(minimum, T, b < a ? b : a)
CUDAGRAPH_MOCK_OPERATOR(equal_to, bool, a == b)
CUDAGRAPH_MOCK_OPERATOR(not_equal_to, bool, a != b)
CUDAGRAPH_MOCK_OPERATOR(less, bool, a < b)
CUDAGRAPH_MOCK_OPERATOR(greater, bool, a > b)
CUDAGRAPH_MOCK_OPERATOR(less_equal, bool, a <= b)
CUDAGRAPH_MOCK_OPERATOR(greater_equal, bool, a >= b)
CUDAGRAPH_MOCK_OPERATOR(logical_and, bool, a &&b)
CUDAGRAPH_MOCK_OPERATOR(logical_or, bool, a || b)
#undef CUDAGRAPH_MOCK_OPERATOR

template <class T = void> struct identity {
  __host__ __device__ const T &operator()(const T &x) const { return x; }
};
template <class T = void> struct negate {
  __host__ __device__ T operator()(const T &x) const { return -x; }
};
template <class T = void> struct square {
  __host__ __device__ T operator()(const T &x) const { return x * x; }
};
template <class T = void> struct logical_not {
  __host__ __device__ bool operator()(const T &x) const { return !x; }
};
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_FUNCTIONAL_H
