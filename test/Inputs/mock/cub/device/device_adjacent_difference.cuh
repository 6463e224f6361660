//===- device_adjacent_difference.cuh - Differences ----------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_ADJACENT_DIFFERENCE_CUH
#define CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_ADJACENT_DIFFERENCE_CUH

#include "../util_type.cuh"
#include "cuda_runtime.h"

namespace cub {

struct DeviceAdjacentDifference {};

} // namespace cub

#endif // CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_ADJACENT_DIFFERENCE_CUH
