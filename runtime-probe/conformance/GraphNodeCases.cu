//===- GraphNodeCases.cu - Nodes and edges of graphs ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs that are built with the API while a stream captures. Forms "of the
// capture" change the graph that the capture builds, as code that mixes both
// methods does.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

static __global__ void nodeWork(int *P) { P[threadIdx.x] += 1; }
static __global__ void nodeNeverBefore(int *P) { P[threadIdx.x] += 2; }
static void CUDART_CB hostFunction(void *) {}

static cudaGraphNode_t *second(Scene &S) {
  return reinterpret_cast<cudaGraphNode_t *>(&S.P);
}
static cudaGraph_t *otherGraph(Scene &S) {
  return reinterpret_cast<cudaGraph_t *>(&S.P);
}
static cudaGraphConditionalHandle *condition(Scene &S) {
  return reinterpret_cast<cudaGraphConditionalHandle *>(&S.N);
}

/// An empty graph; the kernel is loaded.
static int makeGraph(Scene &S) {
  cudaFuncAttributes A;
  int E = cudaGraphCreate(&S.Graph, 0);
  return E ? E : cudaFuncGetAttributes(&A, nodeWork);
}

/// A graph of a memset in Scene::Node and an empty node in Scene::P.
static int makePair(Scene &S) {
  cudaMemsetParams P{};
  P.dst = S.Device2;
  P.elementSize = 1;
  P.width = 64;
  P.height = 1;
  int E = cudaGraphCreate(&S.Graph, 0);
  E = E ? E : cudaGraphAddMemsetNode(&S.Node, S.Graph, nullptr, 0, &P);
  return E ? E : cudaGraphAddEmptyNode(second(S), S.Graph, nullptr, 0);
}

/// Both nodes, the second of which depends on the first.
static int makeChain(Scene &S) {
  int E = makePair(S);
  return E ? E
           : cudaGraphAddDependencies(S.Graph, &S.Node, second(S), nullptr, 1);
}

/// An empty graph and, in Scene::P, one to become its child.
static int makeGraphAndChild(Scene &S) {
  int E = makeGraph(S);
  cudaGraphNode_t Node;
  E = E ? E : cudaGraphCreate(otherGraph(S), 0);
  return E ? E : cudaGraphAddEmptyNode(&Node, *otherGraph(S), nullptr, 0);
}

static int destroyGraph(Scene &S) {
  return S.Graph ? cudaGraphDestroy(S.Graph) : 0;
}
static int destroyBoth(Scene &S) {
  cudaGraphDestroy(*otherGraph(S));
  return destroyGraph(S);
}

/// The graph of the capture in Scene::Graph. It must not be destroyed here.
static int takeGraph(Scene &S) {
  cudaStreamCaptureStatus Status;
  return cudaStreamGetCaptureInfo(S.Origin, &Status, nullptr, &S.Graph);
}
static int loadKernel(Scene &) {
  cudaFuncAttributes A;
  return cudaFuncGetAttributes(&A, nodeWork);
}

static cudaKernelNodeParams launchOf(void (*Kernel)(int *), void **Args) {
  cudaKernelNodeParams P{};
  P.func = reinterpret_cast<void *>(Kernel);
  P.gridDim = dim3(1);
  P.blockDim = dim3(32);
  P.kernelParams = Args;
  return P;
}

static void addKernelNodes(Cases &C) {
  auto Add = [](Scene &S) {
    void *Args[] = {&S.Device};
    cudaKernelNodeParams P = launchOf(nodeWork, Args);
    return cudaGraphAddKernelNode(&S.Node, S.Graph, nullptr, 0, &P);
  };
  C.add("cudaGraphAddKernelNode", "", Add)
      .before(makeGraph)
      .after(destroyGraph);
  C.add("cudaGraphAddKernelNode", "to the graph of the capture", Add)
      .before(loadKernel)
      .inside(takeGraph);
  C.add("cudaGraphAddKernelNode", "first use of the kernel",
        [](Scene &S) {
          void *Args[] = {&S.Device};
          cudaKernelNodeParams P = launchOf(nodeNeverBefore, Args);
          return cudaGraphAddKernelNode(&S.Node, S.Graph, nullptr, 0, &P);
        })
      .before([](Scene &S) { return cudaGraphCreate(&S.Graph, 0); })
      .after(destroyGraph)
      .fresh();
  C.add("cudaGraphAddNode", "kernel",
        [](Scene &S) {
          void *Args[] = {&S.Device};
          cudaGraphNodeParams P{};
          P.type = cudaGraphNodeTypeKernel;
          P.kernel.func = reinterpret_cast<void *>(nodeWork);
          P.kernel.gridDim = dim3(1);
          P.kernel.blockDim = dim3(32);
          P.kernel.kernelParams = Args;
          return cudaGraphAddNode(&S.Node, S.Graph, nullptr, nullptr, 0, &P);
        })
      .before(makeGraph)
      .after(destroyGraph);
}

static void addConditionalNodes(Cases &C) {
  auto Create = [](Scene &S) {
    return cudaGraphConditionalHandleCreate(condition(S), S.Graph);
  };
  C.add("cudaGraphConditionalHandleCreate", "", Create)
      .before(makeGraph)
      .after(destroyGraph);
  C.add("cudaGraphConditionalHandleCreate", "for the graph of the capture",
        Create)
      .inside(takeGraph);
  auto Add = [](Scene &S) {
    cudaGraphNodeParams P{};
    P.type = cudaGraphNodeTypeConditional;
    P.conditional.handle = *condition(S);
    P.conditional.type = cudaGraphCondTypeIf;
    P.conditional.size = 1;
    return cudaGraphAddNode(&S.Node, S.Graph, nullptr, nullptr, 0, &P);
  };
  C.add("cudaGraphAddNode", "conditional", Add)
      .before([=](Scene &S) {
        int E = makeGraph(S);
        return E ? E : Create(S);
      })
      .after(destroyGraph);
  C.add("cudaGraphAddNode", "conditional, to the graph of the capture", Add)
      .inside([=](Scene &S) {
        int E = takeGraph(S);
        return E ? E : Create(S);
      });
}

static void addOtherNodes(Cases &C) {
  C.add("cudaGraphAddHostNode", "",
        [](Scene &S) {
          cudaHostNodeParams P{hostFunction, nullptr};
          return cudaGraphAddHostNode(&S.Node, S.Graph, nullptr, 0, &P);
        })
      .before(makeGraph)
      .after(destroyGraph);
  C.add("cudaGraphAddChildGraphNode", "",
        [](Scene &S) {
          return cudaGraphAddChildGraphNode(&S.Node, S.Graph, nullptr, 0,
                                            *otherGraph(S));
        })
      .before(makeGraphAndChild)
      .after(destroyBoth);
  C.add("cudaGraphAddEventRecordNode", "",
        [](Scene &S) {
          return cudaGraphAddEventRecordNode(&S.Node, S.Graph, nullptr, 0,
                                             S.Fresh);
        })
      .before(makeGraph)
      .after(destroyGraph);
  C.add("cudaGraphAddEventWaitNode", "",
        [](Scene &S) {
          return cudaGraphAddEventWaitNode(&S.Node, S.Graph, nullptr, 0,
                                           S.Outside);
        })
      .before(makeGraph)
      .after(destroyGraph);
  C.add("cudaGraphAddMemFreeNode", "",
        [](Scene &S) {
          return cudaGraphAddMemFreeNode(second(S), S.Graph, &S.Node, 1, S.Q);
        })
      .before([](Scene &S) {
        cudaMemAllocNodeParams P{};
        P.poolProps.allocType = cudaMemAllocationTypePinned;
        P.poolProps.location = {cudaMemLocationTypeDevice, 0};
        P.bytesize = S.Bytes;
        int E = makeGraph(S);
        E = E ? E : cudaGraphAddMemAllocNode(&S.Node, S.Graph, nullptr, 0, &P);
        S.Q = P.dptr;
        return E;
      })
      .after(destroyGraph);
}

static void addEdges(Cases &C) {
  C.add("cudaGraphAddDependencies", "",
        [](Scene &S) {
          return cudaGraphAddDependencies(S.Graph, &S.Node, second(S), nullptr,
                                          1);
        })
      .before(makePair)
      .after(destroyGraph);
  C.add("cudaGraphRemoveDependencies", "",
        [](Scene &S) {
          return cudaGraphRemoveDependencies(S.Graph, &S.Node, second(S),
                                             nullptr, 1);
        })
      .before(makeChain)
      .after(destroyGraph);
  C.add("cudaGraphDestroyNode", "",
        [](Scene &S) { return cudaGraphDestroyNode(S.Node); })
      .before(makeChain)
      .after(destroyGraph);
  C.add("cudaGraphGetEdges", "",
        [](Scene &S) {
          return cudaGraphGetEdges(S.Graph, nullptr, nullptr, nullptr, &S.N);
        })
      .before(makeChain)
      .after(destroyGraph);
  C.add("cudaGraphNodeGetDependencies", "",
        [](Scene &S) {
          return cudaGraphNodeGetDependencies(*second(S), nullptr, nullptr,
                                              &S.N);
        })
      .before(makeChain)
      .after(destroyGraph);
  C.add("cudaGraphNodeGetDependentNodes", "",
        [](Scene &S) {
          return cudaGraphNodeGetDependentNodes(S.Node, nullptr, nullptr, &S.N);
        })
      .before(makeChain)
      .after(destroyGraph);
  C.add("cudaGraphNodeGetType", "",
        [](Scene &S) {
          cudaGraphNodeType Type;
          return cudaGraphNodeGetType(S.Node, &Type);
        })
      .before(makePair)
      .after(destroyGraph);
  C.add("cudaGraphNodeFindInClone", "",
        [](Scene &S) {
          cudaGraphNode_t Found;
          return cudaGraphNodeFindInClone(&Found, S.Node, *otherGraph(S));
        })
      .before([](Scene &S) {
        int E = makePair(S);
        return E ? E : cudaGraphClone(otherGraph(S), S.Graph);
      })
      .after(destroyBoth);
}

void addGraphNodeCases(Cases &C) {
  addKernelNodes(C);
  addConditionalNodes(C);
  addOtherNodes(C);
  addEdges(C);
}

} // namespace cudagraph::conformance
