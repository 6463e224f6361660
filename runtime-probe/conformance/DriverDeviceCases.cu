//===- DriverDeviceCases.cu - Devices, entry points, logs, and dumps ------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls that some machines do not permit are also made before the capture, so
// that such a refusal is visible.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"
#include <unistd.h>

namespace cudagraph::conformance {

static void notified(CUasyncNotificationInfo *, void *, CUasyncCallbackHandle) {
}
static void CUDA_CB logged(void *, CUlogLevel, char *, size_t) {}

static int unregister(Scene &S) {
  return S.P ? cuDeviceUnregisterAsyncNotification(
                   0, static_cast<CUasyncCallbackHandle>(S.P))
             : 0;
}
static int stopLogs(Scene &S) {
  return S.P ? cuLogsUnregisterCallback(static_cast<CUlogsCallbackHandle>(S.P))
             : 0;
}

static void addDriver(Cases &C) {
  C.add("cuInit", "", [](Scene &) { return cuInit(0); });
  C.add("cuDriverGetVersion", "",
        [](Scene &S) { return cuDriverGetVersion(&S.I); });
  C.add("cuGetErrorName", "", [](Scene &) {
    const char *Text;
    return cuGetErrorName(CUDA_ERROR_NOT_FOUND, &Text);
  });
  C.add("cuGetErrorString", "", [](Scene &) {
    const char *Text;
    return cuGetErrorString(CUDA_ERROR_NOT_FOUND, &Text);
  });
  C.add("cuGetProcAddress", "", [](Scene &S) {
    return cuGetProcAddress("cuMemAlloc", &S.P, 13000,
                            CU_GET_PROC_ADDRESS_DEFAULT, nullptr);
  });
}

static void addQueries(Cases &C) {
  C.add("cuDeviceGet", "", [](Scene &S) { return cuDeviceGet(&S.I, 0); });
  C.add("cuDeviceGetCount", "",
        [](Scene &S) { return cuDeviceGetCount(&S.I); });
  C.add("cuDeviceGetName", "",
        [](Scene &S) { return cuDeviceGetName(S.Host, 256, 0); });
  C.add("cuDeviceGetUuid", "", [](Scene &) {
    CUuuid Id;
    return cuDeviceGetUuid(&Id, 0);
  });
  C.add("cuDeviceTotalMem", "",
        [](Scene &S) { return cuDeviceTotalMem(&S.N, 0); });
  C.add("cuDeviceGetAttribute", "", [](Scene &S) {
    return cuDeviceGetAttribute(&S.I, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0);
  });
  C.add("cuDeviceGetProperties", "", [](Scene &) {
    CUdevprop P;
    return cuDeviceGetProperties(&P, 0);
  });
  C.add("cuDeviceComputeCapability", "", [](Scene &S) {
    int Minor;
    return cuDeviceComputeCapability(&S.I, &Minor, 0);
  });
  C.add("cuDeviceGetPCIBusId", "",
        [](Scene &S) { return cuDeviceGetPCIBusId(S.Host, 64, 0); });
  C.add("cuDeviceGetByPCIBusId", "", [](Scene &S) {
     return cuDeviceGetByPCIBusId(&S.I, S.Host);
   }).before([](Scene &S) { return cuDeviceGetPCIBusId(S.Host, 64, 0); });
  C.add("cuDeviceGetTexture1DLinearMaxWidth", "", [](Scene &S) {
    return cuDeviceGetTexture1DLinearMaxWidth(&S.N, CU_AD_FORMAT_FLOAT, 1, 0);
  });
  C.add("cuDeviceGetExecAffinitySupport", "", [](Scene &S) {
    return cuDeviceGetExecAffinitySupport(&S.I, CU_EXEC_AFFINITY_TYPE_SM_COUNT,
                                          0);
  });
  C.add("cuDeviceGetDevResource", "", [](Scene &) {
    CUdevResource Resource;
    return cuDeviceGetDevResource(0, &Resource, CU_DEV_RESOURCE_TYPE_SM);
  });
  auto Atomics = [](Scene &) {
    unsigned Capabilities;
    CUatomicOperation Operation = CU_ATOMIC_OPERATION_INTEGER_ADD;
    return cuDeviceGetHostAtomicCapabilities(&Capabilities, &Operation, 1, 0);
  };
  C.add("cuDeviceGetHostAtomicCapabilities", "", Atomics).before(Atomics);
  auto Peer = [](Scene &S) { return cuDeviceCanAccessPeer(&S.I, 0, 0); };
  C.add("cuDeviceCanAccessPeer", "the device itself", Peer).before(Peer);
}

static void addPools(Cases &C) {
  C.add("cuDeviceGetDefaultMemPool", "",
        [](Scene &S) { return cuDeviceGetDefaultMemPool(&S.Pool, 0); });
  C.add("cuDeviceGetMemPool", "",
        [](Scene &S) { return cuDeviceGetMemPool(&S.Pool, 0); });
  C.add("cuDeviceSetMemPool", "", [](Scene &S) {
     return cuDeviceSetMemPool(0, S.Pool);
   }).before([](Scene &S) { return cuDeviceGetMemPool(&S.Pool, 0); });
  C.add("cuDeviceGraphMemTrim", "",
        [](Scene &) { return cuDeviceGraphMemTrim(0); });
  C.add("cuDeviceGetGraphMemAttribute", "", [](Scene &) {
    cuuint64_t Value;
    return cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT,
                                        &Value);
  });
  C.add("cuDeviceSetGraphMemAttribute", "", [](Scene &) {
    cuuint64_t Value = 0;
    return cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH,
                                        &Value);
  });
}

static void addPrimaryContext(Cases &C) {
  C.add("cuDevicePrimaryCtxGetState", "", [](Scene &S) {
    unsigned Flags;
    return cuDevicePrimaryCtxGetState(0, &Flags, &S.I);
  });
  auto Flags = [](Scene &) {
    return cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_AUTO);
  };
  C.add("cuDevicePrimaryCtxSetFlags", "", Flags).before(Flags);
  C.add("cuDevicePrimaryCtxRelease", "not the last reference", [](Scene &) {
     return cuDevicePrimaryCtxRelease(0);
   }).before([](Scene &S) {
    return cuDevicePrimaryCtxRetain(reinterpret_cast<CUcontext *>(&S.P), 0);
  });
  C.add("cuDevicePrimaryCtxReset", "", [](Scene &S) {
     int E = cuDevicePrimaryCtxReset(0);
     S.OriginGone = E == CUDA_SUCCESS;
     return E;
   }).fresh();
}

static void addCallbacks(Cases &C) {
  auto Register = [](Scene &S) {
    return cuDeviceRegisterAsyncNotification(
        0, notified, nullptr, reinterpret_cast<CUasyncCallbackHandle *>(&S.P));
  };
  C.add("cuDeviceRegisterAsyncNotification", "", Register)
      .before([=](Scene &S) -> int {
        int E = Register(S);
        return E ? E : unregister(S);
      })
      .after(unregister);
  C.add("cuDeviceUnregisterAsyncNotification", "", [](Scene &S) {
     return cuDeviceUnregisterAsyncNotification(
         0, static_cast<CUasyncCallbackHandle>(S.P));
   }).before(Register);
  auto Start = [](Scene &S) {
    return cuLogsRegisterCallback(
        logged, nullptr, reinterpret_cast<CUlogsCallbackHandle *>(&S.P));
  };
  C.add("cuLogsRegisterCallback", "", Start).after(stopLogs);
  C.add("cuLogsUnregisterCallback", "", [](Scene &S) {
     return cuLogsUnregisterCallback(static_cast<CUlogsCallbackHandle>(S.P));
   }).before(Start);
}

static void addLogs(Cases &C) {
  C.add("cuLogsCurrent", "", [](Scene &) {
    CUlogIterator End;
    return cuLogsCurrent(&End, 0);
  });
  auto ToFile = [](Scene &) {
    return cuLogsDumpToFile(nullptr, "/dev/null", 0);
  };
  C.add("cuLogsDumpToFile", "", ToFile).before(ToFile);
  auto ToMemory = [](Scene &) {
    char Text[25600]; // with the size of the driver's
    size_t Size = sizeof(Text);
    return cuLogsDumpToMemory(nullptr, Text, &Size, 0);
  };
  C.add("cuLogsDumpToMemory", "", ToMemory).before(ToMemory);
}

static void addDumps(Cases &C) {
  auto Get = [](Scene &) {
    bool Enabled;
    size_t Size = sizeof(Enabled);
    return cuCoredumpGetAttribute(CU_COREDUMP_ENABLE_ON_EXCEPTION, &Enabled,
                                  &Size);
  };
  C.add("cuCoredumpGetAttribute", "", Get).before(Get);
  auto GetGlobal = [](Scene &) {
    bool Enabled;
    size_t Size = sizeof(Enabled);
    return cuCoredumpGetAttributeGlobal(CU_COREDUMP_ENABLE_ON_EXCEPTION,
                                        &Enabled, &Size);
  };
  C.add("cuCoredumpGetAttributeGlobal", "", GetGlobal).before(GetGlobal);
  auto Set = [](Scene &) {
    bool Enabled = false;
    size_t Size = sizeof(Enabled);
    return cuCoredumpSetAttribute(CU_COREDUMP_ENABLE_ON_EXCEPTION, &Enabled,
                                  &Size);
  };
  C.add("cuCoredumpSetAttribute", "", Set).before(Set);
  auto SetGlobal = [](Scene &) {
    bool Enabled = false;
    size_t Size = sizeof(Enabled);
    return cuCoredumpSetAttributeGlobal(CU_COREDUMP_ENABLE_ON_EXCEPTION,
                                        &Enabled, &Size);
  };
  C.add("cuCoredumpSetAttributeGlobal", "", SetGlobal).before(SetGlobal);
  auto State = [](Scene &) {
    CUprocessState State;
    return cuCheckpointProcessGetState(getpid(), &State);
  };
  C.add("cuCheckpointProcessGetState", "own process", State).before(State);
  auto Thread = [](Scene &S) {
    return cuCheckpointProcessGetRestoreThreadId(getpid(), &S.I);
  };
  C.add("cuCheckpointProcessGetRestoreThreadId", "own process", Thread)
      .before(Thread);
}

void addDriverDeviceCases(Cases &C) {
  addDriver(C);
  addQueries(C);
  addPools(C);
  addPrimaryContext(C);
  addCallbacks(C);
  addLogs(C);
  addDumps(C);
}

} // namespace cudagraph::conformance
