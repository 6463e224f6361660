//===- DriverMemoryCases.cu - The driver's memory and its pointers --------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Virtual memory, pointers, and ranges. If a machine may lack a feature, the
// preparation tries the call first, so that a row never shows the missing
// feature.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"
#include <cstdint>
#include <unistd.h>

namespace cudagraph::conformance {

static constexpr size_t Granule = 2 << 20;
static constexpr auto File = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

static CUdeviceptr address(void *P) { return reinterpret_cast<CUdeviceptr>(P); }
static CUdeviceptr *pointer(Scene &S) {
  return reinterpret_cast<CUdeviceptr *>(&S.P);
}
static CUmemGenericAllocationHandle *handle(void *&Slot) {
  return reinterpret_cast<CUmemGenericAllocationHandle *>(&Slot);
}
static void *descriptor(Scene &S) {
  return reinterpret_cast<void *>(static_cast<intptr_t>(S.I));
}

static CUmemAllocationProp exportable() {
  CUmemAllocationProp P{};
  P.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  P.requestedHandleTypes = File;
  P.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  return P;
}

/// Physical memory in Scene::N.
static int create(Scene &S) {
  CUmemAllocationProp P = exportable();
  return cuMemCreate(reinterpret_cast<CUmemGenericAllocationHandle *>(&S.N),
                     Granule, &P, 0);
}
static int release(Scene &S) { return S.N ? cuMemRelease(S.N) : 0; }

/// The same, mapped at Scene::P.
static int map(Scene &S) {
  int E = create(S);
  CUmemAccessDesc D{};
  D.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  D.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  E = E ? E : cuMemAddressReserve(pointer(S), Granule, 0, 0, 0);
  E = E ? E : cuMemMap(*pointer(S), Granule, 0, S.N, 0);
  return E ? E : cuMemSetAccess(*pointer(S), Granule, &D, 1);
}
static int unmap(Scene &S) {
  cuMemUnmap(*pointer(S), Granule);
  cuMemAddressFree(*pointer(S), Granule);
  return release(S);
}

/// The same, exported as a file descriptor in Scene::I.
static int createFile(Scene &S) {
  int E = create(S);
  return E ? E : cuMemExportToShareableHandle(&S.I, S.N, File, 0);
}
static int closeFile(Scene &S) {
  if (S.I > 0)
    close(S.I);
  S.I = 0;
  return release(S);
}

static int allocate(Scene &S) { return cuMemAlloc(pointer(S), Granule); }
static int allocateManaged(Scene &S) {
  return cuMemAllocManaged(pointer(S), S.Bytes, CU_MEM_ATTACH_GLOBAL);
}
static int deallocate(Scene &S) { return S.P ? cuMemFree(*pointer(S)) : 0; }

static void addVirtual(Cases &C) {
  C.add("cuMemGetAllocationGranularity", "", [](Scene &S) {
    CUmemAllocationProp P = exportable();
    return cuMemGetAllocationGranularity(&S.N, &P,
                                         CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  });
  C.add("cuMemGetAllocationPropertiesFromHandle", "",
        [](Scene &S) {
          CUmemAllocationProp P;
          return cuMemGetAllocationPropertiesFromHandle(&P, S.N);
        })
      .before(create)
      .after(release);
  C.add("cuMemGetAccess", "",
        [](Scene &S) {
          unsigned long long Flags;
          CUmemLocation Where{CU_MEM_LOCATION_TYPE_DEVICE, 0};
          return cuMemGetAccess(&Flags, &Where, *pointer(S));
        })
      .before(map)
      .after(unmap);
  C.add("cuMemRetainAllocationHandle", "",
        [](Scene &S) { return cuMemRetainAllocationHandle(handle(S.Q), S.P); })
      .before(map)
      .after([](Scene &S) {
        if (S.Q)
          cuMemRelease(*handle(S.Q));
        return unmap(S);
      });
  C.add("cuMemExportToShareableHandle", "",
        [](Scene &S) {
          return cuMemExportToShareableHandle(&S.I, S.N, File, 0);
        })
      .before(create)
      .after(closeFile);
  auto Import = [](Scene &S) {
    return cuMemImportFromShareableHandle(handle(S.Q), descriptor(S), File);
  };
  C.add("cuMemImportFromShareableHandle", "", Import)
      .before([=](Scene &S) -> int {
        int E = createFile(S);
        E = E ? E : Import(S);
        E = E ? E : cuMemRelease(*handle(S.Q));
        S.Q = nullptr;
        return E;
      })
      .after([](Scene &S) {
        if (S.Q)
          cuMemRelease(*handle(S.Q));
        return closeFile(S);
      });
  auto GetHandle = [](Scene &S) {
    return cuMemGetHandleForAddressRange(
        &S.I, *pointer(S), Granule, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0);
  };
  C.add("cuMemGetHandleForAddressRange", "", GetHandle)
      .before([=](Scene &S) -> int {
        int E = allocate(S);
        E = E ? E : GetHandle(S);
        closeFile(S);
        return E;
      })
      .after([](Scene &S) {
        closeFile(S);
        return deallocate(S);
      });
  auto Granularity = [](Scene &S) {
    CUmulticastObjectProp P{};
    P.numDevices = 1;
    P.size = Granule;
    return cuMulticastGetGranularity(&S.N, &P,
                                     CU_MULTICAST_GRANULARITY_MINIMUM);
  };
  C.add("cuMulticastGetGranularity", "", Granularity).before(Granularity);
}

static void addPointers(Cases &C) {
  C.add("cuMemGetAddressRange", "", [](Scene &S) {
    return cuMemGetAddressRange(pointer(S), &S.N, address(S.Device));
  });
  C.add("cuMemHostGetDevicePointer", "", [](Scene &S) {
    return cuMemHostGetDevicePointer(pointer(S), S.Pinned, 0);
  });
  C.add("cuMemHostGetFlags", "", [](Scene &S) {
    unsigned Flags;
    return cuMemHostGetFlags(&Flags, S.Pinned);
  });
  C.add("cuPointerGetAttribute", "", [](Scene &S) {
    CUmemorytype Type;
    return cuPointerGetAttribute(&Type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                 address(S.Device));
  });
  C.add("cuPointerGetAttributes", "", [](Scene &S) {
    CUmemorytype Type;
    CUpointer_attribute Attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void *Values[] = {&Type, &S.I};
    return cuPointerGetAttributes(2, Attributes, Values, address(S.Device));
  });
  C.add("cuPointerSetAttribute", "",
        [](Scene &S) {
          unsigned Value = 1;
          return cuPointerSetAttribute(&Value, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
                                       *pointer(S));
        })
      .before(allocate)
      .after(deallocate);
  C.add("cuMemRangeGetAttribute", "",
        [](Scene &S) {
          return cuMemRangeGetAttribute(&S.I, sizeof(S.I),
                                        CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                        *pointer(S), S.Bytes);
        })
      .before(allocateManaged)
      .after(deallocate);
  C.add("cuMemRangeGetAttributes", "",
        [](Scene &S) {
          int Preferred;
          void *Values[] = {&S.I, &Preferred};
          size_t Sizes[] = {sizeof(int), sizeof(int)};
          CUmem_range_attribute Attributes[] = {
              CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
              CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION};
          return cuMemRangeGetAttributes(Values, Sizes, Attributes, 2,
                                         *pointer(S), S.Bytes);
        })
      .before(allocateManaged)
      .after(deallocate);
  C.add("cuFlushGPUDirectRDMAWrites", "", [](Scene &) {
    return cuFlushGPUDirectRDMAWrites(
        CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
        CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER);
  });
}

void addDriverMemoryCases(Cases &C) {
  addVirtual(C);
  addPointers(C);
}

} // namespace cudagraph::conformance
