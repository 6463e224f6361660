//===- GlCases.cu - Resources shared with OpenGL --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer and textures of OpenGL, in a context that needs no display; without
// such a context, the preparation fails, and the rows are omitted.
//
//===----------------------------------------------------------------------===//

#include "Gl.h"
#include "Scene.h"

extern "C" {
// These are from cuda_gl_interop.h, which needs an OpenGL header.
cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource **Resource,
                                         unsigned Buffer, unsigned Flags);
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource **Resource,
                                        unsigned Image, unsigned Target,
                                        unsigned Flags);
}

namespace cudagraph::conformance {

static constexpr unsigned ArrayBuffer = 0x8892;
static constexpr unsigned Texture2D = 0x0DE1;

/// The object's name is in Scene::N, the target for its kind in Scene::I, and
/// the resource in Scene::P.
static cudaGraphicsResource_t *resource(Scene &S) {
  return reinterpret_cast<cudaGraphicsResource_t *>(&S.P);
}
static CUgraphicsResource *handle(Scene &S) {
  return reinterpret_cast<CUgraphicsResource *>(&S.P);
}

static int makeBuffer(Scene &S) {
  Current Here;
  if (!Here.Done)
    return cudaErrorNotSupported;
  const Gl &G = Gl::get();
  unsigned Name = 0;
  G.GenBuffers(1, &Name);
  G.BindBuffer(ArrayBuffer, Name);
  G.BufferData(ArrayBuffer, S.Bytes, nullptr, 0x88E8); // GL_DYNAMIC_DRAW
  G.BindBuffer(ArrayBuffer, 0);
  S.N = Name;
  S.I = ArrayBuffer;
  return G.GetError() ? cudaErrorUnknown : cudaSuccess;
}
static int makeTexture(Scene &S, int Levels) {
  Current Here;
  if (!Here.Done)
    return cudaErrorNotSupported;
  const Gl &G = Gl::get();
  unsigned Name = 0;
  G.GenTextures(1, &Name);
  G.BindTexture(Texture2D, Name);
  G.TexStorage2D(Texture2D, Levels, 0x8058, 64, 64); // GL_RGBA8
  G.BindTexture(Texture2D, 0);
  S.N = Name;
  S.I = Texture2D;
  return G.GetError() ? cudaErrorUnknown : cudaSuccess;
}
static int makeImage(Scene &S) { return makeTexture(S, 1); }

static int registerBuffer(Scene &S) {
  int E = makeBuffer(S);
  Current Here;
  return E ? E : cudaGraphicsGLRegisterBuffer(resource(S), S.N, 0);
}
static int registerImage(Scene &S, int Levels) {
  int E = makeTexture(S, Levels);
  Current Here;
  return E ? E : cudaGraphicsGLRegisterImage(resource(S), S.N, S.I, 0);
}
static int map(Scene &S, int Registered) {
  Current Here;
  return Registered ? Registered
                    : cudaGraphicsMapResources(1, resource(S), nullptr);
}
static int mapBuffer(Scene &S) { return map(S, registerBuffer(S)); }
static int mapImage(Scene &S) { return map(S, registerImage(S, 1)); }
static int mapLevels(Scene &S) { return map(S, registerImage(S, 7)); }

/// Undoes all of this.
static int drop(Scene &S) {
  Current Here;
  if (S.P) {
    cudaGraphicsUnmapResources(1, resource(S), nullptr); // if it is mapped
    cudaGraphicsUnregisterResource(*resource(S));
  }
  unsigned Name = S.N;
  if (Here.Done && S.I)
    (S.I == ArrayBuffer ? Gl::get().DeleteBuffers
                        : Gl::get().DeleteTextures)(1, &Name);
  return 0;
}

static void addRuntime(Cases &C) {
  C.add("cudaGraphicsGLRegisterBuffer", "",
        [](Scene &S) {
          Current Here;
          return cudaGraphicsGLRegisterBuffer(resource(S), S.N, 0);
        })
      .before(makeBuffer)
      .after(drop);
  C.add("cudaGraphicsGLRegisterImage", "",
        [](Scene &S) {
          Current Here;
          return cudaGraphicsGLRegisterImage(resource(S), S.N, S.I, 0);
        })
      .before(makeImage)
      .after(drop);
  C.add("cudaGraphicsUnregisterResource", "",
        [](Scene &S) {
          Current Here;
          int E = cudaGraphicsUnregisterResource(*resource(S));
          S.P = E ? S.P : nullptr;
          return E;
        })
      .before(registerBuffer)
      .after(drop);
  C.add("cudaGraphicsResourceSetMapFlags", "",
        [](Scene &S) {
          Current Here;
          return cudaGraphicsResourceSetMapFlags(*resource(S),
                                                 cudaGraphicsMapFlagsReadOnly);
        })
      .before(registerBuffer)
      .after(drop);
  C.add("cudaGraphicsMapResources", "",
        [](Scene &S) {
          Current Here;
          return cudaGraphicsMapResources(1, resource(S), S.Stream);
        })
      .streams()
      .before(registerBuffer)
      .after(drop);
  C.add("cudaGraphicsUnmapResources", "",
        [](Scene &S) {
          Current Here;
          return cudaGraphicsUnmapResources(1, resource(S), S.Stream);
        })
      .streams()
      .before(mapBuffer)
      .after(drop);
  C.add("cudaGraphicsResourceGetMappedPointer", "",
        [](Scene &S) {
          Current Here;
          size_t Size;
          return cudaGraphicsResourceGetMappedPointer(&S.Q, &Size,
                                                      *resource(S));
        })
      .before(mapBuffer)
      .after(drop);
  C.add("cudaGraphicsSubResourceGetMappedArray", "",
        [](Scene &S) {
          Current Here;
          return cudaGraphicsSubResourceGetMappedArray(&S.Array, *resource(S),
                                                       0, 0);
        })
      .before(mapImage)
      .after(drop);
  C.add("cudaGraphicsResourceGetMappedMipmappedArray", "",
        [](Scene &S) {
          Current Here;
          cudaMipmappedArray_t Levels;
          return cudaGraphicsResourceGetMappedMipmappedArray(&Levels,
                                                             *resource(S));
        })
      .before(mapLevels)
      .after(drop);
}

static void addDriver(Cases &C) {
  C.add("cuGraphicsUnregisterResource", "",
        [](Scene &S) {
          Current Here;
          int E = cuGraphicsUnregisterResource(*handle(S));
          S.P = E ? S.P : nullptr;
          return E;
        })
      .before(registerBuffer)
      .after(drop);
  C.add("cuGraphicsResourceSetMapFlags", "",
        [](Scene &S) {
          Current Here;
          return cuGraphicsResourceSetMapFlags(
              *handle(S), CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY);
        })
      .before(registerBuffer)
      .after(drop);
  C.add("cuGraphicsMapResources", "",
        [](Scene &S) {
          Current Here;
          return cuGraphicsMapResources(1, handle(S), S.Stream);
        })
      .streams()
      .before(registerBuffer)
      .after(drop);
  C.add("cuGraphicsUnmapResources", "",
        [](Scene &S) {
          Current Here;
          return cuGraphicsUnmapResources(1, handle(S), S.Stream);
        })
      .streams()
      .before(mapBuffer)
      .after(drop);
  C.add("cuGraphicsResourceGetMappedPointer", "",
        [](Scene &S) {
          Current Here;
          CUdeviceptr Mapped;
          size_t Size;
          return cuGraphicsResourceGetMappedPointer(&Mapped, &Size, *handle(S));
        })
      .before(mapBuffer)
      .after(drop);
  C.add("cuGraphicsSubResourceGetMappedArray", "",
        [](Scene &S) {
          Current Here;
          CUarray Mapped;
          return cuGraphicsSubResourceGetMappedArray(&Mapped, *handle(S), 0, 0);
        })
      .before(mapImage)
      .after(drop);
  C.add("cuGraphicsResourceGetMappedMipmappedArray", "",
        [](Scene &S) {
          Current Here;
          CUmipmappedArray Levels;
          return cuGraphicsResourceGetMappedMipmappedArray(&Levels, *handle(S));
        })
      .before(mapLevels)
      .after(drop);
}

void addGlCases(Cases &C) {
  addRuntime(C);
  addDriver(C);
}

} // namespace cudagraph::conformance
