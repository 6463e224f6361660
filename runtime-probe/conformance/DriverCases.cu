//===- DriverCases.cu - The driver's forms of the main calls --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime keeps the primary context current, so that both APIs work on one
// context and a CUstream is a cudaStream_t.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

extern "C" {
CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr, const void *, size_t);
CUresult cuMemcpyDtoH_v2_ptds(void *, CUdeviceptr, size_t);
CUresult cuMemsetD8_v2_ptds(CUdeviceptr, unsigned char, size_t);
}

namespace cudagraph::conformance {

static void CUDA_CB callback(CUstream, CUresult, void *) {}
static void CUDA_CB hostFunction(void *) {}

static CUdeviceptr address(void *P) { return reinterpret_cast<CUdeviceptr>(P); }
static CUdeviceptr *pointer(Scene &S) {
  return reinterpret_cast<CUdeviceptr *>(&S.P);
}

/// A module with one empty kernel.
static const char Image[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                            ".visible .entry k() { ret; }\n";

static void addSyncs(Cases &C) {
  C.add("cuCtxSynchronize", "", [](Scene &) { return cuCtxSynchronize(); });
  C.add("cuStreamSynchronize", "", [](Scene &S) {
     return cuStreamSynchronize(S.Stream);
   }).streams();
  C.add("cuStreamQuery", "", [](Scene &S) {
     return cuStreamQuery(S.Stream);
   }).streams();
  C.add("cuEventQuery", "", [](Scene &S) {
     return cuEventQuery(S.Event);
   }).events();
  C.add("cuEventSynchronize", "", [](Scene &S) {
     return cuEventSynchronize(S.Event);
   }).events();
  C.add("cuEventRecord", "", [](Scene &S) {
     return cuEventRecord(S.Fresh, S.Stream);
   }).streams();
  C.add("cuStreamWaitEvent", "captured event", [](Scene &S) {
     return cuStreamWaitEvent(S.Stream, S.Captured, 0);
   }).streams();
  C.add("cuStreamWaitEvent", "event recorded before the capture", [](Scene &S) {
     return cuStreamWaitEvent(S.Stream, S.Outside, 0);
   }).streams();
  C.add("cuStreamIsCapturing", "", [](Scene &S) {
     CUstreamCaptureStatus Status;
     return cuStreamIsCapturing(S.Stream, &Status);
   }).streams();
  C.add("cuStreamGetCaptureInfo", "", [](Scene &S) {
     CUstreamCaptureStatus Status;
     return cuStreamGetCaptureInfo(S.Stream, &Status, nullptr, nullptr, nullptr,
                                   nullptr, nullptr);
   }).streams();
  C.add("cuStreamBeginCapture", "twice", [](Scene &S) {
     return cuStreamBeginCapture(S.Stream,
                                 static_cast<CUstreamCaptureMode>(S.Mode));
   }).on({Relation::Origin, Relation::Joined, Relation::Legacy});
  C.add("cuStreamAddCallback", "", [](Scene &S) {
     return cuStreamAddCallback(S.Stream, callback, nullptr, 0);
   }).streams();
  C.add("cuLaunchHostFunc", "", [](Scene &S) {
     return cuLaunchHostFunc(S.Stream, hostFunction, nullptr);
   }).streams();
  C.add("cuStreamCreate", "", [](Scene &S) {
    return cuStreamCreate(&S.NewStream, CU_STREAM_NON_BLOCKING);
  });
  C.add("cuStreamDestroy", "", [](Scene &S) {
     return cuStreamDestroy(S.Stream);
   }).on({Relation::OtherBlocking, Relation::OtherNonBlocking});
  C.add("cuEventCreate", "",
        [](Scene &S) { return cuEventCreate(&S.NewEvent, 0); });
  C.add("cuEventDestroy", "", [](Scene &S) {
     return cuEventDestroy(S.Event);
   }).events();
  C.add("cuStreamWaitValue32", "", [](Scene &S) {
     return cuStreamWaitValue32(S.Stream, address(S.Device2), 0,
                                CU_STREAM_WAIT_VALUE_GEQ);
   }).streams();
  C.add("cuStreamWriteValue32", "", [](Scene &S) {
     return cuStreamWriteValue32(S.Stream, address(S.Device2), 0, 0);
   }).streams();
}

static void addMemory(Cases &C) {
  auto Free = [](Scene &S) { return cuMemFree(*pointer(S)); };
  C.add("cuMemAlloc", "", [](Scene &S) {
     return cuMemAlloc(pointer(S), S.Bytes);
   }).after(Free);
  C.add("cuMemAllocPitch", "", [](Scene &S) {
     return cuMemAllocPitch(pointer(S), &S.N, 64, 4, 4);
   }).after(Free);
  C.add("cuMemAllocManaged", "", [](Scene &S) {
     return cuMemAllocManaged(pointer(S), S.Bytes, CU_MEM_ATTACH_GLOBAL);
   }).after(Free);
  C.add("cuMemFree", "", Free).before([](Scene &S) {
    return cuMemAlloc(pointer(S), S.Bytes);
  });
  auto FreeHost = [](Scene &S) { return cuMemFreeHost(S.P); };
  C.add("cuMemAllocHost", "", [](Scene &S) {
     return cuMemAllocHost(&S.P, S.Bytes);
   }).after(FreeHost);
  C.add("cuMemHostAlloc", "", [](Scene &S) {
     return cuMemHostAlloc(&S.P, S.Bytes, 0);
   }).after(FreeHost);
  C.add("cuMemFreeHost", "", FreeHost).before([](Scene &S) {
    return cuMemAllocHost(&S.P, S.Bytes);
  });
  C.add("cuMemGetInfo", "", [](Scene &S) {
    size_t Total;
    return cuMemGetInfo(&S.N, &Total);
  });
  C.add("cuMemAllocAsync", "", [](Scene &S) {
     return cuMemAllocAsync(pointer(S), S.Bytes, S.Stream);
   }).streams();
  C.add("cuMemFreeAsync", "memory of cudaMallocAsync before the capture",
        [](Scene &S) { return cuMemFreeAsync(*pointer(S), S.Stream); })
      .streams()
      .before(
          [](Scene &S) { return cudaMallocAsync(&S.P, S.Bytes, S.Origin); });
  C.add("cuMemFreeAsync", "memory that the capture allocated",
        [](Scene &S) { return cuMemFreeAsync(*pointer(S), S.Stream); })
      .streams()
      .inside(
          [](Scene &S) { return cudaMallocAsync(&S.P, S.Bytes, S.Origin); });

  constexpr size_t Granule = 2 << 20;
  static const CUmemAllocationProp Properties = [] {
    CUmemAllocationProp P{};
    P.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    P.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return P;
  }();
  auto Reserve = [=](Scene &S) {
    return cuMemAddressReserve(pointer(S), Granule, 0, 0, 0);
  };
  auto Create = [=](Scene &S) {
    return cuMemCreate(reinterpret_cast<CUmemGenericAllocationHandle *>(&S.N),
                       Granule, &Properties, 0);
  };
  auto Map = [=](Scene &S) {
    return cuMemMap(*pointer(S), Granule, 0, S.N, 0);
  };
  auto Access = [=](Scene &S) {
    CUmemAccessDesc D{};
    D.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    D.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return cuMemSetAccess(*pointer(S), Granule, &D, 1);
  };
  auto Both = [=](Scene &S) -> int {
    int E = Reserve(S);
    return E ? E : static_cast<int>(Create(S));
  };
  auto Mapped = [=](Scene &S) -> int {
    int E = Both(S);
    return E ? E : static_cast<int>(Map(S));
  };
  C.add("cuMemAddressReserve", "", Reserve);
  C.add("cuMemCreate", "", Create);
  C.add("cuMemMap", "", Map).before(Both);
  C.add("cuMemSetAccess", "", Access).before(Mapped);
  C.add("cuMemUnmap", "", [=](Scene &S) {
     return cuMemUnmap(*pointer(S), Granule);
   }).before(Mapped);
  C.add("cuMemRelease", "", [](Scene &S) {
     return cuMemRelease(S.N);
   }).before(Both);
  C.add("cuMemAddressFree", "", [=](Scene &S) {
     return cuMemAddressFree(*pointer(S), Granule);
   }).before(Reserve);
}

static void addCopies(Cases &C) {
  C.add("cuMemcpy", "", [](Scene &S) {
    return cuMemcpy(address(S.Device), address(S.Device2), S.Bytes);
  });
  C.add("cuMemcpyHtoD", "", [](Scene &S) {
    return cuMemcpyHtoD(address(S.Device), S.Host, S.Bytes);
  });
  C.add("cuMemcpyHtoD", "per-thread default stream", [](Scene &S) {
     return cuMemcpyHtoD_v2_ptds(address(S.Device), S.Host, S.Bytes);
   }).on({Relation::PerThread});
  C.add("cuMemcpyDtoH", "", [](Scene &S) {
    return cuMemcpyDtoH(S.Host, address(S.Device), S.Bytes);
  });
  C.add("cuMemcpyDtoH", "per-thread default stream", [](Scene &S) {
     return cuMemcpyDtoH_v2_ptds(S.Host, address(S.Device), S.Bytes);
   }).on({Relation::PerThread});
  C.add("cuMemcpyDtoD", "", [](Scene &S) {
    return cuMemcpyDtoD(address(S.Device), address(S.Device2), S.Bytes);
  });
  C.add("cuMemsetD8", "",
        [](Scene &S) { return cuMemsetD8(address(S.Device), 0, S.Bytes); });
  C.add("cuMemsetD8", "per-thread default stream", [](Scene &S) {
     return cuMemsetD8_v2_ptds(address(S.Device), 0, S.Bytes);
   }).on({Relation::PerThread});
  C.add("cuMemsetD32", "",
        [](Scene &S) { return cuMemsetD32(address(S.Device), 0, 16); });
  C.add("cuMemcpyAsync", "", [](Scene &S) {
     return cuMemcpyAsync(address(S.Device), address(S.Device2), S.Bytes,
                          S.Stream);
   }).streams();
  C.add("cuMemcpyHtoDAsync", "", [](Scene &S) {
     return cuMemcpyHtoDAsync(address(S.Device), S.Host, S.Bytes, S.Stream);
   }).streams();
  C.add("cuMemcpyDtoHAsync", "", [](Scene &S) {
     return cuMemcpyDtoHAsync(S.Host, address(S.Device), S.Bytes, S.Stream);
   }).streams();
  C.add("cuMemsetD8Async", "", [](Scene &S) {
     return cuMemsetD8Async(address(S.Device), 0, S.Bytes, S.Stream);
   }).streams();
}

static void addModules(Cases &C) {
  auto Load = [](Scene &S) {
    return cuModuleLoadData(reinterpret_cast<CUmodule *>(&S.P), Image);
  };
  auto Function = [](Scene &S) {
    return cuModuleGetFunction(reinterpret_cast<CUfunction *>(&S.Q),
                               static_cast<CUmodule>(S.P), "k");
  };
  auto Both = [=](Scene &S) -> int {
    int E = Load(S);
    return E ? E : static_cast<int>(Function(S));
  };
  auto Unload = [](Scene &S) {
    return cuModuleUnload(static_cast<CUmodule>(S.P));
  };
  C.add("cuModuleLoadData", "", Load);
  C.add("cuModuleGetFunction", "", Function).before(Load).after(Unload);
  C.add("cuModuleUnload", "", Unload).before(Load);
  C.add("cuModuleUnload", "with a loaded function", Unload).before(Both);
  C.add("cuLibraryLoadData", "", [](Scene &S) {
    return cuLibraryLoadData(reinterpret_cast<CUlibrary *>(&S.P), Image,
                             nullptr, nullptr, 0, nullptr, nullptr, 0);
  });
  C.add("cuLaunchKernel", "",
        [](Scene &S) {
          return cuLaunchKernel(static_cast<CUfunction>(S.Q), 1, 1, 1, 1, 1, 1,
                                0, S.Stream, nullptr, nullptr);
        })
      .streams()
      .before(Both)
      .after(Unload);
  C.add("cuLaunchKernel", "first use of the kernel",
        [](Scene &S) {
          return cuLaunchKernel(static_cast<CUfunction>(S.Q), 1, 1, 1, 1, 1, 1,
                                0, S.Stream, nullptr, nullptr);
        })
      .on({Relation::Origin})
      .before(Load)
      .inside(Function);
  C.add("cuLaunchKernelEx", "",
        [](Scene &S) {
          CUlaunchConfig Config{};
          Config.gridDimX = Config.gridDimY = Config.gridDimZ = 1;
          Config.blockDimX = Config.blockDimY = Config.blockDimZ = 1;
          Config.hStream = S.Stream;
          return cuLaunchKernelEx(&Config, static_cast<CUfunction>(S.Q),
                                  nullptr, nullptr);
        })
      .streams()
      .before(Both)
      .after(Unload);
  C.add("cuCtxGetCurrent", "", [](Scene &S) {
    return cuCtxGetCurrent(reinterpret_cast<CUcontext *>(&S.P));
  });
  C.add("cuDevicePrimaryCtxRetain", "", [](Scene &S) {
    return cuDevicePrimaryCtxRetain(reinterpret_cast<CUcontext *>(&S.P), 0);
  });
  C.add("cuCtxCreate", "", [](Scene &S) {
     int E = cuCtxCreate(reinterpret_cast<CUcontext *>(&S.P), nullptr, 0, 0);
     CUcontext Old;
     if (!E)
       cuCtxPopCurrent(&Old);
     return E;
   }).fresh();
}

void addDriverCases(Cases &C) {
  addSyncs(C);
  addMemory(C);
  addCopies(C);
  addModules(C);
}

} // namespace cudagraph::conformance
