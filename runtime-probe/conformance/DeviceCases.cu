//===- DeviceCases.cu - Devices, limits, errors, and profiling ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

#include <cuda_profiler_api.h>

namespace cudagraph::conformance {

static void addQueries(Cases &C) {
  C.add("cudaGetDevice", "", [](Scene &S) { return cudaGetDevice(&S.I); });
  C.add("cudaGetDeviceCount", "",
        [](Scene &S) { return cudaGetDeviceCount(&S.I); });
  C.add("cudaGetDeviceFlags", "", [](Scene &) {
    unsigned Flags;
    return cudaGetDeviceFlags(&Flags);
  });
  C.add("cudaGetDeviceProperties", "", [](Scene &) {
    cudaDeviceProp P;
    return cudaGetDeviceProperties(&P, 0);
  });
  C.add("cudaDeviceGetAttribute", "", [](Scene &S) {
    return cudaDeviceGetAttribute(&S.I, cudaDevAttrMultiProcessorCount, 0);
  });
  C.add("cudaDeviceGetLimit", "",
        [](Scene &S) { return cudaDeviceGetLimit(&S.N, cudaLimitStackSize); });
  C.add("cudaDeviceGetCacheConfig", "", [](Scene &) {
    cudaFuncCache Config;
    return cudaDeviceGetCacheConfig(&Config);
  });
  C.add("cudaDeviceGetStreamPriorityRange", "", [](Scene &S) {
    return cudaDeviceGetStreamPriorityRange(&S.I, nullptr);
  });
  C.add("cudaDeviceCanAccessPeer", "",
        [](Scene &S) { return cudaDeviceCanAccessPeer(&S.I, 0, 0); });
  C.add("cudaDeviceGetPCIBusId", "", [](Scene &) {
    char Text[32];
    return cudaDeviceGetPCIBusId(Text, sizeof(Text), 0);
  });
  C.add("cudaDriverGetVersion", "",
        [](Scene &S) { return cudaDriverGetVersion(&S.I); });
  C.add("cudaRuntimeGetVersion", "",
        [](Scene &S) { return cudaRuntimeGetVersion(&S.I); });
  C.add("cudaGetLastError", "", [](Scene &) { return cudaGetLastError(); });
  C.add("cudaPeekAtLastError", "",
        [](Scene &) { return cudaPeekAtLastError(); });
  C.add("cudaGetDriverEntryPointByVersion", "", [](Scene &S) {
    cudaDriverEntryPointQueryResult R;
    return cudaGetDriverEntryPointByVersion("cuMemAlloc", &S.P, 13000, 0, &R);
  });
}

static void addSettings(Cases &C) {
  C.add("cudaSetDevice", "", [](Scene &) { return cudaSetDevice(0); });
  C.add("cudaInitDevice", "", [](Scene &) { return cudaInitDevice(0, 0, 0); });
  C.add("cudaSetDeviceFlags", "",
        [](Scene &) { return cudaSetDeviceFlags(cudaDeviceScheduleAuto); });
  C.add("cudaDeviceSetCacheConfig", "", [](Scene &) {
    return cudaDeviceSetCacheConfig(cudaFuncCachePreferNone);
  });
  C.add("cudaDeviceSetLimit", "stack size", [](Scene &) {
     return cudaDeviceSetLimit(cudaLimitStackSize, 8192);
   }).fresh();
  C.add("cudaDeviceSetLimit", "printf buffer", [](Scene &) {
     return cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 21);
   }).fresh();
  C.add("cudaDeviceSetLimit", "persisting L2 cache", [](Scene &) {
    return cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
  });
  C.add("cudaDeviceFlushGPUDirectRDMAWrites", "", [](Scene &) {
    return cudaDeviceFlushGPUDirectRDMAWrites(
        cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
        cudaFlushGPUDirectRDMAWritesToOwner);
  });
  C.add("cudaProfilerStart", "", [](Scene &) { return cudaProfilerStart(); });
  C.add("cudaProfilerStop", "", [](Scene &) { return cudaProfilerStop(); });
  C.add("cudaDeviceReset", "", [](Scene &S) {
     S.OriginGone = true;
     return cudaDeviceReset();
   }).fresh();
}

void addDeviceCases(Cases &C) {
  addQueries(C);
  addSettings(C);
}

} // namespace cudagraph::conformance
