//===- cuda_fp6.h - 6-bit floating point ---------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUDA_FP6_H
#define CUDAGRAPH_MOCK_CUDA_FP6_H

#include "cuda_fp8.h"

typedef __nv_fp8_storage_t __nv_fp6_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp6x2_storage_t;
typedef __nv_fp8x4_storage_t __nv_fp6x4_storage_t;
typedef enum __nv_fp6_interpretation_t {
  __NV_E2M3,
  __NV_E3M2
} __nv_fp6_interpretation_t;

#ifdef __cplusplus

struct __align__(1) __nv_fp6_e3m2 {
public:
  __nv_fp6_storage_t __x;
  __nv_fp6_e3m2() = default;
  __host__ __device__ explicit __nv_fp6_e3m2(const __half f);
  __host__ __device__ explicit __nv_fp6_e3m2(const __nv_bfloat16 f);
  __host__ __device__ explicit __nv_fp6_e3m2(const float f);
  __host__ __device__ explicit __nv_fp6_e3m2(const double f);
  __host__ __device__ explicit __nv_fp6_e3m2(const unsigned short val);
  __host__ __device__ explicit __nv_fp6_e3m2(const unsigned int val);
  __host__ __device__ explicit __nv_fp6_e3m2(const unsigned long val);
  __host__ __device__ explicit __nv_fp6_e3m2(const unsigned long long val);
  __host__ __device__ explicit __nv_fp6_e3m2(const short val);
  __host__ __device__ explicit __nv_fp6_e3m2(const int val);
  __host__ __device__ explicit __nv_fp6_e3m2(const long val);
  __host__ __device__ explicit __nv_fp6_e3m2(const long long val);
  __host__ __device__ explicit operator __half() const;
  __host__ __device__ explicit operator float() const;
  __host__ __device__ explicit operator __nv_bfloat16() const;
  __host__ __device__ explicit operator double() const;
  __host__ __device__ explicit operator unsigned char() const;
  __host__ __device__ explicit operator unsigned short() const;
  __host__ __device__ explicit operator unsigned int() const;
  __host__ __device__ explicit operator unsigned long() const;
  __host__ __device__ explicit operator unsigned long long() const;
  __host__ __device__ explicit operator signed char() const;
  __host__ __device__ explicit operator char() const;
  __host__ __device__ explicit operator short() const;
  __host__ __device__ explicit operator int() const;
  __host__ __device__ explicit operator long() const;
  __host__ __device__ explicit operator long long() const;
  __host__ __device__ explicit operator bool() const;
};

struct __align__(2) __nv_fp6x2_e3m2 {
public:
  __nv_fp6x2_storage_t __x;
  __nv_fp6x2_e3m2() = default;
  __host__ __device__ explicit __nv_fp6x2_e3m2(const __half2 f);
  __host__ __device__ explicit __nv_fp6x2_e3m2(const __nv_bfloat162 f);
  __host__ __device__ explicit __nv_fp6x2_e3m2(const float2 f);
  __host__ __device__ explicit __nv_fp6x2_e3m2(const double2 f);
  __host__ __device__ explicit operator __half2() const;
  __host__ __device__ explicit operator float2() const;
};

struct __align__(4) __nv_fp6x4_e3m2 {
public:
  __nv_fp6x4_storage_t __x;
  __nv_fp6x4_e3m2() = default;
  __host__ __device__ explicit __nv_fp6x4_e3m2(const __half2 flo,
                                               const __half2 fhi);
  __host__ __device__ explicit __nv_fp6x4_e3m2(const __nv_bfloat162 flo,
                                               const __nv_bfloat162 fhi);
  __host__ __device__ explicit __nv_fp6x4_e3m2(const float4 f);
  __host__ __device__ explicit __nv_fp6x4_e3m2(const double4 f);
  __host__ __device__ explicit __nv_fp6x4_e3m2(const double4_16a f);
  __host__ __device__ explicit __nv_fp6x4_e3m2(const double4_32a f);
  __host__ __device__ explicit operator float4() const;
};

struct __align__(1) __nv_fp6_e2m3 {
public:
  __nv_fp6_storage_t __x;
  __nv_fp6_e2m3() = default;
  __host__ __device__ explicit __nv_fp6_e2m3(const __half f);
  __host__ __device__ explicit __nv_fp6_e2m3(const __nv_bfloat16 f);
  __host__ __device__ explicit __nv_fp6_e2m3(const float f);
  __host__ __device__ explicit __nv_fp6_e2m3(const double f);
  __host__ __device__ explicit __nv_fp6_e2m3(const unsigned short val);
  __host__ __device__ explicit __nv_fp6_e2m3(const unsigned int val);
  __host__ __device__ explicit __nv_fp6_e2m3(const unsigned long val);
  __host__ __device__ explicit __nv_fp6_e2m3(const unsigned long long val);
  __host__ __device__ explicit __nv_fp6_e2m3(const short val);
  __host__ __device__ explicit __nv_fp6_e2m3(const int val);
  __host__ __device__ explicit __nv_fp6_e2m3(const long val);
  __host__ __device__ explicit __nv_fp6_e2m3(const long long val);
  __host__ __device__ explicit operator __half() const;
  __host__ __device__ explicit operator float() const;
  __host__ __device__ explicit operator __nv_bfloat16() const;
  __host__ __device__ explicit operator double() const;
  __host__ __device__ explicit operator unsigned char() const;
  __host__ __device__ explicit operator unsigned short() const;
  __host__ __device__ explicit operator unsigned int() const;
  __host__ __device__ explicit operator unsigned long() const;
  __host__ __device__ explicit operator unsigned long long() const;
  __host__ __device__ explicit operator signed char() const;
  __host__ __device__ explicit operator char() const;
  __host__ __device__ explicit operator short() const;
  __host__ __device__ explicit operator int() const;
  __host__ __device__ explicit operator long() const;
  __host__ __device__ explicit operator long long() const;
  __host__ __device__ explicit operator bool() const;
};

struct __align__(2) __nv_fp6x2_e2m3 {
public:
  __nv_fp6x2_storage_t __x;
  __nv_fp6x2_e2m3() = default;
  __host__ __device__ explicit __nv_fp6x2_e2m3(const __half2 f);
  __host__ __device__ explicit __nv_fp6x2_e2m3(const __nv_bfloat162 f);
  __host__ __device__ explicit __nv_fp6x2_e2m3(const float2 f);
  __host__ __device__ explicit __nv_fp6x2_e2m3(const double2 f);
  __host__ __device__ explicit operator __half2() const;
  __host__ __device__ explicit operator float2() const;
};

struct __align__(4) __nv_fp6x4_e2m3 {
public:
  __nv_fp6x4_storage_t __x;
  __nv_fp6x4_e2m3() = default;
  __host__ __device__ explicit __nv_fp6x4_e2m3(const __half2 flo,
                                               const __half2 fhi);
  __host__ __device__ explicit __nv_fp6x4_e2m3(const __nv_bfloat162 flo,
                                               const __nv_bfloat162 fhi);
  __host__ __device__ explicit __nv_fp6x4_e2m3(const float4 f);
  __host__ __device__ explicit __nv_fp6x4_e2m3(const double4 f);
  __host__ __device__ explicit __nv_fp6x4_e2m3(const double4_16a f);
  __host__ __device__ explicit __nv_fp6x4_e2m3(const double4_32a f);
  __host__ __device__ explicit operator float4() const;
};

__host__ __device__ __nv_fp6_storage_t __nv_cvt_double_to_fp6(
    const double x, const __nv_fp6_interpretation_t fp6_interpretation,
    const enum cudaRoundMode rounding);
__host__ __device__ __nv_fp6x2_storage_t __nv_cvt_double2_to_fp6x2(
    const double2 x, const __nv_fp6_interpretation_t fp6_interpretation,
    const enum cudaRoundMode rounding);
__host__ __device__ __nv_fp6_storage_t __nv_cvt_float_to_fp6(
    const float x, const __nv_fp6_interpretation_t fp6_interpretation,
    const enum cudaRoundMode rounding);
__host__ __device__ __nv_fp6x2_storage_t __nv_cvt_float2_to_fp6x2(
    const float2 x, const __nv_fp6_interpretation_t fp6_interpretation,
    const enum cudaRoundMode rounding);
__host__ __device__ __nv_fp6_storage_t __nv_cvt_halfraw_to_fp6(
    const __half_raw x, const __nv_fp6_interpretation_t fp6_interpretation,
    const enum cudaRoundMode rounding);
__host__ __device__ __nv_fp6x2_storage_t __nv_cvt_halfraw2_to_fp6x2(
    const __half2_raw x, const __nv_fp6_interpretation_t fp6_interpretation,
    const enum cudaRoundMode rounding);
__host__ __device__ __nv_fp6_storage_t
__nv_cvt_bfloat16raw_to_fp6(const __nv_bfloat16_raw x,
                            const __nv_fp6_interpretation_t fp6_interpretation,
                            const enum cudaRoundMode rounding);
__host__ __device__ __nv_fp6x2_storage_t __nv_cvt_bfloat16raw2_to_fp6x2(
    const __nv_bfloat162_raw x,
    const __nv_fp6_interpretation_t fp6_interpretation,
    const enum cudaRoundMode rounding);
__host__ __device__ __half_raw
__nv_cvt_fp6_to_halfraw(const __nv_fp6_storage_t x,
                        const __nv_fp6_interpretation_t fp6_interpretation);
__host__ __device__ __half2_raw
__nv_cvt_fp6x2_to_halfraw2(const __nv_fp6x2_storage_t x,
                           const __nv_fp6_interpretation_t fp6_interpretation);

#endif // __cplusplus

#endif // CUDAGRAPH_MOCK_CUDA_FP6_H
