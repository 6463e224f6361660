//===- random.h - Random numbers ------------------------------ -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_THRUST_RANDOM_H
#define CUDAGRAPH_MOCK_THRUST_RANDOM_H

#include "detail/common.h"

namespace thrust {
namespace random {

struct default_random_engine {
  typedef unsigned int result_type;
  __host__ __device__ explicit default_random_engine(unsigned int seed = 1);
  __host__ __device__ void seed(unsigned int s = 1);
  __host__ __device__ unsigned int operator()();
  __host__ __device__ void discard(unsigned long long z);
};
typedef default_random_engine minstd_rand;
typedef default_random_engine taus88;
typedef default_random_engine ranlux24;

#define CUDAGRAPH_MOCK_DISTRIBUTION(NAME, DEFAULT)                             \
  template <class T = DEFAULT> struct NAME {                                   \
    typedef T result_type;                                                     \
    __host__ __device__ explicit NAME(T a = 0, T b = 1);                       \
    template <class Engine> __host__ __device__ T operator()(Engine &engine);  \
  };
CUDAGRAPH_MOCK_DISTRIBUTION(uniform_int_distribution, int)
CUDAGRAPH_MOCK_DISTRIBUTION(uniform_real_distribution, double)
CUDAGRAPH_MOCK_DISTRIBUTION(normal_distribution, double)
#undef CUDAGRAPH_MOCK_DISTRIBUTION

} // namespace random
using namespace random;
} // namespace thrust

#endif // CUDAGRAPH_MOCK_THRUST_RANDOM_H
