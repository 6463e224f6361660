//===- device_functions.h - Functions that kernels call ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The built-in variables and the device functions that small kernels use. Only
// host code is analyzed, so kernels only need to parse.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_DEVICE_FUNCTIONS_H
#define CUDAGRAPH_MOCK_DEVICE_FUNCTIONS_H

#include "device_intrinsics.h"
#include "texture_indirect_functions.h"
#include "vector_types.h"

#ifdef __CUDACC__

extern __device__ const uint3 threadIdx;
extern __device__ const uint3 blockIdx;
extern __device__ const dim3 blockDim;
extern __device__ const dim3 gridDim;
extern __device__ const int warpSize;

extern "C" {
__device__ void __syncthreads(void);
__device__ int __syncthreads_count(int predicate);
__device__ int __syncthreads_and(int predicate);
__device__ int __syncthreads_or(int predicate);
__device__ void __syncwarp(unsigned mask = 0xffffffff);
__device__ void __threadfence(void);
__device__ void __threadfence_block(void);
__device__ void __threadfence_system(void);
__device__ void __trap(void);
__device__ void __nanosleep(unsigned ns);
__device__ unsigned __activemask(void);
__device__ unsigned __ballot_sync(unsigned mask, int predicate);
__device__ int __any_sync(unsigned mask, int predicate);
__device__ int __all_sync(unsigned mask, int predicate);
__device__ int __popc(unsigned x);
__device__ int __clz(int x);
__device__ int __ffs(int x);
__device__ float __expf(float x);
__device__ float __logf(float x);
__device__ float __fdividef(float x, float y);
__device__ float __frcp_rn(float x);
__device__ float __int_as_float(int x);
__device__ int __float_as_int(float x);
}
__device__ int clock(void);
__device__ long long clock64(void);

// Mathematical functions that nvcc declares for the host and the device.
__host__ __device__ float rsqrtf(float x);
__host__ __device__ double rsqrt(double x);

template <class T> __device__ T __ldg(const T *ptr);
template <class T>
__device__ T __shfl_sync(unsigned mask, T var, int srcLane, int width = 32);
template <class T>
__device__ T __shfl_up_sync(unsigned mask, T var, unsigned delta,
                            int width = 32);
template <class T>
__device__ T __shfl_down_sync(unsigned mask, T var, unsigned delta,
                              int width = 32);
template <class T>
__device__ T __shfl_xor_sync(unsigned mask, T var, int laneMask,
                             int width = 32);

#define CUDAGRAPH_MOCK_ATOMIC(T)                                               \
  __device__ T atomicAdd(T *address, T val);                                   \
  __device__ T atomicExch(T *address, T val);
CUDAGRAPH_MOCK_ATOMIC(int)
CUDAGRAPH_MOCK_ATOMIC(unsigned int)
CUDAGRAPH_MOCK_ATOMIC(unsigned long long)
CUDAGRAPH_MOCK_ATOMIC(float)
CUDAGRAPH_MOCK_ATOMIC(double)
CUDAGRAPH_MOCK_ATOMIC(float2)
CUDAGRAPH_MOCK_ATOMIC(float4)
#undef CUDAGRAPH_MOCK_ATOMIC

#define CUDAGRAPH_MOCK_ATOMIC(T)                                               \
  __device__ T atomicSub(T *address, T val);                                   \
  __device__ T atomicMin(T *address, T val);                                   \
  __device__ T atomicMax(T *address, T val);                                   \
  __device__ T atomicAnd(T *address, T val);                                   \
  __device__ T atomicOr(T *address, T val);                                    \
  __device__ T atomicXor(T *address, T val);                                   \
  __device__ T atomicCAS(T *address, T compare, T val);
CUDAGRAPH_MOCK_ATOMIC(int)
CUDAGRAPH_MOCK_ATOMIC(unsigned int)
CUDAGRAPH_MOCK_ATOMIC(unsigned long long)
#undef CUDAGRAPH_MOCK_ATOMIC
__device__ long long atomicMin(long long *address, long long val);
__device__ long long atomicMax(long long *address, long long val);
__device__ unsigned short atomicCAS(unsigned short *address,
                                    unsigned short compare, unsigned short val);
__device__ unsigned int atomicInc(unsigned int *address, unsigned int val);
__device__ unsigned int atomicDec(unsigned int *address, unsigned int val);

// nvcc declares these without std:: for the host and the device.
#define CUDAGRAPH_MOCK_MINMAX(T)                                               \
  __host__ __device__ inline T min(T a, T b) { return a < b ? a : b; }         \
  __host__ __device__ inline T max(T a, T b) { return a < b ? b : a; }
CUDAGRAPH_MOCK_MINMAX(int)
CUDAGRAPH_MOCK_MINMAX(unsigned int)
CUDAGRAPH_MOCK_MINMAX(long)
CUDAGRAPH_MOCK_MINMAX(unsigned long)
CUDAGRAPH_MOCK_MINMAX(long long)
CUDAGRAPH_MOCK_MINMAX(unsigned long long)
CUDAGRAPH_MOCK_MINMAX(float)
CUDAGRAPH_MOCK_MINMAX(double)
#undef CUDAGRAPH_MOCK_MINMAX
#define CUDAGRAPH_MOCK_MINMAX(R, T, U)                                         \
  __host__ __device__ inline R min(T a, U b) { return min((R)a, (R)b); }       \
  __host__ __device__ inline R max(T a, U b) { return max((R)a, (R)b); }       \
  __host__ __device__ inline R min(U a, T b) { return min((R)a, (R)b); }       \
  __host__ __device__ inline R max(U a, T b) { return max((R)a, (R)b); }
CUDAGRAPH_MOCK_MINMAX(unsigned int, int, unsigned int)
CUDAGRAPH_MOCK_MINMAX(unsigned long, long, unsigned long)
CUDAGRAPH_MOCK_MINMAX(unsigned long long, long long, unsigned long long)
CUDAGRAPH_MOCK_MINMAX(double, float, double)
#undef CUDAGRAPH_MOCK_MINMAX

#endif // __CUDACC__

#endif // CUDAGRAPH_MOCK_DEVICE_FUNCTIONS_H
