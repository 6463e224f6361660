//===- CopyCases.cu - Copies and sets that block the host -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

// The calls that a program makes if it is compiled for the per-thread default
// stream.
extern "C" {
cudaError_t cudaMemcpy_ptds(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpy2D_ptds(void *, size_t, const void *, size_t, size_t,
                              size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyToSymbol_ptds(const void *, const void *, size_t, size_t,
                                    cudaMemcpyKind);
cudaError_t cudaMemcpyFromSymbol_ptds(void *, const void *, size_t, size_t,
                                      cudaMemcpyKind);
cudaError_t cudaMemset_ptds(void *, int, size_t);
cudaError_t cudaMemset2D_ptds(void *, size_t, int, size_t, size_t);
}

namespace cudagraph::conformance {

__device__ int Symbol[64];

static constexpr auto HtoD = cudaMemcpyHostToDevice;
static constexpr auto DtoH = cudaMemcpyDeviceToHost;
static constexpr auto DtoD = cudaMemcpyDeviceToDevice;

static int loadSymbol(Scene &) {
  void *P;
  return cudaGetSymbolAddress(&P, Symbol);
}

static void addLinear(Cases &C) {
  C.add("cudaMemcpy", "pageable host to device",
        [](Scene &S) { return cudaMemcpy(S.Device, S.Host, S.Bytes, HtoD); });
  C.add("cudaMemcpy", "pinned host to device",
        [](Scene &S) { return cudaMemcpy(S.Device, S.Pinned, S.Bytes, HtoD); });
  C.add("cudaMemcpy", "device to pageable host",
        [](Scene &S) { return cudaMemcpy(S.Host, S.Device, S.Bytes, DtoH); });
  C.add("cudaMemcpy", "device to pinned host",
        [](Scene &S) { return cudaMemcpy(S.Pinned, S.Device, S.Bytes, DtoH); });
  C.add("cudaMemcpy", "device to device", [](Scene &S) {
    return cudaMemcpy(S.Device, S.Device2, S.Bytes, DtoD);
  });
  C.add("cudaMemcpy", "default", [](Scene &S) {
    return cudaMemcpy(S.Device, S.Host, S.Bytes, cudaMemcpyDefault);
  });
  C.add("cudaMemcpy", "pageable host to host", [](Scene &S) {
    return cudaMemcpy(S.Host, S.Host2, S.Bytes, cudaMemcpyHostToHost);
  });
  C.add("cudaMemcpy", "no bytes",
        [](Scene &S) { return cudaMemcpy(S.Device, S.Host, 0, HtoD); });
  C.add("cudaMemcpy", "per-thread default stream", [](Scene &S) {
     return cudaMemcpy_ptds(S.Device, S.Host, S.Bytes, HtoD);
   }).on({Relation::PerThread});
  C.add("cudaMemcpyToSymbol", "", [](Scene &S) {
     return cudaMemcpyToSymbol(Symbol, S.Host, 64);
   }).before(loadSymbol);
  C.add("cudaMemcpyToSymbol", "per-thread default stream",
        [](Scene &S) {
          return cudaMemcpyToSymbol_ptds(Symbol, S.Host, 64, 0, HtoD);
        })
      .on({Relation::PerThread})
      .before(loadSymbol);
  C.add("cudaMemcpyFromSymbol", "", [](Scene &S) {
     return cudaMemcpyFromSymbol(S.Host, Symbol, 64);
   }).before(loadSymbol);
  C.add("cudaMemcpyFromSymbol", "per-thread default stream",
        [](Scene &S) {
          return cudaMemcpyFromSymbol_ptds(S.Host, Symbol, 64, 0, DtoH);
        })
      .on({Relation::PerThread})
      .before(loadSymbol);
  C.add("cudaMemcpyPeer", "", [](Scene &S) {
    return cudaMemcpyPeer(S.Device, 0, S.Device2, 0, S.Bytes);
  });
}

static void addShaped(Cases &C) {
  C.add("cudaMemcpy2D", "pageable host to device", [](Scene &S) {
    return cudaMemcpy2D(S.Device, 64, S.Host, 64, 32, 4, HtoD);
  });
  C.add("cudaMemcpy2D", "device to device", [](Scene &S) {
    return cudaMemcpy2D(S.Device, 64, S.Device2, 64, 32, 4, DtoD);
  });
  C.add("cudaMemcpy2D", "per-thread default stream", [](Scene &S) {
     return cudaMemcpy2D_ptds(S.Device, 64, S.Host, 64, 32, 4, HtoD);
   }).on({Relation::PerThread});
  C.add("cudaMemcpy3D", "", [](Scene &S) {
    cudaMemcpy3DParms P{};
    P.srcPtr = make_cudaPitchedPtr(S.Host, 64, 64, 4);
    P.dstPtr = make_cudaPitchedPtr(S.Device, 64, 64, 4);
    P.extent = make_cudaExtent(32, 4, 2);
    P.kind = HtoD;
    return cudaMemcpy3D(&P);
  });
  C.add("cudaMemcpy3DPeer", "", [](Scene &S) {
    cudaMemcpy3DPeerParms P{};
    P.srcPtr = make_cudaPitchedPtr(S.Device2, 64, 64, 4);
    P.dstPtr = make_cudaPitchedPtr(S.Device, 64, 64, 4);
    P.extent = make_cudaExtent(32, 4, 2);
    return cudaMemcpy3DPeer(&P);
  });

  auto Make = [](Scene &S) {
    static const cudaChannelFormatDesc Float = cudaCreateChannelDesc<float>();
    int E = cudaMallocArray(&S.Array, &Float, 16, 4);
    cudaArray_t Second = nullptr;
    E = E ? E : cudaMallocArray(&Second, &Float, 16, 4);
    S.P = Second;
    return E;
  };
  C.add("cudaMemcpy2DToArray", "", [](Scene &S) {
     return cudaMemcpy2DToArray(S.Array, 0, 0, S.Host, 64, 64, 4, HtoD);
   }).before(Make);
  C.add("cudaMemcpy2DFromArray", "", [](Scene &S) {
     return cudaMemcpy2DFromArray(S.Host, 64, S.Array, 0, 0, 64, 4, DtoH);
   }).before(Make);
  C.add("cudaMemcpy2DArrayToArray", "", [](Scene &S) {
     return cudaMemcpy2DArrayToArray(static_cast<cudaArray_t>(S.P), 0, 0,
                                     S.Array, 0, 0, 64, 4, DtoD);
   }).before(Make);
  C.add("cudaMemcpyToArray", "", [](Scene &S) {
     return cudaMemcpyToArray(S.Array, 0, 0, S.Host, 64, HtoD);
   }).before(Make);
  C.add("cudaMemcpyFromArray", "", [](Scene &S) {
     return cudaMemcpyFromArray(S.Host, S.Array, 0, 0, 64, DtoH);
   }).before(Make);
  C.add("cudaMemcpyArrayToArray", "", [](Scene &S) {
     return cudaMemcpyArrayToArray(static_cast<cudaArray_t>(S.P), 0, 0, S.Array,
                                   0, 0, 64, DtoD);
   }).before(Make);
}

static void addSets(Cases &C) {
  C.add("cudaMemset", "",
        [](Scene &S) { return cudaMemset(S.Device, 0, S.Bytes); });
  C.add("cudaMemset", "pinned host memory",
        [](Scene &S) { return cudaMemset(S.Pinned, 0, S.Bytes); });
  C.add("cudaMemset", "per-thread default stream", [](Scene &S) {
     return cudaMemset_ptds(S.Device, 0, S.Bytes);
   }).on({Relation::PerThread});
  C.add("cudaMemset2D", "",
        [](Scene &S) { return cudaMemset2D(S.Device, 64, 0, 32, 4); });
  C.add("cudaMemset2D", "per-thread default stream", [](Scene &S) {
     return cudaMemset2D_ptds(S.Device, 64, 0, 32, 4);
   }).on({Relation::PerThread});
  C.add("cudaMemset3D", "", [](Scene &S) {
    return cudaMemset3D(make_cudaPitchedPtr(S.Device, 64, 64, 4), 0,
                        make_cudaExtent(32, 4, 2));
  });
}

void addCopyCases(Cases &C) {
  addLinear(C);
  addShaped(C);
  addSets(C);
}

} // namespace cudagraph::conformance
