//===- MemoryCases.cu - Allocation and registration -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

#include <cstdlib>

namespace cudagraph::conformance {

static void addDeviceMemory(Cases &C) {
  auto Free = [](Scene &S) { return cudaFree(S.P); };
  C.add("cudaMalloc", "", [](Scene &S) {
     return cudaMalloc(&S.P, S.Bytes);
   }).after(Free);
  C.add("cudaMallocPitch", "", [](Scene &S) {
     return cudaMallocPitch(&S.P, &S.N, 64, 4);
   }).after(Free);
  C.add("cudaMalloc3D", "", [](Scene &S) {
    cudaPitchedPtr Pitched{};
    return cudaMalloc3D(&Pitched, make_cudaExtent(64, 4, 4));
  });
  C.add("cudaMallocManaged", "", [](Scene &S) {
     return cudaMallocManaged(&S.P, S.Bytes);
   }).after(Free);
  C.add("cudaFree", "", Free).before([](Scene &S) {
    return cudaMalloc(&S.P, S.Bytes);
  });
  C.add("cudaFree", "null pointer", [](Scene &) { return cudaFree(nullptr); });
  C.add("cudaFree", "managed memory", Free).before([](Scene &S) {
    return cudaMallocManaged(&S.P, S.Bytes);
  });
  C.add("cudaFree", "memory of cudaMallocAsync before the capture", Free)
      .before(
          [](Scene &S) { return cudaMallocAsync(&S.P, S.Bytes, S.Origin); });
  C.add("cudaFree", "memory that the capture allocated", Free)
      .inside(
          [](Scene &S) { return cudaMallocAsync(&S.P, S.Bytes, S.Origin); });
}

static void addArrays(Cases &C) {
  static const cudaChannelFormatDesc Float =
      cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  auto Make = [](Scene &S) { return cudaMallocArray(&S.Array, &Float, 16, 4); };
  auto Free = [](Scene &S) { return cudaFreeArray(S.Array); };
  C.add("cudaMallocArray", "", Make).after(Free);
  C.add("cudaMalloc3DArray", "", [](Scene &S) {
     return cudaMalloc3DArray(&S.Array, &Float, make_cudaExtent(16, 4, 4));
   }).after(Free);
  C.add("cudaFreeArray", "", Free).before(Make);
  auto MakeLevels = [](Scene &S) {
    return cudaMallocMipmappedArray(
        reinterpret_cast<cudaMipmappedArray_t *>(&S.P), &Float,
        make_cudaExtent(16, 16, 0), 2);
  };
  auto FreeLevels = [](Scene &S) {
    return cudaFreeMipmappedArray(static_cast<cudaMipmappedArray_t>(S.P));
  };
  C.add("cudaMallocMipmappedArray", "", MakeLevels).after(FreeLevels);
  C.add("cudaFreeMipmappedArray", "", FreeLevels).before(MakeLevels);
  C.add("cudaArrayGetInfo", "", [](Scene &S) {
     cudaChannelFormatDesc Format;
     return cudaArrayGetInfo(&Format, nullptr, nullptr, S.Array);
   }).before(Make);

  C.add("cudaCreateTextureObject", "", [](Scene &S) {
     cudaResourceDesc R{};
     R.resType = cudaResourceTypeArray;
     R.res.array.array = S.Array;
     cudaTextureDesc T{};
     cudaTextureObject_t Object;
     return cudaCreateTextureObject(&Object, &R, &T, nullptr);
   }).before(Make);
  auto MakeTexture = [](Scene &S) {
    cudaResourceDesc R{};
    R.resType = cudaResourceTypeLinear;
    R.res.linear.devPtr = S.Device;
    R.res.linear.desc = Float;
    R.res.linear.sizeInBytes = S.Bytes;
    cudaTextureDesc T{};
    return cudaCreateTextureObject(
        reinterpret_cast<cudaTextureObject_t *>(&S.N), &R, &T, nullptr);
  };
  C.add("cudaCreateTextureObject", "linear memory", MakeTexture);
  C.add("cudaDestroyTextureObject", "", [](Scene &S) {
     return cudaDestroyTextureObject(S.N);
   }).before(MakeTexture);
  auto MakeSurface = [](Scene &S) {
    cudaResourceDesc R{};
    R.resType = cudaResourceTypeArray;
    R.res.array.array = S.Array;
    return cudaCreateSurfaceObject(
        reinterpret_cast<cudaSurfaceObject_t *>(&S.N), &R);
  };
  auto MakeStore = [](Scene &S) {
    return cudaMallocArray(&S.Array, &Float, 16, 4, cudaArraySurfaceLoadStore);
  };
  C.add("cudaCreateSurfaceObject", "", MakeSurface).before(MakeStore);
  C.add("cudaDestroySurfaceObject", "", [](Scene &S) {
     return cudaDestroySurfaceObject(S.N);
   }).before([=](Scene &S) {
    int E = MakeStore(S);
    return E ? E : static_cast<int>(MakeSurface(S));
  });
}

static void addHostMemory(Cases &C) {
  auto Make = [](Scene &S) { return cudaMallocHost(&S.P, S.Bytes); };
  auto Free = [](Scene &S) { return cudaFreeHost(S.P); };
  C.add("cudaMallocHost", "", Make).after(Free);
  C.add("cudaHostAlloc", "", [](Scene &S) {
     return cudaHostAlloc(&S.P, S.Bytes, cudaHostAllocDefault);
   }).after(Free);
  C.add("cudaHostAlloc", "mapped", [](Scene &S) {
     return cudaHostAlloc(&S.P, S.Bytes,
                          cudaHostAllocMapped | cudaHostAllocPortable);
   }).after(Free);
  C.add("cudaFreeHost", "", Free).before(Make);
  C.add("cudaFreeHost", "null pointer",
        [](Scene &) { return cudaFreeHost(nullptr); });
  auto Page = [](Scene &S) {
    S.P = std::aligned_alloc(4096, S.Bytes);
    return 0;
  };
  auto Register = [](Scene &S) { return cudaHostRegister(S.P, S.Bytes, 0); };
  auto Unregister = [](Scene &S) { return cudaHostUnregister(S.P); };
  C.add("cudaHostRegister", "", Register).before(Page).after(Unregister);
  C.add("cudaHostUnregister", "", Unregister).before([=](Scene &S) {
    Page(S);
    return Register(S);
  });
  C.add("cudaHostGetDevicePointer", "",
        [](Scene &S) { return cudaHostGetDevicePointer(&S.P, S.Pinned, 0); });
  C.add("cudaHostGetFlags", "", [](Scene &S) {
    unsigned Flags;
    return cudaHostGetFlags(&Flags, S.Pinned);
  });
}

void addMemoryCases(Cases &C) {
  addDeviceMemory(C);
  addArrays(C);
  addHostMemory(C);
  C.add("cudaPointerGetAttributes", "", [](Scene &S) {
    cudaPointerAttributes A;
    return cudaPointerGetAttributes(&A, S.Device);
  });
  C.add("cudaMemGetInfo", "", [](Scene &S) {
    size_t Total;
    return cudaMemGetInfo(&S.N, &Total);
  });
  auto Managed = [](Scene &S) { return cudaMallocManaged(&S.P, S.Bytes); };
  static const cudaMemLocation Device{cudaMemLocationTypeDevice, 0};
  C.add("cudaMemAdvise", "", [](Scene &S) {
     return cudaMemAdvise(S.P, S.Bytes, cudaMemAdviseSetReadMostly, Device);
   }).before(Managed);
  C.add("cudaMemRangeGetAttribute", "", [](Scene &S) {
     return cudaMemRangeGetAttribute(
         &S.I, sizeof(S.I), cudaMemRangeAttributeReadMostly, S.P, S.Bytes);
   }).before(Managed);
  C.add("cudaMemPrefetchAsync", "",
        [](Scene &S) {
          return cudaMemPrefetchAsync(S.P, S.Bytes, Device, 0, S.Stream);
        })
      .streams()
      .before(Managed);
  C.add("cudaMemPrefetchBatchAsync", "",
        [](Scene &S) {
          size_t Size = S.Bytes, Index = 0;
          cudaMemLocation Where = Device;
          return cudaMemPrefetchBatchAsync(&S.P, &Size, 1, &Where, &Index, 1, 0,
                                           S.Stream);
        })
      .streams()
      .before(Managed);
  C.add("cudaMemDiscardBatchAsync", "",
        [](Scene &S) {
          size_t Size = S.Bytes;
          return cudaMemDiscardBatchAsync(&S.P, &Size, 1, 0, S.Stream);
        })
      .streams()
      .before(Managed);
  C.add("cudaMemDiscardAndPrefetchBatchAsync", "",
        [](Scene &S) {
          size_t Size = S.Bytes, Index = 0;
          cudaMemLocation Where = Device;
          return cudaMemDiscardAndPrefetchBatchAsync(&S.P, &Size, 1, &Where,
                                                     &Index, 1, 0, S.Stream);
        })
      .streams()
      .before(Managed);
}

} // namespace cudagraph::conformance
