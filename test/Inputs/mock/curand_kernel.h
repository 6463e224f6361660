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

struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

struct curandStateMtgp32 {
  unsigned int offset;
};
typedef struct curandStateMtgp32 curandStateMtgp32_t;

struct curandStateSobol32 {
  unsigned int i, x, c;
  unsigned int direction_vectors[32];
};
typedef struct curandStateSobol32 curandStateSobol32_t;

struct curandStateScrambledSobol32 {
  unsigned int i, x, c;
  unsigned int direction_vectors[32];
};
typedef struct curandStateScrambledSobol32 curandStateScrambledSobol32_t;

struct curandStateSobol64 {
  unsigned long long i, x, c;
  unsigned long long direction_vectors[64];
};
typedef struct curandStateSobol64 curandStateSobol64_t;

#define CUDAGRAPH_MOCK_SEEDED(STATE)                                           \
  __device__ void curand_init(unsigned long long seed,                         \
                              unsigned long long subsequence,                  \
                              unsigned long long offset, STATE *state);
CUDAGRAPH_MOCK_SEEDED(curandStateXORWOW_t)
CUDAGRAPH_MOCK_SEEDED(curandStatePhilox4_32_10_t)
CUDAGRAPH_MOCK_SEEDED(curandStateMRG32k3a_t)
#undef CUDAGRAPH_MOCK_SEEDED
__device__ void curand_init(unsigned int *direction_vectors,
                            unsigned int offset, curandStateSobol32_t *state);
__device__ void curand_init(unsigned int *direction_vectors,
                            unsigned int scramble_c, unsigned int offset,
                            curandStateScrambledSobol32_t *state);
__device__ void curand_init(unsigned long long *direction_vectors,
                            unsigned int offset, curandStateSobol64_t *state);
__device__ unsigned long long curand(curandStateSobol64_t *state);

#define CUDAGRAPH_MOCK_GENERATOR(STATE)                                        \
  __device__ unsigned int curand(STATE *state);                                \
  CUDAGRAPH_MOCK_DRAWN(STATE)
#define CUDAGRAPH_MOCK_DRAWN(STATE)                                            \
  __device__ float curand_uniform(STATE *state);                               \
  __device__ double curand_uniform_double(STATE *state);                       \
  __device__ float curand_normal(STATE *state);                                \
  __device__ double curand_normal_double(STATE *state);                        \
  __device__ float curand_log_normal(STATE *state, float mean, float stddev);  \
  __device__ double curand_log_normal_double(STATE *state, double mean,        \
                                             double stddev);                   \
  __device__ unsigned int curand_poisson(STATE *state, double lambda);
CUDAGRAPH_MOCK_GENERATOR(curandStateXORWOW_t)
CUDAGRAPH_MOCK_GENERATOR(curandStatePhilox4_32_10_t)
CUDAGRAPH_MOCK_GENERATOR(curandStateMRG32k3a_t)
CUDAGRAPH_MOCK_GENERATOR(curandStateMtgp32_t)
CUDAGRAPH_MOCK_GENERATOR(curandStateSobol32_t)
CUDAGRAPH_MOCK_GENERATOR(curandStateScrambledSobol32_t)
CUDAGRAPH_MOCK_DRAWN(curandStateSobol64_t)
#undef CUDAGRAPH_MOCK_GENERATOR
#undef CUDAGRAPH_MOCK_DRAWN

#define CUDAGRAPH_MOCK_PAIRS(STATE)                                            \
  __device__ float2 curand_normal2(STATE *state);                              \
  __device__ double2 curand_normal2_double(STATE *state);                      \
  __device__ float2 curand_log_normal2(STATE *state, float mean, float stddev);
CUDAGRAPH_MOCK_PAIRS(curandStateXORWOW_t)
CUDAGRAPH_MOCK_PAIRS(curandStatePhilox4_32_10_t)
CUDAGRAPH_MOCK_PAIRS(curandStateMRG32k3a_t)
#undef CUDAGRAPH_MOCK_PAIRS
__device__ uint4 curand4(curandStatePhilox4_32_10_t *state);
__device__ float4 curand_uniform4(curandStatePhilox4_32_10_t *state);
__device__ double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state);
__device__ float4 curand_normal4(curandStatePhilox4_32_10_t *state);
__device__ uint4 curand_poisson4(curandStatePhilox4_32_10_t *state,
                                 double lambda);

template <class State>
__device__ void skipahead(unsigned long long n, State *state);
template <class State>
__device__ void skipahead_sequence(unsigned long long n, State *state);

#endif // CUDAGRAPH_MOCK_CURAND_KERNEL_H
