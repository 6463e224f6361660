//===- LaunchCases.cu - Kernel launches and kernel functions --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

__device__ int LazySymbol[64];
__global__ void work(int *P) { P[threadIdx.x] += 1; }
__global__ void neverBefore(int *P) { P[threadIdx.x] += 2; }
__global__ void withPrintf(int *P) {
  if (P[0] == 12345)
    printf("never\n");
}

static int warm(Scene &) {
  cudaFuncAttributes A;
  return cudaFuncGetAttributes(&A, work);
}

static void addLaunches(Cases &C) {
  C.add("<<<>>>", "",
        [](Scene &S) {
          work<<<1, 32, 0, S.Stream>>>(reinterpret_cast<int *>(S.Device));
          return cudaGetLastError();
        })
      .streams()
      .before(warm);
  C.add("<<<>>>", "first use of the kernel",
        [](Scene &S) {
          neverBefore<<<1, 32, 0, S.Stream>>>(
              reinterpret_cast<int *>(S.Device));
          return cudaGetLastError();
        })
      .on({Relation::Origin, Relation::OtherNonBlocking})
      .fresh();
  C.add("<<<>>>", "first use of a kernel that prints",
        [](Scene &S) {
          withPrintf<<<1, 32, 0, S.Stream>>>(reinterpret_cast<int *>(S.Device));
          return cudaGetLastError();
        })
      .on({Relation::Origin})
      .fresh();
  C.add("cudaLaunchKernel", "",
        [](Scene &S) {
          void *Args[] = {&S.Device};
          return cudaLaunchKernel(reinterpret_cast<const void *>(work), dim3(1),
                                  dim3(32), Args, 0, S.Stream);
        })
      .streams()
      .before(warm);
  C.add("cudaLaunchKernelExC", "",
        [](Scene &S) {
          void *Args[] = {&S.Device};
          cudaLaunchConfig_t Config{};
          Config.gridDim = dim3(1);
          Config.blockDim = dim3(32);
          Config.stream = S.Stream;
          return cudaLaunchKernelExC(
              &Config, reinterpret_cast<const void *>(work), Args);
        })
      .streams()
      .before(warm);
  C.add("cudaLaunchCooperativeKernel", "",
        [](Scene &S) {
          void *Args[] = {&S.Device};
          return cudaLaunchCooperativeKernel(
              reinterpret_cast<const void *>(work), dim3(1), dim3(32), Args, 0,
              S.Stream);
        })
      .streams()
      .before(warm);
}

static void addAttributes(Cases &C) {
  C.add("cudaFuncGetAttributes", "", warm).before(warm);
  C.add("cudaFuncGetAttributes", "first use of the kernel", [](Scene &) {
     cudaFuncAttributes A;
     return cudaFuncGetAttributes(&A, neverBefore);
   }).fresh();
  C.add("cudaFuncSetAttribute", "", [](Scene &) {
     return cudaFuncSetAttribute(
         work, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
   }).before(warm);
  C.add("cudaFuncSetAttribute", "first use of the kernel", [](Scene &) {
     return cudaFuncSetAttribute(
         neverBefore, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
   }).fresh();
  C.add("cudaFuncSetCacheConfig", "", [](Scene &) {
     return cudaFuncSetCacheConfig(work, cudaFuncCachePreferL1);
   }).before(warm);
  C.add("cudaFuncGetName", "", [](Scene &) {
     const char *Name;
     return cudaFuncGetName(&Name, reinterpret_cast<const void *>(work));
   }).before(warm);
  C.add("cudaGetFuncBySymbol", "", [](Scene &) {
     cudaFunction_t F;
     return cudaGetFuncBySymbol(&F, reinterpret_cast<const void *>(work));
   }).before(warm);
  C.add("cudaOccupancyMaxActiveBlocksPerMultiprocessor", "", [](Scene &S) {
     return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&S.I, work, 32, 0);
   }).before(warm);
  C.add("cudaOccupancyMaxActiveBlocksPerMultiprocessor",
        "first use of the kernel",
        [](Scene &S) {
          return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
              &S.I, neverBefore, 32, 0);
        })
      .fresh();
  C.add("cudaOccupancyMaxPotentialBlockSize", "", [](Scene &S) {
     int Block;
     return cudaOccupancyMaxPotentialBlockSize(&S.I, &Block, work, 0, 0);
   }).before(warm);
  C.add("cudaOccupancyAvailableDynamicSMemPerBlock", "", [](Scene &S) {
     return cudaOccupancyAvailableDynamicSMemPerBlock(&S.N, work, 1, 32);
   }).before(warm);
  C.add("cudaOccupancyMaxActiveClusters", "", [](Scene &S) {
     cudaLaunchConfig_t Config{};
     Config.gridDim = dim3(1);
     Config.blockDim = dim3(32);
     return cudaOccupancyMaxActiveClusters(&S.I, work, &Config);
   }).before(warm);
  auto Address = [](Scene &S) {
    return cudaGetSymbolAddress(&S.P, LazySymbol);
  };
  C.add("cudaGetSymbolAddress", "", Address).before(Address);
  C.add("cudaGetSymbolAddress", "first use of the module", Address).fresh();
  C.add("cudaGetSymbolSize", "", [](Scene &S) {
     return cudaGetSymbolSize(&S.N, LazySymbol);
   }).before(Address);
  C.add("cudaMemcpyToSymbolAsync", "first use of the module",
        [](Scene &S) {
          return cudaMemcpyToSymbolAsync(LazySymbol, S.Host, 64, 0,
                                         cudaMemcpyHostToDevice, S.Stream);
        })
      .on({Relation::Origin})
      .fresh();
}

void addLaunchCases(Cases &C) {
  addLaunches(C);
  addAttributes(C);
}

} // namespace cudagraph::conformance
