//===- util_type.cuh - Types of CUB --------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_UTIL_TYPE_CUH
#define CUDAGRAPH_MOCK_CUB_UTIL_TYPE_CUH

#include "../cuda/std/array"
#include "../cuda/std/functional"
#include "../cuda/std/type_traits"
#include "cuda_runtime.h"
#include <stddef.h>
#include <stdint.h>

namespace cub {

template <class T> struct DoubleBuffer {
  T *d_buffers[2];
  int selector;
  __host__ __device__ DoubleBuffer() : d_buffers{}, selector(0) {}
  __host__ __device__ DoubleBuffer(T *d_current, T *d_alternate)
      : d_buffers{d_current, d_alternate}, selector(0) {}
  __host__ __device__ T *Current() { return d_buffers[selector]; }
  __host__ __device__ T *Alternate() { return d_buffers[selector ^ 1]; }
};

template <class K, class V> struct KeyValuePair {
  typedef K Key;
  typedef V Value;
  Key key;
  Value value;
};

struct NullType {};

// CUDA 13 uses the function objects of cuda::std instead.
#if CUDAGRAPH_MOCK_CUDA_VERSION < 13000
struct Equality {
  template <class T, class U>
  __host__ __device__ bool operator()(T &&t, U &&u) const {
    return t == u;
  }
};
struct Sum {
  template <class T, class U>
  __host__ __device__ auto operator()(T &&t, U &&u) const {
    return t + u;
  }
};
struct Max {
  template <class T> __host__ __device__ T operator()(T t, T u) const {
    return t < u ? u : t;
  }
};
struct Min {
  template <class T> __host__ __device__ T operator()(T t, T u) const {
    return u < t ? u : t;
  }
};
struct ArgMax {
  template <class T> __host__ __device__ T operator()(T t, T u) const {
    return t.value < u.value ? u : t;
  }
};
struct ArgMin {
  template <class T> __host__ __device__ T operator()(T t, T u) const {
    return u.value < t.value ? u : t;
  }
};
#endif

} // namespace cub

#endif // CUDAGRAPH_MOCK_CUB_UTIL_TYPE_CUH
