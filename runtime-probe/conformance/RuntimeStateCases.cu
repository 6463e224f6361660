//===- RuntimeStateCases.cu - Devices, errors, logs, and user objects -----===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small calls that concern devices, errors, logs, user objects, and sharing
// with other processes.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

#include <unistd.h>

namespace cudagraph::conformance {

static void notified(cudaAsyncNotificationInfo_t *, void *,
                     cudaAsyncCallbackHandle_t) {}
static cudaAsyncCallbackHandle_t *notification(Scene &S) {
  return reinterpret_cast<cudaAsyncCallbackHandle_t *>(&S.P);
}

static void addDevices(Cases &C) {
  C.add("cudaChooseDevice", "", [](Scene &S) {
    cudaDeviceProp Wanted{};
    return cudaChooseDevice(&S.I, &Wanted);
  });
  C.add("cudaDeviceGetByPCIBusId", "", [](Scene &S) {
     return cudaDeviceGetByPCIBusId(&S.I, S.Host);
   }).before([](Scene &S) { return cudaDeviceGetPCIBusId(S.Host, 64, 0); });
  C.add("cudaDeviceGetHostAtomicCapabilities", "", [](Scene &) {
    cudaAtomicOperation Operation = cudaAtomicOperationIntegerAdd;
    unsigned Capabilities;
    return cudaDeviceGetHostAtomicCapabilities(&Capabilities, &Operation, 1, 0);
  });
  C.add("cudaDeviceGetTexture1DLinearMaxWidth", "", [](Scene &S) {
    cudaChannelFormatDesc Float = cudaCreateChannelDesc<float>();
    return cudaDeviceGetTexture1DLinearMaxWidth(&S.N, &Float, 0);
  });
  C.add("cudaDeviceSetLimit", "heap of kernels", [](Scene &) {
     return cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 24);
   }).fresh();
  C.add("cudaSetValidDevices", "", [](Scene &) {
     int Device = 0;
     return cudaSetValidDevices(&Device, 1);
   }).fresh();
  auto Register = [](Scene &S) {
    return cudaDeviceRegisterAsyncNotification(0, notified, nullptr,
                                               notification(S));
  };
  auto Unregister = [](Scene &S) {
    return cudaDeviceUnregisterAsyncNotification(0, *notification(S));
  };
  // Some systems do not support notifications; they have no row for this call.
  C.add("cudaDeviceRegisterAsyncNotification", "", Register)
      .before([=](Scene &S) -> int {
        int E = Register(S);
        E = E ? E : static_cast<int>(Unregister(S));
        S.P = nullptr;
        return E;
      })
      .after([=](Scene &S) { return S.P ? Unregister(S) : cudaSuccess; });
  C.add("cudaDeviceUnregisterAsyncNotification", "", Unregister)
      .before(Register);
}

static void CUDART_CB logged(void *, cudaLogLevel, char *, size_t) {}

static void addErrors(Cases &C) {
  C.add("cudaGetErrorName", "", [](Scene &) {
    return cudaGetErrorName(cudaErrorInvalidValue) ? 0 : 1;
  });
  C.add("cudaGetErrorString", "", [](Scene &) {
    return cudaGetErrorString(cudaErrorInvalidValue) ? 0 : 1;
  });
  C.add("cudaLogsCurrent", "", [](Scene &) {
    cudaLogIterator Iterator;
    return cudaLogsCurrent(&Iterator, 0);
  });
  C.add("cudaLogsDumpToFile", "",
        [](Scene &) { return cudaLogsDumpToFile(nullptr, "/dev/null", 0); });
  C.add("cudaLogsDumpToMemory", "", [](Scene &S) {
    size_t Size = S.Bytes;
    return cudaLogsDumpToMemory(nullptr, S.Host, &Size, 0);
  });
  auto Register = [](Scene &S) {
    return cudaLogsRegisterCallback(
        logged, nullptr, reinterpret_cast<cudaLogsCallbackHandle *>(&S.P));
  };
  auto Unregister = [](Scene &S) {
    return cudaLogsUnregisterCallback(static_cast<cudaLogsCallbackHandle>(S.P));
  };
  C.add("cudaLogsRegisterCallback", "", Register).after([=](Scene &S) {
    return S.P ? Unregister(S) : cudaSuccess;
  });
  C.add("cudaLogsUnregisterCallback", "", Unregister).before(Register);
  C.add("cudaGetDriverEntryPoint", "", [](Scene &S) {
    cudaDriverEntryPointQueryResult Found;
    return cudaGetDriverEntryPoint("cuMemAlloc", &S.P, cudaEnableDefault,
                                   &Found);
  });
  C.add("cudaGetExportTable", "", [](Scene &S) {
     const void *Table;
     return cudaGetExportTable(&Table, static_cast<cudaUUID_t *>(S.P));
   }).before([](Scene &S) {
    // Tables that programs request in practice; any of them is sufficient.
    static const unsigned char Known[][sizeof(cudaUUID_t)] = {
        {0x42, 0xd8, 0x5a, 0x81, 0x23, 0xf6, 0xcb, 0x47, 0x82, 0x98, 0xf6, 0xe7,
         0x8a, 0x3a, 0xec, 0xdc},
        {0xa0, 0x94, 0x79, 0x8c, 0x2e, 0x74, 0x2e, 0x74, 0x93, 0xf2, 0x08, 0x00,
         0x20, 0x0c, 0x0a, 0x66},
        {0x21, 0x31, 0x8c, 0x60, 0x97, 0x14, 0x32, 0x48, 0x8c, 0xa6, 0x41, 0xff,
         0x73, 0x24, 0xc8, 0xf2},
        {0x6e, 0x16, 0x3f, 0xbe, 0xb9, 0x58, 0x44, 0x4d, 0x83, 0x5c, 0xe1, 0x82,
         0xaf, 0xf1, 0x99, 0x1e}};
    int E = cudaErrorNotSupported;
    for (const unsigned char *Each : Known)
      if (E) {
        S.P = const_cast<unsigned char *>(Each);
        const void *Table;
        E = cudaGetExportTable(&Table, static_cast<cudaUUID_t *>(S.P));
      }
    return E;
  });
}

static cudaUserObject_t object(Scene &S) {
  return static_cast<cudaUserObject_t>(S.P);
}
/// A user object in Scene::P, and a graph that may retain it.
static int makeObject(Scene &S) {
  int E = cudaGraphCreate(&S.Graph, 0);
  return E ? E
           : cudaUserObjectCreate(
                 reinterpret_cast<cudaUserObject_t *>(&S.P), nullptr,
                 [](void *) {}, 1, cudaUserObjectNoDestructorSync);
}
static int dropGraph(Scene &S) { return cudaGraphDestroy(S.Graph); }

static void addUserObjects(Cases &C) {
  C.add("cudaUserObjectRetain", "",
        [](Scene &S) { return cudaUserObjectRetain(object(S), 1); })
      .before(makeObject)
      .after(dropGraph);
  C.add("cudaUserObjectRelease", "the last reference",
        [](Scene &S) { return cudaUserObjectRelease(object(S), 1); })
      .before(makeObject)
      .after(dropGraph);
  C.add("cudaUserObjectRelease", "with references left",
        [](Scene &S) { return cudaUserObjectRelease(object(S), 1); })
      .before([](Scene &S) {
        int E = makeObject(S);
        return E ? E : cudaUserObjectRetain(object(S), 1);
      })
      .after(dropGraph);
  C.add("cudaGraphRetainUserObject", "",
        [](Scene &S) {
          return cudaGraphRetainUserObject(S.Graph, object(S), 1);
        })
      .before(makeObject)
      .after(dropGraph);
  C.add("cudaGraphRetainUserObject", "graph of the capture",
        [](Scene &S) {
          return cudaGraphRetainUserObject(S.Graph, object(S), 1);
        })
      .before([](Scene &S) {
        int E = makeObject(S);
        return E ? E : cudaGraphDestroy(S.Graph);
      })
      .inside([](Scene &S) {
        cudaStreamCaptureStatus Status;
        return cudaStreamGetCaptureInfo(S.Origin, &Status, nullptr, &S.Graph);
      });
  C.add("cudaGraphReleaseUserObject", "",
        [](Scene &S) {
          return cudaGraphReleaseUserObject(S.Graph, object(S), 1);
        })
      .before([](Scene &S) {
        int E = makeObject(S);
        return E ? E : cudaGraphRetainUserObject(S.Graph, object(S), 1);
      })
      .after(dropGraph);
}

/// A pool that other processes may use, and memory from it in Scene::P.
static int makeSharedPool(Scene &S) {
  cudaMemPoolProps P{};
  P.allocType = cudaMemAllocationTypePinned;
  P.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  P.location = {cudaMemLocationTypeDevice, 0};
  int E = cudaMemPoolCreate(&S.Pool, &P);
  return E ? E : cudaMallocFromPoolAsync(&S.P, S.Bytes, S.Pool, S.Origin);
}
static int exportPool(Scene &S) {
  return cudaMemPoolExportToShareableHandle(
      &S.I, S.Pool, cudaMemHandleTypePosixFileDescriptor, 0);
}
static int freeSharedPool(Scene &S) {
  if (S.I)
    close(S.I);
  cudaFree(S.P);
  return cudaMemPoolDestroy(S.Pool);
}

static void addSharing(Cases &C) {
  C.add("cudaMemPoolExportToShareableHandle", "",
        [](Scene &S) {
          return cudaMemPoolExportToShareableHandle(
              &S.I, S.Pool, cudaMemHandleTypePosixFileDescriptor, 0);
        })
      .before(makeSharedPool)
      .after(freeSharedPool);
  C.add("cudaMemPoolExportPointer", "",
        [](Scene &S) {
          cudaMemPoolPtrExportData Data;
          return cudaMemPoolExportPointer(&Data, S.P);
        })
      .before([](Scene &S) {
        int E = makeSharedPool(S);
        return E ? E : exportPool(S);
      })
      .after(freeSharedPool);
  C.add("cudaMemRangeGetAttributes", "",
        [](Scene &S) {
          void *Data[] = {&S.I};
          size_t Sizes[] = {sizeof(S.I)};
          cudaMemRangeAttribute Asked[] = {cudaMemRangeAttributeReadMostly};
          return cudaMemRangeGetAttributes(Data, Sizes, Asked, 1, S.P, S.Bytes);
        })
      .before([](Scene &S) { return cudaMallocManaged(&S.P, S.Bytes); })
      .after([](Scene &S) { return cudaFree(S.P); });
}

void addRuntimeStateCases(Cases &C) {
  addDevices(C);
  addErrors(C);
  addSharing(C);
  addUserObjects(C);
}

} // namespace cudagraph::conformance
