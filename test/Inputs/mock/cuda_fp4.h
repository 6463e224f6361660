//===- cuda_fp4.h - 4-bit floating point ---------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUDA_FP4_H
#define CUDAGRAPH_MOCK_CUDA_FP4_H

#include "cuda_fp8.h"

typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp4x4_storage_t;
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

#ifdef __cplusplus

struct __align__(1) __nv_fp4_e2m1 {
public:
  __nv_fp4_storage_t __x;
  __nv_fp4_e2m1() = default;
  __host__ __device__ explicit __nv_fp4_e2m1(const __half f);
  __host__ __device__ explicit __nv_fp4_e2m1(const __nv_bfloat16 f);
  __host__ __device__ explicit __nv_fp4_e2m1(const float f);
  __host__ __device__ explicit __nv_fp4_e2m1(const double f);
  __host__ __device__ explicit __nv_fp4_e2m1(const unsigned short val);
  __host__ __device__ explicit __nv_fp4_e2m1(const unsigned int val);
  __host__ __device__ explicit __nv_fp4_e2m1(const unsigned long val);
  __host__ __device__ explicit __nv_fp4_e2m1(const unsigned long long val);
  __host__ __device__ explicit __nv_fp4_e2m1(const short val);
  __host__ __device__ explicit __nv_fp4_e2m1(const int val);
  __host__ __device__ explicit __nv_fp4_e2m1(const long val);
  __host__ __device__ explicit __nv_fp4_e2m1(const long long val);
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

struct __align__(1) __nv_fp4x2_e2m1 {
public:
  __nv_fp4x2_storage_t __x;
  __nv_fp4x2_e2m1() = default;
  __host__ __device__ explicit __nv_fp4x2_e2m1(const __half2 f);
  __host__ __device__ explicit __nv_fp4x2_e2m1(const __nv_bfloat162 f);
  __host__ __device__ explicit __nv_fp4x2_e2m1(const float2 f);
  __host__ __device__ explicit __nv_fp4x2_e2m1(const double2 f);
  __host__ __device__ explicit operator __half2() const;
  __host__ __device__ explicit operator float2() const;
};

struct __align__(2) __nv_fp4x4_e2m1 {
public:
  __nv_fp4x4_storage_t __x;
  __nv_fp4x4_e2m1() = default;
  __host__ __device__ explicit __nv_fp4x4_e2m1(const __half2 flo,
                                               const __half2 fhi);
  __host__ __device__ explicit __nv_fp4x4_e2m1(const __nv_bfloat162 flo,
                                               const __nv_bfloat162 fhi);
  __host__ __device__ explicit __nv_fp4x4_e2m1(const float4 f);
  __host__ __device__ explicit __nv_fp4x4_e2m1(const double4 f);
  __host__ __device__ explicit __nv_fp4x4_e2m1(const double4_16a f);
  __host__ __device__ explicit __nv_fp4x4_e2m1(const double4_32a f);
  __host__ __device__ explicit operator float4() const;
};

__host__ __device__ __nv_fp4_storage_t __nv_cvt_double_to_fp4(
    const double x, const __nv_fp4_interpretation_t fp4_interpretation,
    const enum cudaRoundMode rounding);
__host__ __device__ __nv_fp4x2_storage_t __nv_cvt_double2_to_fp4x2(
    const double2 x, const __nv_fp4_interpretation_t fp4_interpretation,
    const enum cudaRoundMode rounding);
__host__ __device__ __nv_fp4_storage_t __nv_cvt_float_to_fp4(
    const float x, const __nv_fp4_interpretation_t fp4_interpretation,
    const enum cudaRoundMode rounding);
__host__ __device__ __nv_fp4x2_storage_t __nv_cvt_float2_to_fp4x2(
    const float2 x, const __nv_fp4_interpretation_t fp4_interpretation,
    const enum cudaRoundMode rounding);
__host__ __device__ __nv_fp4_storage_t __nv_cvt_halfraw_to_fp4(
    const __half_raw x, const __nv_fp4_interpretation_t fp4_interpretation,
    const enum cudaRoundMode rounding);
__host__ __device__ __nv_fp4x2_storage_t __nv_cvt_halfraw2_to_fp4x2(
    const __half2_raw x, const __nv_fp4_interpretation_t fp4_interpretation,
    const enum cudaRoundMode rounding);
__host__ __device__ __nv_fp4_storage_t
__nv_cvt_bfloat16raw_to_fp4(const __nv_bfloat16_raw x,
                            const __nv_fp4_interpretation_t fp4_interpretation,
                            const enum cudaRoundMode rounding);
__host__ __device__ __nv_fp4x2_storage_t __nv_cvt_bfloat16raw2_to_fp4x2(
    const __nv_bfloat162_raw x,
    const __nv_fp4_interpretation_t fp4_interpretation,
    const enum cudaRoundMode rounding);
__host__ __device__ __half_raw
__nv_cvt_fp4_to_halfraw(const __nv_fp4_storage_t x,
                        const __nv_fp4_interpretation_t fp4_interpretation);
__host__ __device__ __half2_raw
__nv_cvt_fp4x2_to_halfraw2(const __nv_fp4x2_storage_t x,
                           const __nv_fp4_interpretation_t fp4_interpretation);

#endif // __cplusplus

#endif // CUDAGRAPH_MOCK_CUDA_FP4_H
