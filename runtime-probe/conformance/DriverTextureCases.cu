//===- DriverTextureCases.cu - Textures and surfaces of the driver --------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Texture and surface objects, and surface references, which need a module.
// Texture references are in DriverReferenceCases.cu.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

static CUarray array(Scene &S) { return static_cast<CUarray>(S.P); }

/// An array in Scene::P that is suitable for both.
static int makeArray(Scene &S) {
  CUDA_ARRAY3D_DESCRIPTOR D{};
  D.Width = D.Height = 64;
  D.Format = CU_AD_FORMAT_FLOAT;
  D.NumChannels = 1;
  D.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  return cuArray3DCreate(reinterpret_cast<CUarray *>(&S.P), &D);
}
static int freeArray(Scene &S) { return S.P ? cuArrayDestroy(array(S)) : 0; }

/// A texture of an array in Scene::N.
static int makeTexture(Scene &S) {
  int E = makeArray(S);
  CUDA_RESOURCE_DESC R{};
  R.resType = CU_RESOURCE_TYPE_ARRAY;
  R.res.array.hArray = array(S);
  CUDA_TEXTURE_DESC T{};
  CUDA_RESOURCE_VIEW_DESC V{};
  V.format = CU_RES_VIEW_FORMAT_FLOAT_1X32;
  V.width = V.height = 64;
  return E ? E
           : cuTexObjectCreate(reinterpret_cast<CUtexObject *>(&S.N), &R, &T,
                               &V);
}
static int freeTexture(Scene &S) {
  if (S.N)
    cuTexObjectDestroy(S.N);
  return freeArray(S);
}
/// The same for a surface.
static int makeSurface(Scene &S) {
  int E = makeArray(S);
  CUDA_RESOURCE_DESC R{};
  R.resType = CU_RESOURCE_TYPE_ARRAY;
  R.res.array.hArray = array(S);
  return E ? E : cuSurfObjectCreate(reinterpret_cast<CUsurfObject *>(&S.N), &R);
}
static int freeSurface(Scene &S) {
  if (S.N)
    cuSurfObjectDestroy(S.N);
  return freeArray(S);
}

static void addObjects(Cases &C) {
  C.add("cuTexObjectCreate", "",
        [](Scene &S) {
          CUDA_RESOURCE_DESC R{};
          R.resType = CU_RESOURCE_TYPE_ARRAY;
          R.res.array.hArray = array(S);
          CUDA_TEXTURE_DESC T{};
          return cuTexObjectCreate(reinterpret_cast<CUtexObject *>(&S.N), &R,
                                   &T, nullptr);
        })
      .before(makeArray)
      .after(freeTexture);
  C.add("cuTexObjectCreate", "linear memory", [](Scene &S) {
     CUDA_RESOURCE_DESC R{};
     R.resType = CU_RESOURCE_TYPE_LINEAR;
     R.res.linear.devPtr = reinterpret_cast<CUdeviceptr>(S.Device);
     R.res.linear.format = CU_AD_FORMAT_FLOAT;
     R.res.linear.numChannels = 1;
     R.res.linear.sizeInBytes = S.Bytes;
     CUDA_TEXTURE_DESC T{};
     return cuTexObjectCreate(reinterpret_cast<CUtexObject *>(&S.N), &R, &T,
                              nullptr);
   }).after(freeTexture);
  C.add("cuTexObjectDestroy", "",
        [](Scene &S) { return cuTexObjectDestroy(S.N); })
      .before(makeTexture)
      .after(freeArray);
  C.add("cuTexObjectGetResourceDesc", "",
        [](Scene &S) {
          CUDA_RESOURCE_DESC R;
          return cuTexObjectGetResourceDesc(&R, S.N);
        })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexObjectGetResourceViewDesc", "",
        [](Scene &S) {
          CUDA_RESOURCE_VIEW_DESC V;
          return cuTexObjectGetResourceViewDesc(&V, S.N);
        })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuTexObjectGetTextureDesc", "",
        [](Scene &S) {
          CUDA_TEXTURE_DESC T;
          return cuTexObjectGetTextureDesc(&T, S.N);
        })
      .before(makeTexture)
      .after(freeTexture);
  C.add("cuSurfObjectCreate", "",
        [](Scene &S) {
          CUDA_RESOURCE_DESC R{};
          R.resType = CU_RESOURCE_TYPE_ARRAY;
          R.res.array.hArray = array(S);
          return cuSurfObjectCreate(reinterpret_cast<CUsurfObject *>(&S.N), &R);
        })
      .before(makeArray)
      .after(freeSurface);
  C.add("cuSurfObjectDestroy", "",
        [](Scene &S) { return cuSurfObjectDestroy(S.N); })
      .before(makeSurface)
      .after(freeArray);
  C.add("cuSurfObjectGetResourceDesc", "",
        [](Scene &S) {
          CUDA_RESOURCE_DESC R;
          return cuSurfObjectGetResourceDesc(&R, S.N);
        })
      .before(makeSurface)
      .after(freeSurface);
}

/// A module with one surface reference.
static const char Image[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                            ".global .surfref s;\n"
                            ".visible .entry k() {\n"
                            "  .reg .b32 %x;\n"
                            "  mov.b32 %x, 0;\n"
                            "  sust.b.1d.b32.trap [s, {%x}], {%x};\n"
                            "  ret;\n"
                            "}\n";

namespace {
/// The prerequisites of a surface reference; in Scene::Q.
struct Surface {
  CUmodule Module = nullptr;
  CUsurfref Reference = nullptr;
  CUarray Array = nullptr;
};
} // namespace
static Surface &surface(Scene &S) { return *static_cast<Surface *>(S.Q); }

static int makeReference(Scene &S) {
  S.Q = new Surface;
  CUDA_ARRAY3D_DESCRIPTOR D{};
  D.Width = 64;
  D.Format = CU_AD_FORMAT_FLOAT;
  D.NumChannels = 1;
  D.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  int E = cuArray3DCreate(&surface(S).Array, &D);
  E = E ? E : cuModuleLoadData(&surface(S).Module, Image);
  return E ? E
           : cuModuleGetSurfRef(&surface(S).Reference, surface(S).Module, "s");
}
static int freeReference(Scene &S) {
  if (surface(S).Module)
    cuModuleUnload(surface(S).Module);
  if (surface(S).Array)
    cuArrayDestroy(surface(S).Array);
  delete &surface(S);
  return 0;
}

static void addSurfaces(Cases &C) {
  auto Bind = [](Scene &S) {
    return cuSurfRefSetArray(surface(S).Reference, surface(S).Array, 0);
  };
  C.add("cuSurfRefSetArray", "", Bind)
      .before(makeReference)
      .after(freeReference);
  C.add("cuSurfRefGetArray", "",
        [](Scene &S) {
          CUarray Bound;
          return cuSurfRefGetArray(&Bound, surface(S).Reference);
        })
      .before([=](Scene &S) -> int {
        int E = makeReference(S);
        return E ? E : Bind(S);
      })
      .after(freeReference);
}

void addDriverTextureCases(Cases &C) {
  addObjects(C);
  addSurfaces(C);
}

} // namespace cudagraph::conformance
