//===- warp_reduce.cuh - Primitives of blocks and warps ------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_WARP_WARP_REDUCE_CUH
#define CUDAGRAPH_MOCK_CUB_WARP_WARP_REDUCE_CUH

#include "../block/block_primitives.cuh"

#endif // CUDAGRAPH_MOCK_CUB_WARP_WARP_REDUCE_CUH
