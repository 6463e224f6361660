//===- cuda_awbarrier.h - Barriers of a block ----------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUDA_AWBARRIER_H
#define CUDAGRAPH_MOCK_CUDA_AWBARRIER_H

#include "cuda_awbarrier_primitives.h"

#ifdef __CUDACC__
namespace nvcuda {
namespace experimental {
struct awbarrier {
  struct arrival_token {
    __device__ uint32_t pending_count() const;
  };
  static __device__ constexpr uint32_t max() { return (1 << 20) - 1; }
  __device__ arrival_token arrive();
  __device__ arrival_token arrive_and_drop();
  __device__ bool timed_wait(arrival_token token, uint32_t hint_cycles);
  __device__ bool timed_wait_parity(bool phase, uint32_t hint_cycles);
  __device__ void wait(arrival_token token);
  __device__ void arrive_and_wait();
};
__device__ void init(awbarrier *barrier, uint32_t expected_count);
} // namespace experimental
} // namespace nvcuda
#endif

#endif // CUDAGRAPH_MOCK_CUDA_AWBARRIER_H
