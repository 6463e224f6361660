//===- texture_indirect_functions.h - Textures in kernels ----- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_TEXTURE_INDIRECT_FUNCTIONS_H
#define CUDAGRAPH_MOCK_TEXTURE_INDIRECT_FUNCTIONS_H

#include "surface_types.h"
#include "texture_types.h"
#include "vector_types.h"

#ifdef __CUDACC__

#define CUDAGRAPH_MOCK_TEXTURE(NAME, ...)                                      \
  template <class T>                                                           \
  __device__ T NAME(cudaTextureObject_t texObject, __VA_ARGS__);               \
  template <class T>                                                           \
  __device__ void NAME(T *ptr, cudaTextureObject_t texObject, __VA_ARGS__);
CUDAGRAPH_MOCK_TEXTURE(tex1Dfetch, int x)
CUDAGRAPH_MOCK_TEXTURE(tex1D, float x)
CUDAGRAPH_MOCK_TEXTURE(tex2D, float x, float y)
CUDAGRAPH_MOCK_TEXTURE(tex3D, float x, float y, float z)
CUDAGRAPH_MOCK_TEXTURE(tex1DLayered, float x, int layer)
CUDAGRAPH_MOCK_TEXTURE(tex2DLayered, float x, float y, int layer)
CUDAGRAPH_MOCK_TEXTURE(texCubemap, float x, float y, float z)
CUDAGRAPH_MOCK_TEXTURE(texCubemapLayered, float x, float y, float z, int layer)
CUDAGRAPH_MOCK_TEXTURE(tex1DLod, float x, float level)
CUDAGRAPH_MOCK_TEXTURE(tex2DLod, float x, float y, float level)
CUDAGRAPH_MOCK_TEXTURE(tex3DLod, float x, float y, float z, float level)
CUDAGRAPH_MOCK_TEXTURE(tex1DLayeredLod, float x, int layer, float level)
CUDAGRAPH_MOCK_TEXTURE(tex2DLayeredLod, float x, float y, int layer,
                       float level)
CUDAGRAPH_MOCK_TEXTURE(texCubemapLod, float x, float y, float z, float level)
CUDAGRAPH_MOCK_TEXTURE(texCubemapLayeredLod, float x, float y, float z,
                       int layer, float level)
CUDAGRAPH_MOCK_TEXTURE(tex1DGrad, float x, float dPdx, float dPdy)
CUDAGRAPH_MOCK_TEXTURE(tex2DGrad, float x, float y, float2 dPdx, float2 dPdy)
CUDAGRAPH_MOCK_TEXTURE(tex3DGrad, float x, float y, float z, float4 dPdx,
                       float4 dPdy)
CUDAGRAPH_MOCK_TEXTURE(tex1DLayeredGrad, float x, int layer, float dPdx,
                       float dPdy)
CUDAGRAPH_MOCK_TEXTURE(tex2DLayeredGrad, float x, float y, int layer,
                       float2 dPdx, float2 dPdy)
CUDAGRAPH_MOCK_TEXTURE(texCubemapGrad, float x, float y, float z, float4 dPdx,
                       float4 dPdy)
CUDAGRAPH_MOCK_TEXTURE(texCubemapLayeredGrad, float x, float y, float z,
                       int layer, float4 dPdx, float4 dPdy)
CUDAGRAPH_MOCK_TEXTURE(tex2Dgather, float x, float y, int comp = 0)
#undef CUDAGRAPH_MOCK_TEXTURE

#define CUDAGRAPH_MOCK_SURFACE(NAME, ...)                                      \
  template <class T>                                                           \
  __device__ T NAME##read(cudaSurfaceObject_t surfObject, __VA_ARGS__,         \
                          cudaSurfaceBoundaryMode mode =                       \
                              cudaBoundaryModeTrap);                           \
  template <class T>                                                           \
  __device__ void NAME##read(                                                  \
      T *ptr, cudaSurfaceObject_t surfObject, __VA_ARGS__,                     \
      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);                    \
  template <class T>                                                           \
  __device__ void NAME##write(                                                 \
      T val, cudaSurfaceObject_t surfObject, __VA_ARGS__,                      \
      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
CUDAGRAPH_MOCK_SURFACE(surf1D, int x)
CUDAGRAPH_MOCK_SURFACE(surf2D, int x, int y)
CUDAGRAPH_MOCK_SURFACE(surf3D, int x, int y, int z)
CUDAGRAPH_MOCK_SURFACE(surf1DLayered, int x, int layer)
CUDAGRAPH_MOCK_SURFACE(surf2DLayered, int x, int y, int layer)
CUDAGRAPH_MOCK_SURFACE(surfCubemap, int x, int y, int face)
CUDAGRAPH_MOCK_SURFACE(surfCubemapLayered, int x, int y, int layerFace)
#undef CUDAGRAPH_MOCK_SURFACE

#endif // __CUDACC__

#endif // CUDAGRAPH_MOCK_TEXTURE_INDIRECT_FUNCTIONS_H
