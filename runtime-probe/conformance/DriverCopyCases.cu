//===- DriverCopyCases.cu - The driver's copies and sets ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls that are not in DriverCases.cu and DriverStateCases.cu. Copies between
// devices go from device 0 to itself.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

static CUdeviceptr address(void *P) { return reinterpret_cast<CUdeviceptr>(P); }
static CUarray array(void *P) { return static_cast<CUarray>(P); }
static CUcontext context(Scene &S) { return static_cast<CUcontext>(S.P); }

static int getContext(Scene &S) {
  return cuCtxGetCurrent(reinterpret_cast<CUcontext *>(&S.P));
}

/// Arrays of 64 floats in Scene::P and Scene::Q.
static int makeArrays(Scene &S) {
  CUDA_ARRAY_DESCRIPTOR D{};
  D.Width = 64;
  D.Format = CU_AD_FORMAT_FLOAT;
  D.NumChannels = 1;
  int E = cuArrayCreate(reinterpret_cast<CUarray *>(&S.P), &D);
  return E ? E : cuArrayCreate(reinterpret_cast<CUarray *>(&S.Q), &D);
}
static int freeArrays(Scene &S) {
  cuArrayDestroy(array(S.P));
  return cuArrayDestroy(array(S.Q));
}

static int makeManaged(Scene &S) {
  return cuMemAllocManaged(reinterpret_cast<CUdeviceptr *>(&S.P), S.Bytes,
                           CU_MEM_ATTACH_GLOBAL);
}
static int freeManaged(Scene &S) { return cuMemFree(address(S.P)); }

static void addArrays(Cases &C) {
  C.add("cuMemcpyAtoA", "",
        [](Scene &S) { return cuMemcpyAtoA(array(S.P), 0, array(S.Q), 0, 64); })
      .before(makeArrays)
      .after(freeArrays);
  C.add("cuMemcpyAtoD", "",
        [](Scene &S) {
          return cuMemcpyAtoD(address(S.Device), array(S.P), 0, 64);
        })
      .before(makeArrays)
      .after(freeArrays);
  C.add("cuMemcpyAtoH", "",
        [](Scene &S) { return cuMemcpyAtoH(S.Host, array(S.P), 0, 64); })
      .before(makeArrays)
      .after(freeArrays);
  C.add("cuMemcpyDtoA", "",
        [](Scene &S) {
          return cuMemcpyDtoA(array(S.P), 0, address(S.Device), 64);
        })
      .before(makeArrays)
      .after(freeArrays);
  C.add("cuMemcpyHtoA", "",
        [](Scene &S) { return cuMemcpyHtoA(array(S.P), 0, S.Host, 64); })
      .before(makeArrays)
      .after(freeArrays);
  C.add("cuMemcpyAtoHAsync", "to pageable host",
        [](Scene &S) {
          return cuMemcpyAtoHAsync(S.Host, array(S.P), 0, 64, S.Stream);
        })
      .streams()
      .before(makeArrays)
      .after(freeArrays);
  C.add("cuMemcpyAtoHAsync", "to pinned host",
        [](Scene &S) {
          return cuMemcpyAtoHAsync(S.Pinned, array(S.P), 0, 64, S.Stream);
        })
      .streams()
      .before(makeArrays)
      .after(freeArrays);
  C.add("cuMemcpyHtoAAsync", "from pageable host",
        [](Scene &S) {
          return cuMemcpyHtoAAsync(array(S.P), 0, S.Host, 64, S.Stream);
        })
      .streams()
      .before(makeArrays)
      .after(freeArrays);
  C.add("cuMemcpyHtoAAsync", "from pinned host",
        [](Scene &S) {
          return cuMemcpyHtoAAsync(array(S.P), 0, S.Pinned, 64, S.Stream);
        })
      .streams()
      .before(makeArrays)
      .after(freeArrays);
}

static void addShaped(Cases &C) {
  C.add("cuMemcpy2DUnaligned", "", [](Scene &S) {
    CUDA_MEMCPY2D P{};
    P.srcMemoryType = P.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    P.srcDevice = address(S.Device2);
    P.dstDevice = address(S.Device);
    P.srcPitch = P.dstPitch = 64;
    P.WidthInBytes = 32;
    P.Height = 4;
    return cuMemcpy2DUnaligned(&P);
  });
  C.add("cuMemcpy3D", "device to device", [](Scene &S) {
    CUDA_MEMCPY3D P{};
    P.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    P.srcDevice = address(S.Device2);
    P.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    P.dstDevice = address(S.Device);
    P.srcPitch = P.dstPitch = 64;
    P.srcHeight = P.dstHeight = 4;
    P.WidthInBytes = 32;
    P.Height = 4;
    P.Depth = 2;
    return cuMemcpy3D(&P);
  });
  C.add("cuMemcpy3D", "pageable host to device", [](Scene &S) {
    CUDA_MEMCPY3D P{};
    P.srcMemoryType = CU_MEMORYTYPE_HOST;
    P.srcHost = S.Host;
    P.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    P.dstDevice = address(S.Device);
    P.srcPitch = P.dstPitch = 64;
    P.srcHeight = P.dstHeight = 4;
    P.WidthInBytes = 32;
    P.Height = 4;
    P.Depth = 2;
    return cuMemcpy3D(&P);
  });
  C.add("cuMemcpy3DAsync", "device to device", [](Scene &S) {
     CUDA_MEMCPY3D P{};
     P.srcMemoryType = CU_MEMORYTYPE_DEVICE;
     P.srcDevice = address(S.Device2);
     P.dstMemoryType = CU_MEMORYTYPE_DEVICE;
     P.dstDevice = address(S.Device);
     P.srcPitch = P.dstPitch = 64;
     P.srcHeight = P.dstHeight = 4;
     P.WidthInBytes = 32;
     P.Height = 4;
     P.Depth = 2;
     return cuMemcpy3DAsync(&P, S.Stream);
   }).streams();
  C.add("cuMemcpy3DAsync", "pageable host to device", [](Scene &S) {
     CUDA_MEMCPY3D P{};
     P.srcMemoryType = CU_MEMORYTYPE_HOST;
     P.srcHost = S.Host;
     P.dstMemoryType = CU_MEMORYTYPE_DEVICE;
     P.dstDevice = address(S.Device);
     P.srcPitch = P.dstPitch = 64;
     P.srcHeight = P.dstHeight = 4;
     P.WidthInBytes = 32;
     P.Height = 4;
     P.Depth = 2;
     return cuMemcpy3DAsync(&P, S.Stream);
   }).streams();
}

static void addPeers(Cases &C) {
  C.add("cuMemcpyPeer", "", [](Scene &S) {
     return cuMemcpyPeer(address(S.Device), context(S), address(S.Device2),
                         context(S), S.Bytes);
   }).before(getContext);
  C.add("cuMemcpy3DPeer", "", [](Scene &S) {
     CUDA_MEMCPY3D_PEER P{};
     P.srcMemoryType = CU_MEMORYTYPE_DEVICE;
     P.srcDevice = address(S.Device2);
     P.dstMemoryType = CU_MEMORYTYPE_DEVICE;
     P.dstDevice = address(S.Device);
     P.srcContext = P.dstContext = context(S);
     P.srcPitch = P.dstPitch = 64;
     P.srcHeight = P.dstHeight = 4;
     P.WidthInBytes = 32;
     P.Height = 4;
     P.Depth = 2;
     return cuMemcpy3DPeer(&P);
   }).before(getContext);
  C.add("cuMemcpy3DPeerAsync", "",
        [](Scene &S) {
          CUDA_MEMCPY3D_PEER P{};
          P.srcMemoryType = CU_MEMORYTYPE_DEVICE;
          P.srcDevice = address(S.Device2);
          P.dstMemoryType = CU_MEMORYTYPE_DEVICE;
          P.dstDevice = address(S.Device);
          P.srcContext = P.dstContext = context(S);
          P.srcPitch = P.dstPitch = 64;
          P.srcHeight = P.dstHeight = 4;
          P.WidthInBytes = 32;
          P.Height = 4;
          P.Depth = 2;
          return cuMemcpy3DPeerAsync(&P, S.Stream);
        })
      .streams()
      .before(getContext);
}

static void addLinear(Cases &C) {
  C.add("cuMemcpyDtoDAsync", "", [](Scene &S) {
     return cuMemcpyDtoDAsync(address(S.Device), address(S.Device2), S.Bytes,
                              S.Stream);
   }).streams();
  C.add("cuMemsetD16", "",
        [](Scene &S) { return cuMemsetD16(address(S.Device), 0, 16); });
  C.add("cuMemsetD2D8", "",
        [](Scene &S) { return cuMemsetD2D8(address(S.Device), 64, 0, 32, 4); });
  C.add("cuMemsetD2D16", "", [](Scene &S) {
    return cuMemsetD2D16(address(S.Device), 64, 0, 16, 4);
  });
  C.add("cuMemsetD2D32", "",
        [](Scene &S) { return cuMemsetD2D32(address(S.Device), 64, 0, 8, 4); });
  C.add("cuMemsetD16Async", "", [](Scene &S) {
     return cuMemsetD16Async(address(S.Device), 0, 16, S.Stream);
   }).streams();
  C.add("cuMemsetD32Async", "", [](Scene &S) {
     return cuMemsetD32Async(address(S.Device), 0, 16, S.Stream);
   }).streams();
  C.add("cuMemsetD2D8Async", "", [](Scene &S) {
     return cuMemsetD2D8Async(address(S.Device), 64, 0, 32, 4, S.Stream);
   }).streams();
  C.add("cuMemsetD2D16Async", "", [](Scene &S) {
     return cuMemsetD2D16Async(address(S.Device), 64, 0, 16, 4, S.Stream);
   }).streams();
  C.add("cuMemsetD2D32Async", "", [](Scene &S) {
     return cuMemsetD2D32Async(address(S.Device), 64, 0, 8, 4, S.Stream);
   }).streams();
}

static void addBatches(Cases &C) {
  C.add("cuMemcpy3DBatchAsync", "", [](Scene &S) {
     CUDA_MEMCPY3D_BATCH_OP Op{};
     Op.src.type = Op.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
     Op.src.op.ptr.ptr = address(S.Device2);
     Op.dst.op.ptr.ptr = address(S.Device);
     Op.src.op.ptr.locHint =
         Op.dst.op.ptr.locHint = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
     Op.extent = {64, 1, 1};
     Op.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
     return cuMemcpy3DBatchAsync(1, &Op, 0, S.Stream);
   }).streams();
  C.add("cuMemPrefetchBatchAsync", "",
        [](Scene &S) {
          CUdeviceptr Range = address(S.P);
          size_t Size = S.Bytes, Index = 0;
          CUmemLocation Where{CU_MEM_LOCATION_TYPE_DEVICE, 0};
          return cuMemPrefetchBatchAsync(&Range, &Size, 1, &Where, &Index, 1, 0,
                                         S.Stream);
        })
      .streams()
      .before(makeManaged)
      .after(freeManaged);
  C.add("cuMemDiscardBatchAsync", "",
        [](Scene &S) {
          CUdeviceptr Range = address(S.P);
          size_t Size = S.Bytes;
          return cuMemDiscardBatchAsync(&Range, &Size, 1, 0, S.Stream);
        })
      .streams()
      .before(makeManaged)
      .after(freeManaged);
  C.add("cuMemDiscardAndPrefetchBatchAsync", "",
        [](Scene &S) {
          CUdeviceptr Range = address(S.P);
          size_t Size = S.Bytes, Index = 0;
          CUmemLocation Where{CU_MEM_LOCATION_TYPE_DEVICE, 0};
          return cuMemDiscardAndPrefetchBatchAsync(&Range, &Size, 1, &Where,
                                                   &Index, 1, 0, S.Stream);
        })
      .streams()
      .before(makeManaged)
      .after(freeManaged);
}

void addDriverCopyCases(Cases &C) {
  addLinear(C);
  addArrays(C);
  addShaped(C);
  addPeers(C);
  addBatches(C);
}

} // namespace cudagraph::conformance
