//===- AsyncCopyCases.cu - Copies and sets in stream order ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

__device__ int AsyncSymbol[64];

static constexpr auto HtoD = cudaMemcpyHostToDevice;
static constexpr auto DtoH = cudaMemcpyDeviceToHost;
static constexpr auto DtoD = cudaMemcpyDeviceToDevice;

static int loadSymbol(Scene &) {
  void *P;
  return cudaGetSymbolAddress(&P, AsyncSymbol);
}

static void addLinear(Cases &C) {
  C.add("cudaMemcpyAsync", "pageable host to device", [](Scene &S) {
     return cudaMemcpyAsync(S.Device, S.Host, S.Bytes, HtoD, S.Stream);
   }).streams();
  C.add("cudaMemcpyAsync", "pinned host to device", [](Scene &S) {
     return cudaMemcpyAsync(S.Device, S.Pinned, S.Bytes, HtoD, S.Stream);
   }).streams();
  C.add("cudaMemcpyAsync", "device to pageable host", [](Scene &S) {
     return cudaMemcpyAsync(S.Host, S.Device, S.Bytes, DtoH, S.Stream);
   }).streams();
  C.add("cudaMemcpyAsync", "device to pinned host", [](Scene &S) {
     return cudaMemcpyAsync(S.Pinned, S.Device, S.Bytes, DtoH, S.Stream);
   }).streams();
  C.add("cudaMemcpyAsync", "device to device", [](Scene &S) {
     return cudaMemcpyAsync(S.Device, S.Device2, S.Bytes, DtoD, S.Stream);
   }).streams();
  C.add("cudaMemcpyAsync", "pageable host to host", [](Scene &S) {
     return cudaMemcpyAsync(S.Host, S.Host2, S.Bytes, cudaMemcpyHostToHost,
                            S.Stream);
   }).streams();
  C.add("cudaMemcpyAsync", "no bytes", [](Scene &S) {
     return cudaMemcpyAsync(S.Device, S.Host, 0, HtoD, S.Stream);
   }).streams();
  C.add("cudaMemcpyToSymbolAsync", "",
        [](Scene &S) {
          return cudaMemcpyToSymbolAsync(AsyncSymbol, S.Host, 64, 0, HtoD,
                                         S.Stream);
        })
      .streams()
      .before(loadSymbol);
  C.add("cudaMemcpyFromSymbolAsync", "",
        [](Scene &S) {
          return cudaMemcpyFromSymbolAsync(S.Host, AsyncSymbol, 64, 0, DtoH,
                                           S.Stream);
        })
      .streams()
      .before(loadSymbol);
  C.add("cudaMemcpyPeerAsync", "", [](Scene &S) {
     return cudaMemcpyPeerAsync(S.Device, 0, S.Device2, 0, S.Bytes, S.Stream);
   }).streams();
}

static void addShaped(Cases &C) {
  C.add("cudaMemcpy2DAsync", "pageable host to device", [](Scene &S) {
     return cudaMemcpy2DAsync(S.Device, 64, S.Host, 64, 32, 4, HtoD, S.Stream);
   }).streams();
  C.add("cudaMemcpy2DAsync", "device to device", [](Scene &S) {
     return cudaMemcpy2DAsync(S.Device, 64, S.Device2, 64, 32, 4, DtoD,
                              S.Stream);
   }).streams();
  C.add("cudaMemcpy3DAsync", "", [](Scene &S) {
     cudaMemcpy3DParms P{};
     P.srcPtr = make_cudaPitchedPtr(S.Host, 64, 64, 4);
     P.dstPtr = make_cudaPitchedPtr(S.Device, 64, 64, 4);
     P.extent = make_cudaExtent(32, 4, 2);
     P.kind = HtoD;
     return cudaMemcpy3DAsync(&P, S.Stream);
   }).streams();
  C.add("cudaMemcpy3DPeerAsync", "", [](Scene &S) {
     cudaMemcpy3DPeerParms P{};
     P.srcPtr = make_cudaPitchedPtr(S.Device2, 64, 64, 4);
     P.dstPtr = make_cudaPitchedPtr(S.Device, 64, 64, 4);
     P.extent = make_cudaExtent(32, 4, 2);
     return cudaMemcpy3DPeerAsync(&P, S.Stream);
   }).streams();
  auto Make = [](Scene &S) {
    static const cudaChannelFormatDesc Float = cudaCreateChannelDesc<float>();
    return cudaMallocArray(&S.Array, &Float, 16, 4);
  };
  C.add("cudaMemcpy2DToArrayAsync", "",
        [](Scene &S) {
          return cudaMemcpy2DToArrayAsync(S.Array, 0, 0, S.Host, 64, 64, 4,
                                          HtoD, S.Stream);
        })
      .streams()
      .before(Make);
  C.add("cudaMemcpy2DFromArrayAsync", "",
        [](Scene &S) {
          return cudaMemcpy2DFromArrayAsync(S.Host, 64, S.Array, 0, 0, 64, 4,
                                            DtoH, S.Stream);
        })
      .streams()
      .before(Make);
  C.add("cudaMemcpyToArrayAsync", "",
        [](Scene &S) {
          return cudaMemcpyToArrayAsync(S.Array, 0, 0, S.Host, 64, HtoD,
                                        S.Stream);
        })
      .streams()
      .before(Make);
  C.add("cudaMemcpyFromArrayAsync", "",
        [](Scene &S) {
          return cudaMemcpyFromArrayAsync(S.Host, S.Array, 0, 0, 64, DtoH,
                                          S.Stream);
        })
      .streams()
      .before(Make);
}

static void addBatches(Cases &C) {
  auto Batch = [](Scene &S, void *Dst, const void *Src) {
    size_t Size = 64, Index = 0;
    cudaMemcpyAttributes A{};
    A.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    return cudaMemcpyBatchAsync(&Dst, &Src, &Size, 1, &A, &Index, 1, S.Stream);
  };
  C.add("cudaMemcpyBatchAsync", "device to device", [=](Scene &S) {
     return Batch(S, S.Device, S.Device2);
   }).streams();
  C.add("cudaMemcpyBatchAsync", "pinned host to device", [=](Scene &S) {
     return Batch(S, S.Device, S.Pinned);
   }).streams();
  C.add("cudaMemcpy3DBatchAsync", "", [](Scene &S) {
     cudaMemcpy3DBatchOp Op{};
     for (auto *Side : {&Op.src, &Op.dst}) {
       Side->type = cudaMemcpyOperandTypePointer;
       Side->op.ptr.ptr = Side == &Op.src ? S.Device2 : S.Device;
       Side->op.ptr.locHint = {cudaMemLocationTypeDevice, 0};
     }
     Op.extent = make_cudaExtent(64, 1, 1);
     Op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
     return cudaMemcpy3DBatchAsync(1, &Op, 0, S.Stream);
   }).streams();
}

void addAsyncCopyCases(Cases &C) {
  addLinear(C);
  addShaped(C);
  addBatches(C);
  C.add("cudaMemsetAsync", "", [](Scene &S) {
     return cudaMemsetAsync(S.Device, 0, S.Bytes, S.Stream);
   }).streams();
  C.add("cudaMemset2DAsync", "", [](Scene &S) {
     return cudaMemset2DAsync(S.Device, 64, 0, 32, 4, S.Stream);
   }).streams();
  C.add("cudaMemset3DAsync", "", [](Scene &S) {
     return cudaMemset3DAsync(make_cudaPitchedPtr(S.Device, 64, 64, 4), 0,
                              make_cudaExtent(32, 4, 2), S.Stream);
   }).streams();
}

} // namespace cudagraph::conformance
