//===- ArrayCases.cu - Queries of arrays, textures, and surfaces ----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runtime queries; MemoryCases.cu creates and destroys the objects.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

/// An array of floats in Scene::Array.
static int makeArray(Scene &S) {
  cudaChannelFormatDesc Float = cudaCreateChannelDesc<float>();
  return cudaMallocArray(&S.Array, &Float, 64, 64, cudaArraySurfaceLoadStore);
}
static int makeSparse(Scene &S) {
  cudaChannelFormatDesc Float = cudaCreateChannelDesc<float>();
  return cudaMallocArray(&S.Array, &Float, 256, 256, cudaArraySparse);
}
static int makeDeferred(Scene &S) {
  cudaChannelFormatDesc Float = cudaCreateChannelDesc<float>();
  return cudaMallocArray(&S.Array, &Float, 64, 64, cudaArrayDeferredMapping);
}
/// Only the driver has the flag that an array of several planes needs.
static int makePlanes(Scene &S) {
  CUDA_ARRAY3D_DESCRIPTOR D{};
  D.Width = D.Height = 64;
  D.Format = CU_AD_FORMAT_NV12;
  D.NumChannels = 3;
  D.Flags = CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;
  return cuArray3DCreate(reinterpret_cast<CUarray *>(&S.Array), &D);
}
static int freeArray(Scene &S) { return cudaFreeArray(S.Array); }

static cudaMipmappedArray_t *levels(Scene &S) {
  return reinterpret_cast<cudaMipmappedArray_t *>(&S.P);
}
/// A mipmapped array with two levels in Scene::P.
static int makeLevels(Scene &S, unsigned Flags) {
  cudaChannelFormatDesc Float = cudaCreateChannelDesc<float>();
  return cudaMallocMipmappedArray(levels(S), &Float,
                                  make_cudaExtent(256, 256, 0), 2, Flags);
}
static int freeLevels(Scene &S) { return cudaFreeMipmappedArray(*levels(S)); }

static void addArrays(Cases &C) {
  C.add("cudaCreateChannelDesc", "", [](Scene &) {
    return cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat).x ==
                   32
               ? 0
               : 1;
  });
  C.add("cudaGetChannelDesc", "",
        [](Scene &S) {
          cudaChannelFormatDesc Format;
          return cudaGetChannelDesc(&Format, S.Array);
        })
      .before(makeArray)
      .after(freeArray);
  C.add("cudaArrayGetMemoryRequirements", "",
        [](Scene &S) {
          cudaArrayMemoryRequirements Required;
          return cudaArrayGetMemoryRequirements(&Required, S.Array, 0);
        })
      .before(makeDeferred)
      .after(freeArray);
  C.add("cudaArrayGetSparseProperties", "",
        [](Scene &S) {
          cudaArraySparseProperties Properties;
          return cudaArrayGetSparseProperties(&Properties, S.Array);
        })
      .before(makeSparse)
      .after(freeArray);
  C.add("cudaArrayGetPlane", "",
        [](Scene &S) {
          cudaArray_t Plane;
          return cudaArrayGetPlane(&Plane, S.Array, 1);
        })
      .before(makePlanes)
      .after(freeArray);
  C.add("cudaGetMipmappedArrayLevel", "",
        [](Scene &S) {
          return cudaGetMipmappedArrayLevel(&S.Array, *levels(S), 1);
        })
      .before([](Scene &S) { return makeLevels(S, cudaArrayDefault); })
      .after(freeLevels);
  C.add("cudaMipmappedArrayGetMemoryRequirements", "",
        [](Scene &S) {
          cudaArrayMemoryRequirements Required;
          return cudaMipmappedArrayGetMemoryRequirements(&Required, *levels(S),
                                                         0);
        })
      .before([](Scene &S) { return makeLevels(S, cudaArrayDeferredMapping); })
      .after(freeLevels);
  C.add("cudaMipmappedArrayGetSparseProperties", "",
        [](Scene &S) {
          cudaArraySparseProperties Properties;
          return cudaMipmappedArrayGetSparseProperties(&Properties, *levels(S));
        })
      .before([](Scene &S) { return makeLevels(S, cudaArraySparse); })
      .after(freeLevels);
}

static cudaTextureObject_t *texture(Scene &S) {
  return reinterpret_cast<cudaTextureObject_t *>(&S.N);
}
/// A texture with a view in Scene::N.
static int makeTexture(Scene &S) {
  cudaResourceDesc R{};
  R.resType = cudaResourceTypeArray;
  cudaTextureDesc T{};
  cudaResourceViewDesc V{};
  V.format = cudaResViewFormatFloat1;
  V.width = V.height = 64;
  int E = makeArray(S);
  R.res.array.array = S.Array;
  return E ? E : cudaCreateTextureObject(texture(S), &R, &T, &V);
}
static int makeSurface(Scene &S) {
  cudaResourceDesc R{};
  R.resType = cudaResourceTypeArray;
  int E = makeArray(S);
  R.res.array.array = S.Array;
  return E ? E : cudaCreateSurfaceObject(texture(S), &R);
}
static int dropTexture(Scene &S) {
  cudaDestroyTextureObject(*texture(S));
  return cudaFreeArray(S.Array);
}
static int dropSurface(Scene &S) {
  cudaDestroySurfaceObject(*texture(S));
  return cudaFreeArray(S.Array);
}

static void addTextures(Cases &C) {
  C.add("cudaGetTextureObjectResourceDesc", "",
        [](Scene &S) {
          cudaResourceDesc R;
          return cudaGetTextureObjectResourceDesc(&R, *texture(S));
        })
      .before(makeTexture)
      .after(dropTexture);
  C.add("cudaGetTextureObjectResourceViewDesc", "",
        [](Scene &S) {
          cudaResourceViewDesc V;
          return cudaGetTextureObjectResourceViewDesc(&V, *texture(S));
        })
      .before(makeTexture)
      .after(dropTexture);
  C.add("cudaGetTextureObjectTextureDesc", "",
        [](Scene &S) {
          cudaTextureDesc T;
          return cudaGetTextureObjectTextureDesc(&T, *texture(S));
        })
      .before(makeTexture)
      .after(dropTexture);
  C.add("cudaGetSurfaceObjectResourceDesc", "",
        [](Scene &S) {
          cudaResourceDesc R;
          return cudaGetSurfaceObjectResourceDesc(&R, *texture(S));
        })
      .before(makeSurface)
      .after(dropSurface);
}

void addArrayCases(Cases &C) {
  addArrays(C);
  addTextures(C);
}

} // namespace cudagraph::conformance
