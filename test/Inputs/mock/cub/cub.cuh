//===- cub.cuh - All of CUB ----------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_CUB_CUH
#define CUDAGRAPH_MOCK_CUB_CUB_CUH

#include "block/block_primitives.cuh"
#include "device/device_adjacent_difference.cuh"
#include "device/device_copy.cuh"
#include "device/device_for.cuh"
#include "device/device_histogram.cuh"
#include "device/device_memcpy.cuh"
#include "device/device_merge.cuh"
#include "device/device_merge_sort.cuh"
#include "device/device_partition.cuh"
#include "device/device_radix_sort.cuh"
#include "device/device_reduce.cuh"
#include "device/device_run_length_encode.cuh"
#include "device/device_scan.cuh"
#include "device/device_segmented_radix_sort.cuh"
#include "device/device_segmented_reduce.cuh"
#include "device/device_segmented_sort.cuh"
#include "device/device_select.cuh"
#include "device/device_transform.cuh"
#include "util_allocator.cuh"
#include "util_device.cuh"
#include "util_type.cuh"
#include "version.cuh"

#endif // CUDAGRAPH_MOCK_CUB_CUB_CUH
