//===- util_device.cuh - Properties of devices ---------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_UTIL_DEVICE_CUH
#define CUDAGRAPH_MOCK_CUB_UTIL_DEVICE_CUH

#include "cuda_runtime.h"

namespace cub {

int CurrentDevice();
int DeviceCount();
int DeviceCountUncached();
cudaError_t PtxVersion(int &ptx_version);
cudaError_t PtxVersion(int &ptx_version, int device);
cudaError_t PtxVersionUncached(int &ptx_version);
cudaError_t PtxVersionUncached(int &ptx_version, int device);
cudaError_t SmVersion(int &sm_version, int device = CurrentDevice());
cudaError_t SmVersionUncached(int &sm_version, int device = CurrentDevice());
cudaError_t SyncStream(cudaStream_t stream);
cudaError_t HasUVA(bool &has_uva);
template <class Kernel>
cudaError_t MaxSmOccupancy(int &max_sm_occupancy, Kernel kernel,
                           int block_threads, int dynamic_smem_bytes = 0) {
  return cudaSuccess;
}

} // namespace cub

#endif // CUDAGRAPH_MOCK_CUB_UTIL_DEVICE_CUH
