//===- DriverArrayCases.cu - Arrays of the driver -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays, mipmaps, sparse arrays, and tensor maps.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

// Used by DriverReferenceCases.cu and DriverTextureCases.cu.

static CUarray array(Scene &S) { return static_cast<CUarray>(S.P); }
static CUmipmappedArray levels(Scene &S) {
  return static_cast<CUmipmappedArray>(S.P);
}

static CUDA_ARRAY3D_DESCRIPTOR square(size_t Side, unsigned Flags) {
  CUDA_ARRAY3D_DESCRIPTOR D{};
  D.Width = D.Height = Side;
  D.Format = CU_AD_FORMAT_FLOAT;
  D.NumChannels = 1;
  D.Flags = Flags;
  return D;
}

/// An array in Scene::P.
static int makeFlagged(Scene &S, unsigned Flags) {
  CUDA_ARRAY3D_DESCRIPTOR D = square(512, Flags);
  return cuArray3DCreate(reinterpret_cast<CUarray *>(&S.P), &D);
}
static int makeArray(Scene &S) { return makeFlagged(S, 0); }
static int makeSparse(Scene &S) { return makeFlagged(S, CUDA_ARRAY3D_SPARSE); }
static int makeDeferred(Scene &S) {
  return makeFlagged(S, CUDA_ARRAY3D_DEFERRED_MAPPING);
}
static int freeArray(Scene &S) { return S.P ? cuArrayDestroy(array(S)) : 0; }

static void addArrays(Cases &C) {
  C.add("cuArray3DCreate", "", [](Scene &S) {
     CUDA_ARRAY3D_DESCRIPTOR D{};
     D.Width = 16;
     D.Height = D.Depth = 4;
     D.Format = CU_AD_FORMAT_FLOAT;
     D.NumChannels = 1;
     return cuArray3DCreate(reinterpret_cast<CUarray *>(&S.P), &D);
   }).after(freeArray);
  C.add("cuArrayGetDescriptor", "",
        [](Scene &S) {
          CUDA_ARRAY_DESCRIPTOR D;
          return cuArrayGetDescriptor(&D, array(S));
        })
      .before(makeArray)
      .after(freeArray);
  C.add("cuArray3DGetDescriptor", "",
        [](Scene &S) {
          CUDA_ARRAY3D_DESCRIPTOR D;
          return cuArray3DGetDescriptor(&D, array(S));
        })
      .before(makeArray)
      .after(freeArray);
  C.add("cuArrayGetMemoryRequirements", "",
        [](Scene &S) {
          CUDA_ARRAY_MEMORY_REQUIREMENTS R;
          return cuArrayGetMemoryRequirements(&R, array(S), 0);
        })
      .before(makeDeferred)
      .after(freeArray);
  C.add("cuArrayGetSparseProperties", "",
        [](Scene &S) {
          CUDA_ARRAY_SPARSE_PROPERTIES P;
          return cuArrayGetSparseProperties(&P, array(S));
        })
      .before(makeSparse)
      .after(freeArray);
  C.add("cuArrayGetPlane", "",
        [](Scene &S) {
          return cuArrayGetPlane(reinterpret_cast<CUarray *>(&S.Q), array(S),
                                 0);
        })
      .before([](Scene &S) {
        CUDA_ARRAY3D_DESCRIPTOR D{};
        D.Width = D.Height = 64;
        D.Format = CU_AD_FORMAT_NV12;
        D.NumChannels = 3;
        D.Flags = CUDA_ARRAY3D_VIDEO_ENCODE_DECODE; // none without it
        return cuArray3DCreate(reinterpret_cast<CUarray *>(&S.P), &D);
      })
      .after(freeArray);
}

/// A mipmapped array with two levels in Scene::P.
static int makeLevels(Scene &S, unsigned Flags) {
  CUDA_ARRAY3D_DESCRIPTOR D = square(512, Flags);
  return cuMipmappedArrayCreate(reinterpret_cast<CUmipmappedArray *>(&S.P), &D,
                                2);
}
static int freeLevels(Scene &S) {
  return S.P ? cuMipmappedArrayDestroy(levels(S)) : 0;
}

static void addLevels(Cases &C) {
  auto Make = [](Scene &S) { return makeLevels(S, 0); };
  C.add("cuMipmappedArrayCreate", "", [](Scene &S) {
     CUDA_ARRAY3D_DESCRIPTOR D = square(64, 0);
     return cuMipmappedArrayCreate(reinterpret_cast<CUmipmappedArray *>(&S.P),
                                   &D, 2);
   }).after(freeLevels);
  C.add("cuMipmappedArrayDestroy", "", [](Scene &S) {
     return cuMipmappedArrayDestroy(levels(S));
   }).before(Make);
  C.add("cuMipmappedArrayGetLevel", "",
        [](Scene &S) {
          return cuMipmappedArrayGetLevel(reinterpret_cast<CUarray *>(&S.Q),
                                          levels(S), 1);
        })
      .before(Make)
      .after(freeLevels);
  C.add("cuMipmappedArrayGetMemoryRequirements", "",
        [](Scene &S) {
          CUDA_ARRAY_MEMORY_REQUIREMENTS R;
          return cuMipmappedArrayGetMemoryRequirements(&R, levels(S), 0);
        })
      .before(
          [](Scene &S) { return makeLevels(S, CUDA_ARRAY3D_DEFERRED_MAPPING); })
      .after(freeLevels);
  C.add("cuMipmappedArrayGetSparseProperties", "",
        [](Scene &S) {
          CUDA_ARRAY_SPARSE_PROPERTIES P;
          return cuMipmappedArrayGetSparseProperties(&P, levels(S));
        })
      .before([](Scene &S) { return makeLevels(S, CUDA_ARRAY3D_SPARSE); })
      .after(freeLevels);
}

/// A sparse array in Scene::P, memory for it in Scene::N, and in Scene::Q the
/// description that maps one tile.
static int makeTile(Scene &S) {
  auto *Tile = new CUarrayMapInfo{};
  S.Q = Tile;
  int E = makeSparse(S);
  CUmemAllocationProp P{};
  P.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  P.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  P.allocFlags.usage = CU_MEM_CREATE_USAGE_TILE_POOL;
  E = E ? E
        : cuMemCreate(reinterpret_cast<CUmemGenericAllocationHandle *>(&S.N),
                      2 << 20, &P, 0);
  CUDA_ARRAY_SPARSE_PROPERTIES Sparse{};
  E = E ? E : cuArrayGetSparseProperties(&Sparse, array(S));
  Tile->resourceType = CU_RESOURCE_TYPE_ARRAY;
  Tile->resource.array = array(S);
  Tile->subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL;
  Tile->subresource.sparseLevel.extentWidth = Sparse.tileExtent.width;
  Tile->subresource.sparseLevel.extentHeight = Sparse.tileExtent.height;
  Tile->subresource.sparseLevel.extentDepth = 1;
  Tile->memOperationType = CU_MEM_OPERATION_TYPE_MAP;
  Tile->memHandleType = CU_MEM_HANDLE_TYPE_GENERIC;
  Tile->memHandle.memHandle = S.N;
  Tile->deviceBitMask = 1;
  return E;
}
static int freeTile(Scene &S) {
  cudaDeviceSynchronize();
  freeArray(S);
  if (S.N)
    cuMemRelease(S.N);
  delete static_cast<CUarrayMapInfo *>(S.Q);
  return 0;
}

static void addTensorMaps(Cases &C) {
  C.add("cuTensorMapEncodeTiled", "", [](Scene &S) {
    CUtensorMap Map;
    cuuint64_t Dims[] = {16, 16}, Strides[] = {64};
    cuuint32_t Box[] = {4, 4}, Steps[] = {1, 1};
    return cuTensorMapEncodeTiled(
        &Map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, S.Device, Dims, Strides, Box,
        Steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  });
  C.add("cuTensorMapEncodeIm2col", "", [](Scene &S) {
    CUtensorMap Map;
    cuuint64_t Dims[] = {8, 4, 4, 2}, Strides[] = {32, 128, 512};
    int Lower[] = {0, 0}, Upper[] = {0, 0};
    cuuint32_t Steps[] = {1, 1, 1, 1};
    return cuTensorMapEncodeIm2col(
        &Map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, S.Device, Dims, Strides,
        Lower, Upper, 8, 16, Steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  });
  C.add("cuTensorMapReplaceAddress", "",
        [](Scene &S) {
          return cuTensorMapReplaceAddress(static_cast<CUtensorMap *>(S.P),
                                           S.Device2);
        })
      .before([](Scene &S) {
        auto *Map = new CUtensorMap;
        S.P = Map;
        cuuint64_t Dims[] = {16, 16}, Strides[] = {64};
        cuuint32_t Box[] = {4, 4}, Steps[] = {1, 1};
        return cuTensorMapEncodeTiled(
            Map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, S.Device, Dims, Strides,
            Box, Steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
            CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
      })
      .after([](Scene &S) {
        delete static_cast<CUtensorMap *>(S.P);
        return 0;
      });
}

void addDriverArrayCases(Cases &C) {
  addArrays(C);
  addLevels(C);
  addTensorMaps(C);
  C.add("cuMemMapArrayAsync", "",
        [](Scene &S) {
          return cuMemMapArrayAsync(static_cast<CUarrayMapInfo *>(S.Q), 1,
                                    S.Stream);
        })
      .streams()
      .before([](Scene &S) {
        // Maps and unmaps once, to test whether the machine supports it.
        int E = makeTile(S);
        auto *Tile = static_cast<CUarrayMapInfo *>(S.Q);
        E = E ? E : cuMemMapArrayAsync(Tile, 1, S.OtherNonBlocking);
        CUarrayMapInfo Unmap = *Tile;
        Unmap.memOperationType = CU_MEM_OPERATION_TYPE_UNMAP;
        Unmap.memHandle.memHandle = 0;
        return E ? E : cuMemMapArrayAsync(&Unmap, 1, S.OtherNonBlocking);
      })
      .after(freeTile);
}

} // namespace cudagraph::conformance
