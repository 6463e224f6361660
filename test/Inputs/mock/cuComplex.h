//===- cuComplex.h - Complex numbers -------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUCOMPLEX_H
#define CUDAGRAPH_MOCK_CUCOMPLEX_H

#include "vector_types.h"
#include <math.h>

typedef float2 cuFloatComplex;
typedef float2 cuComplex;
typedef double2 cuDoubleComplex;

#define CUDAGRAPH_MOCK_COMPLEX(COMPLEX, REAL, MAKE, SUFFIX)                    \
  static inline __host__ __device__ COMPLEX MAKE(REAL r, REAL i) {             \
    COMPLEX v = {r, i};                                                        \
    return v;                                                                  \
  }                                                                            \
  static inline __host__ __device__ REAL cuCreal##SUFFIX(COMPLEX x) {          \
    return x.x;                                                                \
  }                                                                            \
  static inline __host__ __device__ REAL cuCimag##SUFFIX(COMPLEX x) {          \
    return x.y;                                                                \
  }                                                                            \
  static inline __host__ __device__ COMPLEX cuConj##SUFFIX(COMPLEX x) {        \
    return MAKE(x.x, -x.y);                                                    \
  }                                                                            \
  static inline __host__ __device__ COMPLEX cuCadd##SUFFIX(COMPLEX x,          \
                                                           COMPLEX y) {        \
    return MAKE(x.x + y.x, x.y + y.y);                                         \
  }                                                                            \
  static inline __host__ __device__ COMPLEX cuCsub##SUFFIX(COMPLEX x,          \
                                                           COMPLEX y) {        \
    return MAKE(x.x - y.x, x.y - y.y);                                         \
  }                                                                            \
  static inline __host__ __device__ COMPLEX cuCmul##SUFFIX(COMPLEX x,          \
                                                           COMPLEX y) {        \
    return MAKE(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);                 \
  }                                                                            \
  static inline __host__ __device__ COMPLEX cuCdiv##SUFFIX(COMPLEX x,          \
                                                           COMPLEX y) {        \
    REAL n = y.x * y.x + y.y * y.y;                                            \
    return MAKE((x.x * y.x + x.y * y.y) / n, (x.y * y.x - x.x * y.y) / n);     \
  }                                                                            \
  static inline __host__ __device__ REAL cuCabs##SUFFIX(COMPLEX x) {           \
    return (REAL)sqrt(x.x * x.x + x.y * x.y);                                  \
  }
CUDAGRAPH_MOCK_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, f)
CUDAGRAPH_MOCK_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, )
#undef CUDAGRAPH_MOCK_COMPLEX

static inline __host__ __device__ cuComplex make_cuComplex(float x, float y) {
  return make_cuFloatComplex(x, y);
}
static inline __host__ __device__ cuComplex cuCfmaf(cuComplex x, cuComplex y,
                                                    cuComplex d) {
  return cuCaddf(cuCmulf(x, y), d);
}
static inline __host__ __device__ cuDoubleComplex cuCfma(cuDoubleComplex x,
                                                         cuDoubleComplex y,
                                                         cuDoubleComplex d) {
  return cuCadd(cuCmul(x, y), d);
}
static inline __host__ __device__ cuDoubleComplex
cuComplexFloatToDouble(cuFloatComplex c) {
  return make_cuDoubleComplex(c.x, c.y);
}
static inline __host__ __device__ cuFloatComplex
cuComplexDoubleToFloat(cuDoubleComplex c) {
  return make_cuFloatComplex((float)c.x, (float)c.y);
}

#endif // CUDAGRAPH_MOCK_CUCOMPLEX_H
