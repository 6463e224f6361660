//===- device_intrinsics.h - Instructions for kernels --------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device functions other than those of device_functions.h, which includes
// this file.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_DEVICE_INTRINSICS_H
#define CUDAGRAPH_MOCK_DEVICE_INTRINSICS_H

#include "vector_types.h"
#include <stddef.h>

#ifdef __CUDACC__

// Arithmetic, conversions, and video instructions.
__device__ unsigned int __ballot(int a);
__device__ unsigned int __brev(unsigned int a);
__device__ unsigned long long __brevll(unsigned long long a);
__device__ void __brkpt(void);
__device__ unsigned int __byte_perm(unsigned int a, unsigned int b,
                                    unsigned int c);
__device__ int __clzll(long long a);
__device__ double __dadd_rd(double a, double b);
__device__ double __dadd_rn(double a, double b);
__device__ double __dadd_ru(double a, double b);
__device__ double __dadd_rz(double a, double b);
__device__ double __ddiv_rd(double a, double b);
__device__ double __ddiv_rn(double a, double b);
__device__ double __ddiv_ru(double a, double b);
__device__ double __ddiv_rz(double a, double b);
__device__ double __dmul_rd(double a, double b);
__device__ double __dmul_rn(double a, double b);
__device__ double __dmul_ru(double a, double b);
__device__ double __dmul_rz(double a, double b);
__device__ float __double2float_rd(double a);
__device__ float __double2float_rn(double a);
__device__ float __double2float_ru(double a);
__device__ float __double2float_rz(double a);
__device__ int __double2hiint(double a);
__device__ int __double2int_rd(double a);
__device__ int __double2int_rn(double a);
__device__ int __double2int_ru(double a);
__device__ int __double2int_rz(double a);
__device__ long long __double2ll_rd(double a);
__device__ long long __double2ll_rn(double a);
__device__ long long __double2ll_ru(double a);
__device__ long long __double2ll_rz(double a);
__device__ int __double2loint(double a);
__device__ unsigned int __double2uint_rd(double a);
__device__ unsigned int __double2uint_rn(double a);
__device__ unsigned int __double2uint_ru(double a);
__device__ unsigned int __double2uint_rz(double a);
__device__ unsigned long long __double2ull_rd(double a);
__device__ unsigned long long __double2ull_rn(double a);
__device__ unsigned long long __double2ull_ru(double a);
__device__ unsigned long long __double2ull_rz(double a);
__device__ long long __double_as_longlong(double a);
__device__ double __drcp_rd(double a);
__device__ double __drcp_rn(double a);
__device__ double __drcp_ru(double a);
__device__ double __drcp_rz(double a);
__device__ double __dsqrt_rd(double a);
__device__ double __dsqrt_rn(double a);
__device__ double __dsqrt_ru(double a);
__device__ double __dsqrt_rz(double a);
__device__ double __dsub_rd(double a, double b);
__device__ double __dsub_rn(double a, double b);
__device__ double __dsub_ru(double a, double b);
__device__ double __dsub_rz(double a, double b);
__device__ float __fadd_rd(float a, float b);
__device__ float __fadd_rn(float a, float b);
__device__ float __fadd_ru(float a, float b);
__device__ float __fadd_rz(float a, float b);
__device__ float __fdiv_rd(float a, float b);
__device__ float __fdiv_rn(float a, float b);
__device__ float __fdiv_ru(float a, float b);
__device__ float __fdiv_rz(float a, float b);
__device__ int __ffsll(long long a);
__device__ int __float2int_rd(float a);
__device__ int __float2int_rn(float a);
__device__ int __float2int_ru(float a);
__device__ int __float2int_rz(float a);
__device__ long long __float2ll_rd(float a);
__device__ long long __float2ll_rn(float a);
__device__ long long __float2ll_ru(float a);
__device__ long long __float2ll_rz(float a);
__device__ unsigned int __float2uint_rd(float a);
__device__ unsigned int __float2uint_rn(float a);
__device__ unsigned int __float2uint_ru(float a);
__device__ unsigned int __float2uint_rz(float a);
__device__ unsigned long long __float2ull_rd(float a);
__device__ unsigned long long __float2ull_rn(float a);
__device__ unsigned long long __float2ull_ru(float a);
__device__ unsigned long long __float2ull_rz(float a);
__device__ unsigned int __float_as_uint(float a);
__device__ double __fma_rd(double a, double b, double c);
__device__ double __fma_rn(double a, double b, double c);
__device__ double __fma_ru(double a, double b, double c);
__device__ double __fma_rz(double a, double b, double c);
__device__ float __fmaf_ieee_rd(float a, float b, float c);
__device__ float __fmaf_ieee_rn(float a, float b, float c);
__device__ float __fmaf_ieee_ru(float a, float b, float c);
__device__ float __fmaf_ieee_rz(float a, float b, float c);
__device__ float __fmaf_rd(float a, float b, float c);
__device__ float __fmaf_rn(float a, float b, float c);
__device__ float __fmaf_ru(float a, float b, float c);
__device__ float __fmaf_rz(float a, float b, float c);
__device__ float __fmul_rd(float a, float b);
__device__ float __fmul_rn(float a, float b);
__device__ float __fmul_ru(float a, float b);
__device__ float __fmul_rz(float a, float b);
__device__ float __frcp_rd(float a);
__device__ float __frcp_ru(float a);
__device__ float __frcp_rz(float a);
__device__ float __frsqrt_rn(float a);
__device__ float __fsqrt_rd(float a);
__device__ float __fsqrt_rn(float a);
__device__ float __fsqrt_ru(float a);
__device__ float __fsqrt_rz(float a);
__device__ float __fsub_rd(float a, float b);
__device__ float __fsub_rn(float a, float b);
__device__ float __fsub_ru(float a, float b);
__device__ float __fsub_rz(float a, float b);
__device__ int __hadd(int a, int b);
__device__ double __hiloint2double(int a, int b);
__device__ double __int2double_rn(int a);
__device__ float __int2float_rd(int a);
__device__ float __int2float_rn(int a);
__device__ float __int2float_ru(int a);
__device__ float __int2float_rz(int a);
__device__ int __isfinited(double a);
__device__ double __ll2double_rd(long long a);
__device__ double __ll2double_rn(long long a);
__device__ double __ll2double_ru(long long a);
__device__ double __ll2double_rz(long long a);
__device__ float __ll2float_rd(long long a);
__device__ float __ll2float_rn(long long a);
__device__ float __ll2float_ru(long long a);
__device__ float __ll2float_rz(long long a);
__device__ double __longlong_as_double(long long a);
__device__ int __mul24(int a, int b);
__device__ long long __mul64hi(long long a, long long b);
__device__ int __mulhi(int a, int b);
__device__ int __popcll(unsigned long long a);
__device__ int __rhadd(int a, int b);
__device__ unsigned int __sad(int a, int b, unsigned int c);
__device__ float __saturatef(float a);
__device__ int __signbitd(double a);
__device__ unsigned int __uhadd(unsigned int a, unsigned int b);
__device__ double __uint2double_rn(unsigned int a);
__device__ float __uint2float_rd(unsigned int a);
__device__ float __uint2float_rn(unsigned int a);
__device__ float __uint2float_ru(unsigned int a);
__device__ float __uint2float_rz(unsigned int a);
__device__ float __uint_as_float(unsigned int a);
__device__ double __ull2double_rd(unsigned long long a);
__device__ double __ull2double_rn(unsigned long long a);
__device__ double __ull2double_ru(unsigned long long a);
__device__ double __ull2double_rz(unsigned long long a);
__device__ float __ull2float_rd(unsigned long long a);
__device__ float __ull2float_rn(unsigned long long a);
__device__ float __ull2float_ru(unsigned long long a);
__device__ float __ull2float_rz(unsigned long long a);
__device__ unsigned int __umul24(unsigned int a, unsigned int b);
__device__ unsigned long long __umul64hi(unsigned long long a,
                                         unsigned long long b);
__device__ unsigned int __umulhi(unsigned int a, unsigned int b);
__device__ unsigned int __urhadd(unsigned int a, unsigned int b);
__device__ unsigned int __usad(unsigned int a, unsigned int b, unsigned int c);
__device__ unsigned int __vabs2(unsigned int a);
__device__ unsigned int __vabs4(unsigned int a);
__device__ unsigned int __vabsdiffs2(unsigned int a, unsigned int b);
__device__ unsigned int __vabsdiffs4(unsigned int a, unsigned int b);
__device__ unsigned int __vabsdiffu2(unsigned int a, unsigned int b);
__device__ unsigned int __vabsdiffu4(unsigned int a, unsigned int b);
__device__ unsigned int __vabsss2(unsigned int a);
__device__ unsigned int __vabsss4(unsigned int a);
__device__ unsigned int __vadd2(unsigned int a, unsigned int b);
__device__ unsigned int __vadd4(unsigned int a, unsigned int b);
__device__ unsigned int __vaddss2(unsigned int a, unsigned int b);
__device__ unsigned int __vaddss4(unsigned int a, unsigned int b);
__device__ unsigned int __vaddus2(unsigned int a, unsigned int b);
__device__ unsigned int __vaddus4(unsigned int a, unsigned int b);
__device__ unsigned int __vavgs2(unsigned int a, unsigned int b);
__device__ unsigned int __vavgs4(unsigned int a, unsigned int b);
__device__ unsigned int __vavgu2(unsigned int a, unsigned int b);
__device__ unsigned int __vavgu4(unsigned int a, unsigned int b);
__device__ unsigned int __vseteq2(unsigned int a, unsigned int b);
__device__ unsigned int __vcmpeq2(unsigned int a, unsigned int b);
__device__ unsigned int __vseteq4(unsigned int a, unsigned int b);
__device__ unsigned int __vcmpeq4(unsigned int a, unsigned int b);
__device__ unsigned int __vsetges2(unsigned int a, unsigned int b);
__device__ unsigned int __vcmpges2(unsigned int a, unsigned int b);
__device__ unsigned int __vsetges4(unsigned int a, unsigned int b);
__device__ unsigned int __vcmpges4(unsigned int a, unsigned int b);
__device__ unsigned int __vsetgeu2(unsigned int a, unsigned int b);
__device__ unsigned int __vcmpgeu2(unsigned int a, unsigned int b);
__device__ unsigned int __vsetgeu4(unsigned int a, unsigned int b);
__device__ unsigned int __vcmpgeu4(unsigned int a, unsigned int b);
__device__ unsigned int __vsetgts2(unsigned int a, unsigned int b);
__device__ unsigned int __vcmpgts2(unsigned int a, unsigned int b);
__device__ unsigned int __vsetgts4(unsigned int a, unsigned int b);
__device__ unsigned int __vcmpgts4(unsigned int a, unsigned int b);
__device__ unsigned int __vsetgtu2(unsigned int a, unsigned int b);
__device__ unsigned int __vcmpgtu2(unsigned int a, unsigned int b);
__device__ unsigned int __vsetgtu4(unsigned int a, unsigned int b);
__device__ unsigned int __vcmpgtu4(unsigned int a, unsigned int b);
__device__ unsigned int __vsetles2(unsigned int a, unsigned int b);
__device__ unsigned int __vcmples2(unsigned int a, unsigned int b);
__device__ unsigned int __vsetles4(unsigned int a, unsigned int b);
__device__ unsigned int __vcmples4(unsigned int a, unsigned int b);
__device__ unsigned int __vsetleu2(unsigned int a, unsigned int b);
__device__ unsigned int __vcmpleu2(unsigned int a, unsigned int b);
__device__ unsigned int __vsetleu4(unsigned int a, unsigned int b);
__device__ unsigned int __vcmpleu4(unsigned int a, unsigned int b);
__device__ unsigned int __vsetlts2(unsigned int a, unsigned int b);
__device__ unsigned int __vcmplts2(unsigned int a, unsigned int b);
__device__ unsigned int __vsetlts4(unsigned int a, unsigned int b);
__device__ unsigned int __vcmplts4(unsigned int a, unsigned int b);
__device__ unsigned int __vsetltu2(unsigned int a, unsigned int b);
__device__ unsigned int __vcmpltu2(unsigned int a, unsigned int b);
__device__ unsigned int __vsetltu4(unsigned int a, unsigned int b);
__device__ unsigned int __vcmpltu4(unsigned int a, unsigned int b);
__device__ unsigned int __vsetne2(unsigned int a, unsigned int b);
__device__ unsigned int __vcmpne2(unsigned int a, unsigned int b);
__device__ unsigned int __vsetne4(unsigned int a, unsigned int b);
__device__ unsigned int __vcmpne4(unsigned int a, unsigned int b);
__device__ unsigned int __vhaddu2(unsigned int a, unsigned int b);
__device__ unsigned int __vhaddu4(unsigned int a, unsigned int b);
__device__ unsigned int __vmaxs2(unsigned int a, unsigned int b);
__device__ unsigned int __vmaxs4(unsigned int a, unsigned int b);
__device__ unsigned int __vmaxu2(unsigned int a, unsigned int b);
__device__ unsigned int __vmaxu4(unsigned int a, unsigned int b);
__device__ unsigned int __vmins2(unsigned int a, unsigned int b);
__device__ unsigned int __vmins4(unsigned int a, unsigned int b);
__device__ unsigned int __vminu2(unsigned int a, unsigned int b);
__device__ unsigned int __vminu4(unsigned int a, unsigned int b);
__device__ unsigned int __vsads2(unsigned int a, unsigned int b);
__device__ unsigned int __vsads4(unsigned int a, unsigned int b);
__device__ unsigned int __vsadu2(unsigned int a, unsigned int b);
__device__ unsigned int __vsadu4(unsigned int a, unsigned int b);
__device__ unsigned int __vsub2(unsigned int a, unsigned int b);
__device__ unsigned int __vneg2(unsigned int a);
__device__ unsigned int __vsub4(unsigned int a, unsigned int b);
__device__ unsigned int __vneg4(unsigned int a);
__device__ unsigned int __vsubss2(unsigned int a, unsigned int b);
__device__ unsigned int __vnegss2(unsigned int a);
__device__ unsigned int __vsubss4(unsigned int a, unsigned int b);
__device__ unsigned int __vnegss4(unsigned int a);
__device__ unsigned int __vsubus2(unsigned int a, unsigned int b);
__device__ unsigned int __vsubus4(unsigned int a, unsigned int b);
__device__ int clock(void);
__device__ int __vimax_s32_relu(const int a, const int b);
__device__ unsigned int __vimax_s16x2_relu(const unsigned int a,
                                           const unsigned int b);
__device__ int __vimin_s32_relu(const int a, const int b);
__device__ unsigned int __vimin_s16x2_relu(const unsigned int a,
                                           const unsigned int b);
__device__ int __vimax3_s32(const int a, const int b, const int c);
__device__ unsigned int __vimax3_s16x2(const unsigned int a,
                                       const unsigned int b,
                                       const unsigned int c);
__device__ unsigned int __vimax3_u32(const unsigned int a, const unsigned int b,
                                     const unsigned int c);
__device__ unsigned int __vimax3_u16x2(const unsigned int a,
                                       const unsigned int b,
                                       const unsigned int c);
__device__ int __vimin3_s32(const int a, const int b, const int c);
__device__ unsigned int __vimin3_s16x2(const unsigned int a,
                                       const unsigned int b,
                                       const unsigned int c);
__device__ unsigned int __vimin3_u32(const unsigned int a, const unsigned int b,
                                     const unsigned int c);
__device__ unsigned int __vimin3_u16x2(const unsigned int a,
                                       const unsigned int b,
                                       const unsigned int c);
__device__ int __vimax3_s32_relu(const int a, const int b, const int c);
__device__ unsigned int __vimax3_s16x2_relu(const unsigned int a,
                                            const unsigned int b,
                                            const unsigned int c);
__device__ int __vimin3_s32_relu(const int a, const int b, const int c);
__device__ unsigned int __vimin3_s16x2_relu(const unsigned int a,
                                            const unsigned int b,
                                            const unsigned int c);
__device__ int __viaddmax_s32(const int a, const int b, const int c);
__device__ unsigned int __viaddmax_s16x2(const unsigned int a,
                                         const unsigned int b,
                                         const unsigned int c);
__device__ unsigned int __viaddmax_u32(const unsigned int a,
                                       const unsigned int b,
                                       const unsigned int c);
__device__ unsigned int __viaddmax_u16x2(const unsigned int a,
                                         const unsigned int b,
                                         const unsigned int c);
__device__ int __viaddmin_s32(const int a, const int b, const int c);
__device__ unsigned int __viaddmin_s16x2(const unsigned int a,
                                         const unsigned int b,
                                         const unsigned int c);
__device__ unsigned int __viaddmin_u32(const unsigned int a,
                                       const unsigned int b,
                                       const unsigned int c);
__device__ unsigned int __viaddmin_u16x2(const unsigned int a,
                                         const unsigned int b,
                                         const unsigned int c);
__device__ int __viaddmax_s32_relu(const int a, const int b, const int c);
__device__ unsigned int __viaddmax_s16x2_relu(const unsigned int a,
                                              const unsigned int b,
                                              const unsigned int c);
__device__ int __viaddmin_s32_relu(const int a, const int b, const int c);
__device__ unsigned int __viaddmin_s16x2_relu(const unsigned int a,
                                              const unsigned int b,
                                              const unsigned int c);
__device__ int __vibmax_s32(const int a, const int b, bool *const pred);
__device__ unsigned int __vibmax_u32(const unsigned int a, const unsigned int b,
                                     bool *const pred);
__device__ int __vibmin_s32(const int a, const int b, bool *const pred);
__device__ unsigned int __vibmin_u32(const unsigned int a, const unsigned int b,
                                     bool *const pred);
__device__ unsigned int __vibmax_s16x2(const unsigned int a,
                                       const unsigned int b,
                                       bool *const pred_hi,
                                       bool *const pred_lo);
__device__ unsigned int __vibmax_u16x2(const unsigned int a,
                                       const unsigned int b,
                                       bool *const pred_hi,
                                       bool *const pred_lo);
__device__ unsigned int __vibmin_s16x2(const unsigned int a,
                                       const unsigned int b,
                                       bool *const pred_hi,
                                       bool *const pred_lo);
__device__ unsigned int __vibmin_u16x2(const unsigned int a,
                                       const unsigned int b,
                                       bool *const pred_hi,
                                       bool *const pred_lo);
__device__ unsigned int __isGridConstant(const void *ptr);
__device__ size_t __cvta_generic_to_global(const void *p);
__device__ size_t __cvta_generic_to_shared(const void *p);
__device__ size_t __cvta_generic_to_constant(const void *p);
__device__ size_t __cvta_generic_to_local(const void *p);
__device__ void *__cvta_global_to_generic(size_t rawbits);
__device__ void *__cvta_shared_to_generic(size_t rawbits);
__device__ void *__cvta_constant_to_generic(size_t rawbits);
__device__ void *__cvta_local_to_generic(size_t rawbits);
__device__ size_t __cvta_generic_to_grid_constant(const void *ptr);
__device__ void *__cvta_grid_constant_to_generic(size_t rawbits);
__device__ unsigned int __isGlobal(const void *p);
__device__ unsigned int __isShared(const void *p);
__device__ unsigned int __isConstant(const void *p);
__device__ unsigned int __isLocal(const void *p);
__device__ int __dp4a(int srcA, int srcB, int c);
__device__ unsigned int __dp4a(unsigned int srcA, unsigned int srcB,
                               unsigned int c);
__device__ int __dp2a_lo(int srcA, int srcB, int c);
__device__ unsigned int __dp2a_lo(unsigned int srcA, unsigned int srcB,
                                  unsigned int c);
__device__ int __dp2a_hi(int srcA, int srcB, int c);
__device__ unsigned int __dp2a_hi(unsigned int srcA, unsigned int srcB,
                                  unsigned int c);
__device__ void __barrier_sync(unsigned int id);
__device__ void __barrier_sync_count(unsigned int id, unsigned int count);
__device__ int __uni_sync(unsigned int mask, int pred);
__device__ unsigned int __fns(unsigned int mask, unsigned int base, int offset);
__device__ unsigned int __funnelshift_l(unsigned int low32, unsigned int high32,
                                        unsigned int shiftWidth);
__device__ unsigned int __funnelshift_lc(unsigned int low32,
                                         unsigned int high32,
                                         unsigned int shiftWidth);
__device__ unsigned int __funnelshift_r(unsigned int low32, unsigned int high32,
                                        unsigned int shiftWidth);
__device__ unsigned int __funnelshift_rc(unsigned int low32,
                                         unsigned int high32,
                                         unsigned int shiftWidth);
__device__ unsigned int __reduce_add_sync(unsigned int mask,
                                          unsigned int value);
__device__ unsigned int __reduce_min_sync(unsigned int mask,
                                          unsigned int value);
__device__ int __reduce_min_sync(unsigned int mask, int value);
__device__ unsigned int __reduce_max_sync(unsigned int mask,
                                          unsigned int value);
__device__ int __reduce_max_sync(unsigned int mask, int value);
__device__ unsigned int __reduce_or_sync(unsigned int mask, unsigned int value);
__device__ unsigned int __reduce_and_sync(unsigned int mask,
                                          unsigned int value);
__device__ unsigned int __reduce_xor_sync(unsigned int mask,
                                          unsigned int value);
__device__ unsigned int __isCtaShared(const void *ptr);
__device__ unsigned int __isClusterShared(const void *ptr);
__device__ void *__cluster_map_shared_rank(const void *ptr, unsigned int rank);
__device__ unsigned int __cluster_query_shared_rank(const void *ptr);
__device__ uint2 __cluster_map_shared_multicast(const void *ptr,
                                                unsigned int cluster_cta_mask);
__device__ unsigned int __clusterDimIsSpecified(void);
__device__ dim3 __clusterDim(void);
__device__ dim3 __clusterRelativeBlockIdx(void);
__device__ dim3 __clusterGridDimInClusters(void);
__device__ dim3 __clusterIdx(void);
__device__ unsigned int __clusterRelativeBlockRank(void);
__device__ unsigned int __clusterSizeInBlocks(void);
__device__ void __cluster_barrier_arrive(void);
__device__ void __cluster_barrier_arrive_relaxed(void);
__device__ void __cluster_barrier_wait(void);
__device__ void __threadfence_cluster(void);

// Mathematical functions that nvcc declares for host and device.
__host__ __device__ double cospi(double a);
__host__ __device__ float cospif(float a);
__host__ __device__ double cyl_bessel_i0(double a);
__host__ __device__ float cyl_bessel_i0f(float a);
__host__ __device__ double cyl_bessel_i1(double a);
__host__ __device__ float cyl_bessel_i1f(float a);
__host__ __device__ double erfcinv(double a);
__host__ __device__ float erfcinvf(float a);
__host__ __device__ double erfcx(double a);
__host__ __device__ float erfcxf(float a);
__host__ __device__ double erfinv(double a);
__host__ __device__ float erfinvf(float a);
__host__ __device__ double fdivide(double a, double b);
__host__ __device__ float fdividef(float a, float b);
__host__ __device__ long long llmax(long long a, long long b);
__host__ __device__ long long llmin(long long a, long long b);
__host__ __device__ double norm(int dim, const double *t);
__host__ __device__ double norm3d(double a, double b, double c);
__host__ __device__ float norm3df(float a, float b, float c);
__host__ __device__ double norm4d(double a, double b, double c, double d);
__host__ __device__ float norm4df(float a, float b, float c, float d);
__host__ __device__ double normcdf(double a);
__host__ __device__ float normcdff(float a);
__host__ __device__ double normcdfinv(double a);
__host__ __device__ float normcdfinvf(float a);
__host__ __device__ float normf(int dim, const float *t);
__host__ __device__ double rcbrt(double a);
__host__ __device__ float rcbrtf(float a);
__host__ __device__ double rhypot(double a, double b);
__host__ __device__ float rhypotf(float a, float b);
__host__ __device__ double rnorm(int a, const double *b);
__host__ __device__ double rnorm3d(double a, double b, double c);
__host__ __device__ float rnorm3df(float a, float b, float c);
__host__ __device__ double rnorm4d(double a, double b, double c, double d);
__host__ __device__ float rnorm4df(float a, float b, float c, float d);
__host__ __device__ float rnormf(int dim, const float *t);
__host__ __device__ void sincospi(double a, double *s, double *c);
__host__ __device__ void sincospif(float a, float *s, float *c);
__host__ __device__ double sinpi(double a);
__host__ __device__ float sinpif(float a);
__host__ __device__ unsigned long long ullmax(unsigned long long a,
                                              unsigned long long b);
__host__ __device__ unsigned long long ullmin(unsigned long long a,
                                              unsigned long long b);
__host__ __device__ unsigned int umax(unsigned int a, unsigned int b);
__host__ __device__ unsigned int umin(unsigned int a, unsigned int b);

// Votes, caches, and bits.
template <class T>
__device__ unsigned int __match_any_sync(unsigned mask, T value);
template <class T>
__device__ unsigned int __match_all_sync(unsigned mask, T value, int *pred);
#define CUDAGRAPH_MOCK_LOAD(NAME)                                              \
  template <class T> __device__ T NAME(const T *ptr);
CUDAGRAPH_MOCK_LOAD(__ldca)
CUDAGRAPH_MOCK_LOAD(__ldcg)
CUDAGRAPH_MOCK_LOAD(__ldcs)
CUDAGRAPH_MOCK_LOAD(__ldcv)
CUDAGRAPH_MOCK_LOAD(__ldlu)
#undef CUDAGRAPH_MOCK_LOAD
#define CUDAGRAPH_MOCK_STORE(NAME)                                             \
  template <class T> __device__ void NAME(T *ptr, T value);
CUDAGRAPH_MOCK_STORE(__stcg)
CUDAGRAPH_MOCK_STORE(__stcs)
CUDAGRAPH_MOCK_STORE(__stwb)
CUDAGRAPH_MOCK_STORE(__stwt)
#undef CUDAGRAPH_MOCK_STORE
__device__ unsigned short __nv_bswap16(unsigned short x);
__device__ unsigned int __nv_bswap32(unsigned int x);
__device__ unsigned long long __nv_bswap64(unsigned long long x);
__device__ void __prof_trigger(int x);

// Atomic operations with block scope and with system scope.
#define CUDAGRAPH_MOCK_SCOPED(NAME)                                            \
  template <class T, class U> __device__ T NAME##_block(T *address, U val);    \
  template <class T, class U> __device__ T NAME##_system(T *address, U val);
CUDAGRAPH_MOCK_SCOPED(atomicAdd)
CUDAGRAPH_MOCK_SCOPED(atomicAnd)
CUDAGRAPH_MOCK_SCOPED(atomicDec)
CUDAGRAPH_MOCK_SCOPED(atomicExch)
CUDAGRAPH_MOCK_SCOPED(atomicInc)
CUDAGRAPH_MOCK_SCOPED(atomicMax)
CUDAGRAPH_MOCK_SCOPED(atomicMin)
CUDAGRAPH_MOCK_SCOPED(atomicOr)
CUDAGRAPH_MOCK_SCOPED(atomicSub)
CUDAGRAPH_MOCK_SCOPED(atomicXor)
#undef CUDAGRAPH_MOCK_SCOPED
template <class T, class U, class V>
__device__ T atomicCAS_block(T *address, U compare, V val);
template <class T, class U, class V>
__device__ T atomicCAS_system(T *address, U compare, V val);

#endif // __CUDACC__

#endif // CUDAGRAPH_MOCK_DEVICE_INTRINSICS_H
