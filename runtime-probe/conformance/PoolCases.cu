//===- PoolCases.cu - Stream-ordered memory -------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

/// A pool of device memory in Scene::Pool.
static int makePool(Scene &S) {
  cudaMemPoolProps P{};
  P.allocType = cudaMemAllocationTypePinned;
  P.location = {cudaMemLocationTypeDevice, 0};
  return cudaMemPoolCreate(&S.Pool, &P);
}

/// A pool with unused memory.
static int stockPool(Scene &S) {
  cuuint64_t Keep = ~0ull;
  int E = makePool(S);
  auto Try = [&](int Code) { E = E ? E : Code; };
  Try(cudaMemPoolSetAttribute(S.Pool, cudaMemPoolAttrReleaseThreshold, &Keep));
  Try(cudaMallocFromPoolAsync(&S.P, 1 << 26, S.Pool, S.Origin));
  Try(cudaFreeAsync(S.P, S.Origin));
  return E;
}

static int freePool(Scene &S) {
  return S.Pool ? cudaMemPoolDestroy(S.Pool) : 0;
}

static void addAllocation(Cases &C) {
  auto FreeLater = [](Scene &S) {
    return S.P ? cudaFreeAsync(S.P, S.OtherNonBlocking) : cudaSuccess;
  };
  C.add("cudaMallocAsync", "",
        [](Scene &S) { return cudaMallocAsync(&S.P, S.Bytes, S.Stream); })
      .streams()
      .after(FreeLater);
  C.add("cudaMallocFromPoolAsync", "",
        [](Scene &S) {
          return cudaMallocFromPoolAsync(&S.P, S.Bytes, S.Pool, S.Stream);
        })
      .streams()
      .before(makePool)
      .after(FreeLater);
  C.add("cudaMallocFromPoolAsync", "pool with memory to reuse",
        [](Scene &S) {
          return cudaMallocFromPoolAsync(&S.P, S.Bytes, S.Pool, S.Stream);
        })
      .streams()
      .before(stockPool)
      .after(FreeLater);
  auto Free = [](Scene &S) { return cudaFreeAsync(S.P, S.Stream); };
  C.add("cudaFreeAsync", "memory that the capture allocated", Free)
      .streams()
      .inside(
          [](Scene &S) { return cudaMallocAsync(&S.P, S.Bytes, S.Origin); });
  C.add("cudaFreeAsync", "memory of cudaMallocAsync before the capture", Free)
      .streams()
      .before(
          [](Scene &S) { return cudaMallocAsync(&S.P, S.Bytes, S.Origin); });
  C.add("cudaFreeAsync", "memory of cudaMalloc", Free)
      .streams()
      .before([](Scene &S) { return cudaMalloc(&S.P, S.Bytes); });
  C.add("cudaFreeAsync", "memory of cudaMallocAsync outside, in between", Free)
      .streams()
      .inside([](Scene &S) {
        cudaStreamCaptureMode Mode = cudaStreamCaptureModeRelaxed;
        cudaThreadExchangeStreamCaptureMode(&Mode);
        int E = cudaMallocAsync(&S.P, S.Bytes, S.OtherNonBlocking);
        cudaThreadExchangeStreamCaptureMode(&Mode);
        return E;
      });
}

static void addPools(Cases &C) {
  C.add("cudaMemPoolCreate", "", makePool).after(freePool);
  C.add("cudaMemPoolDestroy", "", freePool).before(makePool);
  C.add("cudaMemPoolTrimTo", "",
        [](Scene &S) { return cudaMemPoolTrimTo(S.Pool, 0); })
      .before(makePool)
      .after(freePool);
  C.add("cudaMemPoolTrimTo", "with memory to return",
        [](Scene &S) { return cudaMemPoolTrimTo(S.Pool, 0); })
      .before(stockPool)
      .after(freePool);
  C.add("cudaMemPoolGetAttribute", "",
        [](Scene &S) {
          cuuint64_t Value;
          return cudaMemPoolGetAttribute(S.Pool, cudaMemPoolAttrUsedMemCurrent,
                                         &Value);
        })
      .before(makePool)
      .after(freePool);
  C.add("cudaMemPoolSetAttribute", "",
        [](Scene &S) {
          cuuint64_t Value = 1 << 20;
          return cudaMemPoolSetAttribute(
              S.Pool, cudaMemPoolAttrReleaseThreshold, &Value);
        })
      .before(makePool)
      .after(freePool);
  C.add("cudaMemPoolGetAccess", "",
        [](Scene &S) {
          cudaMemAccessFlags Flags;
          cudaMemLocation Where{cudaMemLocationTypeDevice, 0};
          return cudaMemPoolGetAccess(&Flags, S.Pool, &Where);
        })
      .before(makePool)
      .after(freePool);
  C.add("cudaMemPoolSetAccess", "",
        [](Scene &S) {
          cudaMemAccessDesc Access{};
          Access.location = {cudaMemLocationTypeDevice, 0};
          Access.flags = cudaMemAccessFlagsProtReadWrite;
          return cudaMemPoolSetAccess(S.Pool, &Access, 1);
        })
      .before(makePool)
      .after(freePool);
  C.add("cudaDeviceGetDefaultMemPool", "",
        [](Scene &S) { return cudaDeviceGetDefaultMemPool(&S.Pool, 0); });
  C.add("cudaDeviceGetMemPool", "",
        [](Scene &S) { return cudaDeviceGetMemPool(&S.Pool, 0); });
  C.add("cudaDeviceSetMemPool", "", [](Scene &S) {
     return cudaDeviceSetMemPool(0, S.Pool);
   }).before([](Scene &S) { return cudaDeviceGetMemPool(&S.Pool, 0); });
  C.add("cudaMemGetDefaultMemPool", "", [](Scene &S) {
    cudaMemLocation Where{cudaMemLocationTypeDevice, 0};
    return cudaMemGetDefaultMemPool(&S.Pool, &Where,
                                    cudaMemAllocationTypePinned);
  });
  C.add("cudaMemGetMemPool", "", [](Scene &S) {
    cudaMemLocation Where{cudaMemLocationTypeDevice, 0};
    return cudaMemGetMemPool(&S.Pool, &Where, cudaMemAllocationTypePinned);
  });
  C.add("cudaMemSetMemPool", "", [](Scene &S) {
     cudaMemLocation Where{cudaMemLocationTypeDevice, 0};
     return cudaMemSetMemPool(&Where, cudaMemAllocationTypePinned, S.Pool);
   }).before([](Scene &S) { return cudaDeviceGetMemPool(&S.Pool, 0); });
  C.add("cudaDeviceGraphMemTrim", "",
        [](Scene &) { return cudaDeviceGraphMemTrim(0); });
  C.add("cudaDeviceGetGraphMemAttribute", "", [](Scene &) {
    cuuint64_t Value;
    return cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent,
                                          &Value);
  });
  C.add("cudaDeviceSetGraphMemAttribute", "", [](Scene &) {
    cuuint64_t Value = 0;
    return cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh,
                                          &Value);
  });
}

void addPoolCases(Cases &C) {
  addAllocation(C);
  addPools(C);
}

} // namespace cudagraph::conformance
