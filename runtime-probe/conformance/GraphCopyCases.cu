//===- GraphCopyCases.cu - Nodes of graphs that copy or set memory --------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// New parameters of a node differ from the old ones only in addresses, so that
// an exec may accept them.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

static __device__ int CopySymbol[64];

static cudaMemcpy3DParms copyTo(char *To, char *From) {
  cudaMemcpy3DParms P{};
  P.srcPtr = make_cudaPitchedPtr(From, 64, 64, 1);
  P.dstPtr = make_cudaPitchedPtr(To, 64, 64, 1);
  P.extent = make_cudaExtent(64, 1, 1);
  P.kind = cudaMemcpyDeviceToDevice;
  return P;
}
static cudaMemsetParams clearing(char *Where) {
  cudaMemsetParams P{};
  P.dst = Where;
  P.elementSize = 1;
  P.width = 64;
  P.height = 1;
  return P;
}

/// An empty graph; the symbol is loaded.
static int makeGraph(Scene &S) {
  void *Address;
  int E = cudaGraphCreate(&S.Graph, 0);
  return E ? E : cudaGetSymbolAddress(&Address, CopySymbol);
}
static int makeCopy(Scene &S) {
  int E = cudaGraphCreate(&S.Graph, 0);
  return E ? E
           : cudaGraphAddMemcpyNode1D(&S.Node, S.Graph, nullptr, 0, S.Device,
                                      S.Device2, 64, cudaMemcpyDeviceToDevice);
}
static int makeCopyToSymbol(Scene &S) {
  int E = cudaGraphCreate(&S.Graph, 0);
  return E ? E
           : cudaGraphAddMemcpyNodeToSymbol(&S.Node, S.Graph, nullptr, 0,
                                            CopySymbol, S.Device2, 64, 0,
                                            cudaMemcpyDeviceToDevice);
}
static int makeCopyFromSymbol(Scene &S) {
  int E = cudaGraphCreate(&S.Graph, 0);
  return E ? E
           : cudaGraphAddMemcpyNodeFromSymbol(&S.Node, S.Graph, nullptr, 0,
                                              S.Device2, CopySymbol, 64, 0,
                                              cudaMemcpyDeviceToDevice);
}
static int makeMemset(Scene &S) {
  cudaMemsetParams P = clearing(S.Device2);
  int E = cudaGraphCreate(&S.Graph, 0);
  return E ? E : cudaGraphAddMemsetNode(&S.Node, S.Graph, nullptr, 0, &P);
}

/// Creates the exec of the graph that \p Made returns.
static int instantiate(Scene &S, int Made) {
  return Made ? Made : cudaGraphInstantiate(&S.Exec, S.Graph, 0);
}

static int drop(Scene &S) {
  if (S.Exec)
    cudaGraphExecDestroy(S.Exec);
  return S.Graph ? cudaGraphDestroy(S.Graph) : 0;
}

static void addCopyNodes(Cases &C) {
  C.add("cudaGraphAddMemcpyNode", "",
        [](Scene &S) {
          cudaMemcpy3DParms P{};
          P.srcPtr = make_cudaPitchedPtr(S.Device2, 64, 64, 1);
          P.dstPtr = make_cudaPitchedPtr(S.Device, 64, 64, 1);
          P.extent = make_cudaExtent(64, 1, 1);
          P.kind = cudaMemcpyDeviceToDevice;
          return cudaGraphAddMemcpyNode(&S.Node, S.Graph, nullptr, 0, &P);
        })
      .before(makeGraph)
      .after(drop);
  C.add("cudaGraphAddMemcpyNode1D", "device to device",
        [](Scene &S) {
          return cudaGraphAddMemcpyNode1D(&S.Node, S.Graph, nullptr, 0,
                                          S.Device, S.Device2, 64,
                                          cudaMemcpyDeviceToDevice);
        })
      .before(makeGraph)
      .after(drop);
  C.add("cudaGraphAddMemcpyNode1D", "pageable host to device",
        [](Scene &S) {
          return cudaGraphAddMemcpyNode1D(&S.Node, S.Graph, nullptr, 0,
                                          S.Device, S.Host, 64,
                                          cudaMemcpyHostToDevice);
        })
      .before(makeGraph)
      .after(drop);
  C.add("cudaGraphAddMemcpyNodeFromSymbol", "",
        [](Scene &S) {
          return cudaGraphAddMemcpyNodeFromSymbol(&S.Node, S.Graph, nullptr, 0,
                                                  S.Device, CopySymbol, 64, 0,
                                                  cudaMemcpyDeviceToDevice);
        })
      .before(makeGraph)
      .after(drop);
  auto ToSymbol = [](Scene &S) {
    return cudaGraphAddMemcpyNodeToSymbol(&S.Node, S.Graph, nullptr, 0,
                                          CopySymbol, S.Device, 64, 0,
                                          cudaMemcpyDeviceToDevice);
  };
  C.add("cudaGraphAddMemcpyNodeToSymbol", "", ToSymbol)
      .before(makeGraph)
      .after(drop);
  C.add("cudaGraphAddMemcpyNodeToSymbol", "first use of the module", ToSymbol)
      .before([](Scene &S) { return cudaGraphCreate(&S.Graph, 0); })
      .after(drop)
      .fresh();
}

static void addCopyParams(Cases &C) {
  C.add("cudaGraphMemcpyNodeGetParams", "",
        [](Scene &S) {
          cudaMemcpy3DParms P;
          return cudaGraphMemcpyNodeGetParams(S.Node, &P);
        })
      .before(makeCopy)
      .after(drop);
  C.add("cudaGraphMemcpyNodeSetParams", "",
        [](Scene &S) {
          cudaMemcpy3DParms P = copyTo(S.Device2, S.Device);
          return cudaGraphMemcpyNodeSetParams(S.Node, &P);
        })
      .before(makeCopy)
      .after(drop);
  C.add("cudaGraphMemcpyNodeSetParams1D", "",
        [](Scene &S) {
          return cudaGraphMemcpyNodeSetParams1D(S.Node, S.Device2, S.Device, 64,
                                                cudaMemcpyDeviceToDevice);
        })
      .before(makeCopy)
      .after(drop);
  C.add("cudaGraphMemcpyNodeSetParamsFromSymbol", "",
        [](Scene &S) {
          return cudaGraphMemcpyNodeSetParamsFromSymbol(
              S.Node, S.Device, CopySymbol, 64, 0, cudaMemcpyDeviceToDevice);
        })
      .before(makeCopyFromSymbol)
      .after(drop);
  C.add("cudaGraphMemcpyNodeSetParamsToSymbol", "",
        [](Scene &S) {
          return cudaGraphMemcpyNodeSetParamsToSymbol(
              S.Node, CopySymbol, S.Device, 64, 0, cudaMemcpyDeviceToDevice);
        })
      .before(makeCopyToSymbol)
      .after(drop);
  C.add("cudaGraphExecMemcpyNodeSetParams", "",
        [](Scene &S) {
          cudaMemcpy3DParms P = copyTo(S.Device2, S.Device);
          return cudaGraphExecMemcpyNodeSetParams(S.Exec, S.Node, &P);
        })
      .before([](Scene &S) { return instantiate(S, makeCopy(S)); })
      .after(drop);
  C.add("cudaGraphExecMemcpyNodeSetParams1D", "",
        [](Scene &S) {
          return cudaGraphExecMemcpyNodeSetParams1D(S.Exec, S.Node, S.Device2,
                                                    S.Device, 64,
                                                    cudaMemcpyDeviceToDevice);
        })
      .before([](Scene &S) { return instantiate(S, makeCopy(S)); })
      .after(drop);
  C.add("cudaGraphExecMemcpyNodeSetParamsFromSymbol", "",
        [](Scene &S) {
          return cudaGraphExecMemcpyNodeSetParamsFromSymbol(
              S.Exec, S.Node, S.Device, CopySymbol, 64, 0,
              cudaMemcpyDeviceToDevice);
        })
      .before([](Scene &S) { return instantiate(S, makeCopyFromSymbol(S)); })
      .after(drop);
  C.add("cudaGraphExecMemcpyNodeSetParamsToSymbol", "",
        [](Scene &S) {
          return cudaGraphExecMemcpyNodeSetParamsToSymbol(
              S.Exec, S.Node, CopySymbol, S.Device, 64, 0,
              cudaMemcpyDeviceToDevice);
        })
      .before([](Scene &S) { return instantiate(S, makeCopyToSymbol(S)); })
      .after(drop);
}

static void addMemsets(Cases &C) {
  C.add("cudaGraphMemsetNodeGetParams", "",
        [](Scene &S) {
          cudaMemsetParams P;
          return cudaGraphMemsetNodeGetParams(S.Node, &P);
        })
      .before(makeMemset)
      .after(drop);
  C.add("cudaGraphMemsetNodeSetParams", "",
        [](Scene &S) {
          cudaMemsetParams P = clearing(S.Device);
          return cudaGraphMemsetNodeSetParams(S.Node, &P);
        })
      .before(makeMemset)
      .after(drop);
  C.add("cudaGraphNodeGetEnabled", "",
        [](Scene &S) {
          unsigned Enabled;
          return cudaGraphNodeGetEnabled(S.Exec, S.Node, &Enabled);
        })
      .before([](Scene &S) { return instantiate(S, makeMemset(S)); })
      .after(drop);
  C.add("cudaGraphExecGetFlags", "",
        [](Scene &S) {
          unsigned long long Flags;
          return cudaGraphExecGetFlags(S.Exec, &Flags);
        })
      .before([](Scene &S) { return instantiate(S, makeMemset(S)); })
      .after(drop);
}

void addGraphCopyCases(Cases &C) {
  addCopyNodes(C);
  addCopyParams(C);
  addMemsets(C);
}

} // namespace cudagraph::conformance
