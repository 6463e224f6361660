//===- device_libc.h - The C library on the device ------------ -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the C library that kernels call. As in Clang's own CUDA
// headers, they are declared a second time for the device, before the library's
// own declarations, so that <cmath> adds both to namespace std.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_DEVICE_LIBC_H
#define CUDAGRAPH_MOCK_DEVICE_LIBC_H

#include "host_defines.h"
#include <stddef.h>

#ifdef __CUDACC__

#define CUDAGRAPH_MOCK_MATH1(NAME)                                             \
  __device__ double NAME(double);                                              \
  __device__ float NAME(float);                                                \
  __device__ float NAME##f(float);
#define CUDAGRAPH_MOCK_MATH2(NAME)                                             \
  __device__ double NAME(double, double);                                      \
  __device__ float NAME(float, float);                                         \
  __device__ float NAME##f(float, float);

CUDAGRAPH_MOCK_MATH1(acos)
CUDAGRAPH_MOCK_MATH1(acosh)
CUDAGRAPH_MOCK_MATH1(asin)
CUDAGRAPH_MOCK_MATH1(asinh)
CUDAGRAPH_MOCK_MATH1(atan)
CUDAGRAPH_MOCK_MATH1(atanh)
CUDAGRAPH_MOCK_MATH1(cbrt)
CUDAGRAPH_MOCK_MATH1(ceil)
CUDAGRAPH_MOCK_MATH1(cos)
CUDAGRAPH_MOCK_MATH1(cosh)
CUDAGRAPH_MOCK_MATH1(erf)
CUDAGRAPH_MOCK_MATH1(erfc)
CUDAGRAPH_MOCK_MATH1(exp)
CUDAGRAPH_MOCK_MATH1(exp2)
CUDAGRAPH_MOCK_MATH1(expm1)
CUDAGRAPH_MOCK_MATH1(fabs)
CUDAGRAPH_MOCK_MATH1(floor)
CUDAGRAPH_MOCK_MATH1(log)
CUDAGRAPH_MOCK_MATH1(log10)
CUDAGRAPH_MOCK_MATH1(log1p)
CUDAGRAPH_MOCK_MATH1(log2)
CUDAGRAPH_MOCK_MATH1(nearbyint)
CUDAGRAPH_MOCK_MATH1(rint)
CUDAGRAPH_MOCK_MATH1(round)
CUDAGRAPH_MOCK_MATH1(sin)
CUDAGRAPH_MOCK_MATH1(sinh)
CUDAGRAPH_MOCK_MATH1(sqrt)
CUDAGRAPH_MOCK_MATH1(tan)
CUDAGRAPH_MOCK_MATH1(tanh)
CUDAGRAPH_MOCK_MATH1(tgamma)
CUDAGRAPH_MOCK_MATH1(lgamma)
CUDAGRAPH_MOCK_MATH1(trunc)
CUDAGRAPH_MOCK_MATH2(atan2)
CUDAGRAPH_MOCK_MATH2(copysign)
CUDAGRAPH_MOCK_MATH2(fdim)
CUDAGRAPH_MOCK_MATH2(fmax)
CUDAGRAPH_MOCK_MATH2(fmin)
CUDAGRAPH_MOCK_MATH2(fmod)
CUDAGRAPH_MOCK_MATH2(hypot)
CUDAGRAPH_MOCK_MATH2(pow)
CUDAGRAPH_MOCK_MATH2(remainder)
#undef CUDAGRAPH_MOCK_MATH1
#undef CUDAGRAPH_MOCK_MATH2
#define CUDAGRAPH_MOCK_PARTS(NAME, D, F, ...)                                  \
  __device__ D NAME(double, ##__VA_ARGS__);                                    \
  __device__ F NAME(float, ##__VA_ARGS__);                                     \
  __device__ F NAME##f(float, ##__VA_ARGS__);
CUDAGRAPH_MOCK_PARTS(exp10, double, float)
CUDAGRAPH_MOCK_PARTS(frexp, double, float, int *)
CUDAGRAPH_MOCK_PARTS(ilogb, int, int)
CUDAGRAPH_MOCK_PARTS(ldexp, double, float, int)
CUDAGRAPH_MOCK_PARTS(llrint, long long, long long)
CUDAGRAPH_MOCK_PARTS(llround, long long, long long)
CUDAGRAPH_MOCK_PARTS(logb, double, float)
CUDAGRAPH_MOCK_PARTS(lrint, long, long)
CUDAGRAPH_MOCK_PARTS(lround, long, long)
CUDAGRAPH_MOCK_PARTS(scalbln, double, float, long)
CUDAGRAPH_MOCK_PARTS(scalbn, double, float, int)
#undef CUDAGRAPH_MOCK_PARTS
__device__ double modf(double, double *);
__device__ float modf(float, float *);
__device__ float modff(float, float *);
__device__ double nextafter(double, double);
__device__ float nextafter(float, float);
__device__ float nextafterf(float, float);
__device__ double remquo(double, double, int *);
__device__ float remquo(float, float, int *);
__device__ float remquof(float, float, int *);
__device__ double nan(const char *);
__device__ float nanf(const char *);
__device__ void sincos(double, double *, double *);
__device__ void sincos(float, float *, float *);
__device__ void sincosf(float, float *, float *);
__device__ double j0(double);
__device__ float j0f(float);
__device__ double j1(double);
__device__ float j1f(float);
__device__ double jn(int, double);
__device__ float jnf(int, float);
__device__ double y0(double);
__device__ float y0f(float);
__device__ double y1(double);
__device__ float y1f(float);
__device__ double yn(int, double);
__device__ float ynf(int, float);
__device__ double fma(double, double, double);
__device__ float fma(float, float, float);
__device__ float fmaf(float, float, float);
// glibc has host functions with these names.
__device__ int __finite(double);
__device__ int __finitef(float);
__device__ int __isinf(double);
__device__ int __isinff(float);
__device__ int __isnan(double);
__device__ int __isnanf(float);
__device__ float __cosf(float);
__device__ float __exp10f(float);
__device__ float __log10f(float);
__device__ float __log2f(float);
__device__ float __powf(float, float);
__device__ float __sinf(float);
__device__ float __tanf(float);
__device__ void __sincosf(float, float *, float *);
__device__ int abs(int);
__device__ long abs(long);
__device__ long long abs(long long);
__device__ long labs(long);
__device__ long long llabs(long long);

extern "C" {
__device__ int printf(const char *, ...);
__device__ void *malloc(size_t);
__device__ void free(void *);
__device__ void *memcpy(void *, const void *, size_t);
__device__ void *memset(void *, int, size_t);
__device__ void __assert_fail(const char *, const char *, unsigned,
                              const char *);
}

#endif // __CUDACC__

#endif // CUDAGRAPH_MOCK_DEVICE_LIBC_H
