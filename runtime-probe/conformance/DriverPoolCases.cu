//===- DriverPoolCases.cu - The driver's memory pools ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Imported pools are in DriverSharedCases.cu.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"
#include <unistd.h>

namespace cudagraph::conformance {

static constexpr auto File = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

static CUdeviceptr *pointer(Scene &S) {
  return reinterpret_cast<CUdeviceptr *>(&S.P);
}
static int closeFile(Scene &S) {
  if (S.I > 0)
    close(S.I);
  S.I = 0;
  return 0;
}

/// A pool of device memory in Scene::Pool that other processes may import.
static int makePool(Scene &S) {
  CUmemPoolProps P{};
  P.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  P.handleTypes = File;
  P.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  return cuMemPoolCreate(&S.Pool, &P);
}
/// The same, with its memory in Scene::P.
static int makePoolInUse(Scene &S) {
  int E = makePool(S);
  return E ? E
           : cuMemAllocFromPoolAsync(pointer(S), S.Bytes, S.Pool,
                                     S.OtherNonBlocking);
}
static int freePool(Scene &S) {
  if (S.P)
    cuMemFree(*pointer(S));
  closeFile(S);
  return S.Pool ? cuMemPoolDestroy(S.Pool) : 0;
}

static void addPools(Cases &C) {
  C.add("cuMemPoolCreate", "", [](Scene &S) {
     CUmemPoolProps P{};
     P.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
     P.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
     return cuMemPoolCreate(&S.Pool, &P);
   }).after(freePool);
  C.add("cuMemPoolDestroy", "", [](Scene &S) {
     return cuMemPoolDestroy(S.Pool);
   }).before(makePool);
  C.add("cuMemPoolDestroy", "with memory in use",
        [](Scene &S) { return cuMemPoolDestroy(S.Pool); })
      .before(makePoolInUse)
      .after([](Scene &S) { return cuMemFree(*pointer(S)); });
  C.add("cuMemPoolSetAttribute", "",
        [](Scene &S) {
          cuuint64_t Value = 1 << 20;
          return cuMemPoolSetAttribute(
              S.Pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &Value);
        })
      .before(makePool)
      .after(freePool);
  C.add("cuMemPoolGetAccess", "",
        [](Scene &S) {
          CUmemAccess_flags Flags;
          CUmemLocation Where{CU_MEM_LOCATION_TYPE_DEVICE, 0};
          return cuMemPoolGetAccess(&Flags, S.Pool, &Where);
        })
      .before(makePool)
      .after(freePool);
  C.add("cuMemPoolSetAccess", "",
        [](Scene &S) {
          CUmemAccessDesc Access{};
          Access.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
          Access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
          return cuMemPoolSetAccess(S.Pool, &Access, 1);
        })
      .before(makePool)
      .after(freePool);
  C.add("cuMemGetDefaultMemPool", "", [](Scene &S) {
    CUmemLocation Where{CU_MEM_LOCATION_TYPE_DEVICE, 0};
    return cuMemGetDefaultMemPool(&S.Pool, &Where,
                                  CU_MEM_ALLOCATION_TYPE_PINNED);
  });
  C.add("cuMemGetMemPool", "", [](Scene &S) {
    CUmemLocation Where{CU_MEM_LOCATION_TYPE_DEVICE, 0};
    return cuMemGetMemPool(&S.Pool, &Where, CU_MEM_ALLOCATION_TYPE_PINNED);
  });
  C.add("cuMemSetMemPool", "", [](Scene &S) {
     CUmemLocation Where{CU_MEM_LOCATION_TYPE_DEVICE, 0};
     return cuMemSetMemPool(&Where, CU_MEM_ALLOCATION_TYPE_PINNED, S.Pool);
   }).before([](Scene &S) {
    CUmemLocation Where{CU_MEM_LOCATION_TYPE_DEVICE, 0};
    return cuMemGetMemPool(&S.Pool, &Where, CU_MEM_ALLOCATION_TYPE_PINNED);
  });
}

static void addSharing(Cases &C) {
  C.add("cuMemPoolExportPointer", "",
        [](Scene &S) {
          CUmemPoolPtrExportData Data;
          return cuMemPoolExportPointer(&Data, *pointer(S));
        })
      .before(makePoolInUse)
      .after(freePool);
  C.add("cuMemPoolExportToShareableHandle", "",
        [](Scene &S) {
          return cuMemPoolExportToShareableHandle(&S.I, S.Pool, File, 0);
        })
      .before(makePool)
      .after(freePool);
}

void addDriverPoolCases(Cases &C) {
  addPools(C);
  addSharing(C);
}

} // namespace cudagraph::conformance
