//===- DriverStateCases.cu - The driver's forms of the other calls --------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scene.h"
#include <cstdlib>
#include <cudaProfiler.h>

namespace cudagraph::conformance {

static CUdeviceptr address(void *P) { return reinterpret_cast<CUdeviceptr>(P); }

static void addStreamProperties(Cases &C) {
  C.add("cuStreamGetFlags", "", [](Scene &S) {
     unsigned Flags;
     return cuStreamGetFlags(S.Stream, &Flags);
   }).streams();
  C.add("cuStreamGetId", "", [](Scene &S) {
     unsigned long long Id;
     return cuStreamGetId(S.Stream, &Id);
   }).streams();
  C.add("cuStreamGetDevice", "", [](Scene &S) {
     return cuStreamGetDevice(S.Stream, &S.I);
   }).streams();
  C.add("cuStreamGetPriority", "", [](Scene &S) {
     return cuStreamGetPriority(S.Stream, &S.I);
   }).streams();
  C.add("cuStreamGetCtx", "", [](Scene &S) {
     return cuStreamGetCtx(S.Stream, reinterpret_cast<CUcontext *>(&S.P));
   }).streams();
  C.add("cuStreamGetAttribute", "", [](Scene &S) {
     CUstreamAttrValue Value;
     return cuStreamGetAttribute(
         S.Stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &Value);
   }).streams();
  C.add("cuStreamSetAttribute", "", [](Scene &S) {
     CUstreamAttrValue Value{};
     Value.syncPolicy = CU_SYNC_POLICY_AUTO;
     return cuStreamSetAttribute(
         S.Stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &Value);
   }).streams();
  C.add("cuStreamCopyAttributes", "", [](Scene &S) {
     return cuStreamCopyAttributes(S.Stream, S.OtherNonBlocking);
   }).streams();
  C.add("cuStreamEndCapture", "", [](Scene &S) {
     CUgraph Graph = nullptr;
     return cuStreamEndCapture(S.Stream, &Graph);
   }).streams();
  C.add("cuStreamUpdateCaptureDependencies", "", [](Scene &S) {
     return cuStreamUpdateCaptureDependencies(
         S.Stream, nullptr, nullptr, 0, CU_STREAM_ADD_CAPTURE_DEPENDENCIES);
   }).streams();
  C.add("cuStreamBatchMemOp", "", [](Scene &S) {
     CUstreamBatchMemOpParams P{};
     P.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
     P.writeValue.address = address(S.Device2);
     return cuStreamBatchMemOp(S.Stream, 1, &P, 0);
   }).streams();
  C.add("cuEventElapsedTime", "",
        [](Scene &S) {
          float Ms;
          return cuEventElapsedTime(&Ms, S.NewEvent, S.Event);
        })
      .events()
      .before([](Scene &S) {
        int E = cudaEventCreate(&S.NewEvent);
        return E ? E : static_cast<int>(cudaEventRecord(S.NewEvent, S.Origin));
      });
}

static void addGraphs(Cases &C) {
  auto Make = [](Scene &S) -> int {
    int E = cudaGraphCreate(&S.Graph, 0);
    cudaMemsetParams P{};
    P.dst = S.Device2;
    P.elementSize = 1;
    P.width = 64;
    P.height = 1;
    return E ? E : cudaGraphAddMemsetNode(&S.Node, S.Graph, nullptr, 0, &P);
  };
  auto Instantiate = [=](Scene &S) -> int {
    int E = Make(S);
    return E ? E : cudaGraphInstantiate(&S.Exec, S.Graph, 0);
  };
  C.add("cuGraphInstantiateWithFlags", "", [](Scene &S) {
     return cuGraphInstantiateWithFlags(&S.Exec, S.Graph, 0);
   }).before(Make);
  C.add("cuGraphInstantiateWithParams", "", [](Scene &S) {
     CUDA_GRAPH_INSTANTIATE_PARAMS P{};
     return cuGraphInstantiateWithParams(&S.Exec, S.Graph, &P);
   }).before(Make);
  C.add("cuGraphLaunch", "",
        [](Scene &S) { return cuGraphLaunch(S.Exec, S.Stream); })
      .streams()
      .before(Instantiate);
  C.add("cuGraphUpload", "",
        [](Scene &S) { return cuGraphUpload(S.Exec, S.Stream); })
      .streams()
      .before(Instantiate);
  C.add("cuGraphExecUpdate", "", [](Scene &S) {
     CUgraphExecUpdateResultInfo Info{};
     return cuGraphExecUpdate(S.Exec, S.Graph, &Info);
   }).before(Instantiate);
  C.add("cuGraphExecDestroy", "", [](Scene &S) {
     return cuGraphExecDestroy(S.Exec);
   }).before(Instantiate);
  C.add("cuGraphDestroy", "", [](Scene &S) {
     return cuGraphDestroy(S.Graph);
   }).before(Make);
}

static void addMemory(Cases &C) {
  auto Page = [](Scene &S) {
    S.P = std::aligned_alloc(4096, S.Bytes);
    return 0;
  };
  auto Register = [](Scene &S) { return cuMemHostRegister(S.P, S.Bytes, 0); };
  auto Unregister = [](Scene &S) { return cuMemHostUnregister(S.P); };
  C.add("cuMemHostRegister", "", Register).before(Page).after(Unregister);
  C.add("cuMemHostUnregister", "", Unregister).before([=](Scene &S) {
    Page(S);
    return Register(S);
  });
  auto MakeArray = [](Scene &S) {
    CUDA_ARRAY_DESCRIPTOR D{};
    D.Width = 16;
    D.Height = 4;
    D.Format = CU_AD_FORMAT_FLOAT;
    D.NumChannels = 1;
    return cuArrayCreate(reinterpret_cast<CUarray *>(&S.P), &D);
  };
  auto FreeArray = [](Scene &S) {
    return cuArrayDestroy(static_cast<CUarray>(S.P));
  };
  C.add("cuArrayCreate", "", MakeArray).after(FreeArray);
  C.add("cuArrayDestroy", "", FreeArray).before(MakeArray);
  C.add("cuMemPoolTrimTo", "", [](Scene &S) {
     return cuMemPoolTrimTo(S.Pool, 0);
   }).before([](Scene &S) { return cudaDeviceGetDefaultMemPool(&S.Pool, 0); });
  C.add("cuMemPoolGetAttribute", "", [](Scene &S) {
     cuuint64_t Value;
     return cuMemPoolGetAttribute(S.Pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
                                  &Value);
   }).before([](Scene &S) { return cudaDeviceGetDefaultMemPool(&S.Pool, 0); });
  C.add("cuMemAllocFromPoolAsync", "",
        [](Scene &S) {
          return cuMemAllocFromPoolAsync(reinterpret_cast<CUdeviceptr *>(&S.P),
                                         S.Bytes, S.Pool, S.Stream);
        })
      .streams()
      .before([](Scene &S) { return cudaDeviceGetDefaultMemPool(&S.Pool, 0); });
  auto Managed = [](Scene &S) { return cudaMallocManaged(&S.P, S.Bytes); };
  C.add("cuStreamAttachMemAsync", "",
        [](Scene &S) {
          return cuStreamAttachMemAsync(S.Stream, address(S.P), 0,
                                        CU_MEM_ATTACH_SINGLE);
        })
      .on({Relation::Origin, Relation::Joined, Relation::OtherBlocking,
           Relation::OtherNonBlocking})
      .before(Managed);
  C.add("cuMemPrefetchAsync", "",
        [](Scene &S) {
          CUmemLocation Where{CU_MEM_LOCATION_TYPE_DEVICE, 0};
          return cuMemPrefetchAsync(address(S.P), S.Bytes, Where, 0, S.Stream);
        })
      .streams()
      .before(Managed);
  C.add("cuMemAdvise", "", [](Scene &S) {
     CUmemLocation Where{CU_MEM_LOCATION_TYPE_DEVICE, 0};
     return cuMemAdvise(address(S.P), S.Bytes, CU_MEM_ADVISE_SET_READ_MOSTLY,
                        Where);
   }).before(Managed);
  C.add("cuMemcpyPeerAsync", "", [](Scene &S) {
     CUcontext Ctx;
     cuCtxGetCurrent(&Ctx);
     return cuMemcpyPeerAsync(address(S.Device), Ctx, address(S.Device2), Ctx,
                              S.Bytes, S.Stream);
   }).streams();
  C.add("cuMemcpyBatchAsync", "", [](Scene &S) {
     CUdeviceptr Dst = address(S.Device), Src = address(S.Device2);
     size_t Size = 64, Index = 0;
     CUmemcpyAttributes A{};
     A.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
     return cuMemcpyBatchAsync(&Dst, &Src, &Size, 1, &A, &Index, 1, S.Stream);
   }).streams();
  C.add("cuMemcpy2D", "", [](Scene &S) {
    CUDA_MEMCPY2D P{};
    P.srcMemoryType = P.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    P.srcDevice = address(S.Device2);
    P.dstDevice = address(S.Device);
    P.srcPitch = P.dstPitch = 64;
    P.WidthInBytes = 32;
    P.Height = 4;
    return cuMemcpy2D(&P);
  });
  C.add("cuMemcpy2DAsync", "", [](Scene &S) {
     CUDA_MEMCPY2D P{};
     P.srcMemoryType = P.dstMemoryType = CU_MEMORYTYPE_DEVICE;
     P.srcDevice = address(S.Device2);
     P.dstDevice = address(S.Device);
     P.srcPitch = P.dstPitch = 64;
     P.WidthInBytes = 32;
     P.Height = 4;
     return cuMemcpy2DAsync(&P, S.Stream);
   }).streams();
}

void addDriverStateCases(Cases &C) {
  addStreamProperties(C);
  addGraphs(C);
  addMemory(C);
  C.add("cuCtxSetLimit", "", [](Scene &) {
    return cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0);
  });
  C.add("cuCtxGetLimit", "",
        [](Scene &S) { return cuCtxGetLimit(&S.N, CU_LIMIT_STACK_SIZE); });
  C.add("cuCtxSetCacheConfig", "",
        [](Scene &) { return cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_NONE); });
  C.add("cuCtxSetCurrent", "", [](Scene &S) {
     return cuCtxSetCurrent(static_cast<CUcontext>(S.P));
   }).before([](Scene &S) {
    return cuCtxGetCurrent(reinterpret_cast<CUcontext *>(&S.P));
  });
  C.add("cuProfilerStart", "", [](Scene &) { return cuProfilerStart(); });
  C.add("cuThreadExchangeStreamCaptureMode", "", [](Scene &) {
    CUstreamCaptureMode Mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    int E = cuThreadExchangeStreamCaptureMode(&Mode);
    cuThreadExchangeStreamCaptureMode(&Mode);
    return E;
  });
}

} // namespace cudagraph::conformance
