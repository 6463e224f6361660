//===- curand_kernel.h - Random numbers in kernels ------------ -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CURAND_KERNEL_H
#define CUDAGRAPH_MOCK_CURAND_KERNEL_H

#include "curand.h"
#include "host_defines.h"

struct curandStateXORWOW {
  unsigned int d, v[5];
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

struct curandStatePhilox4_32_10 {
  unsigned int STATE;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

__device__ void curand_init(unsigned long long seed,
                            unsigned long long subsequence,
                            unsigned long long offset,
                            curandStateXORWOW_t *state);
__device__ void curand_init(unsigned long long seed,
                            unsigned long long subsequence,
                            unsigned long long offset,
                            curandStatePhilox4_32_10_t *state);
__device__ unsigned int curand(curandStateXORWOW_t *state);
__device__ unsigned int curand(curandStatePhilox4_32_10_t *state);
__device__ float curand_uniform(curandStateXORWOW_t *state);
__device__ float curand_uniform(curandStatePhilox4_32_10_t *state);

#endif // CUDAGRAPH_MOCK_CURAND_KERNEL_H
