//===- cuda_awbarrier_primitives.h - Barriers of a block ------ -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUDA_AWBARRIER_PRIMITIVES_H
#define CUDAGRAPH_MOCK_CUDA_AWBARRIER_PRIMITIVES_H

#include "host_defines.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;
__device__ uint32_t __mbarrier_maximum_count();
__device__ void __mbarrier_init(__mbarrier_t *barrier, uint32_t expected_count);
__device__ void __mbarrier_inval(__mbarrier_t *barrier);
__device__ __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier);
__device__ __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier);
__device__ bool __mbarrier_test_wait(__mbarrier_t *barrier,
                                     __mbarrier_token_t token);
__device__ uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token);
#endif

#endif // CUDAGRAPH_MOCK_CUDA_AWBARRIER_PRIMITIVES_H
