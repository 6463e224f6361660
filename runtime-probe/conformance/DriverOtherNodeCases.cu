//===- DriverOtherNodeCases.cu - The driver's nodes of events and memory --===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes of graphs that do not take part in the capture. External semaphores
// come only from other APIs, so the nodes that wait for and signal them have
// none.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

static CUdeviceptr address(void *P) { return reinterpret_cast<CUdeviceptr>(P); }
static CUcontext contextIn(void *Slot) { return static_cast<CUcontext>(Slot); }

/// Runs \p First and, if it returns 0, \p Then.
static Action chain(Action First, Action Then) {
  return [=](Scene &S) {
    int E = First(S);
    return E ? E : Then(S);
  };
}

/// An empty graph, and the current context in S.P.
static int makeGraph(Scene &S) {
  int E = cuCtxGetCurrent(reinterpret_cast<CUcontext *>(&S.P));
  return E ? E : cuGraphCreate(&S.Graph, 0);
}
static int instantiate(Scene &S) {
  return cuGraphInstantiateWithFlags(&S.Exec, S.Graph, 0);
}
static int tidy(Scene &S) {
  if (S.Exec)
    cuGraphExecDestroy(S.Exec);
  return S.Graph ? cuGraphDestroy(S.Graph) : CUDA_SUCCESS;
}

static CUgraphNodeParams fillOf(Scene &S) {
  CUgraphNodeParams P{};
  P.type = CU_GRAPH_NODE_TYPE_MEMSET;
  P.memset.dst = address(S.Device2);
  P.memset.elementSize = 1;
  P.memset.width = 64;
  P.memset.height = 1;
  P.memset.ctx = contextIn(S.P);
  return P;
}

static void addEventNodes(Cases &C) {
  auto AddRecord = [](Scene &S) {
    return cuGraphAddEventRecordNode(&S.Node, S.Graph, nullptr, 0, S.Outside);
  };
  auto WithRecord = chain(makeGraph, AddRecord);
  C.add("cuGraphAddEventRecordNode", "", AddRecord)
      .before(makeGraph)
      .after(tidy);
  C.add("cuGraphEventRecordNodeGetEvent", "",
        [](Scene &S) {
          return cuGraphEventRecordNodeGetEvent(S.Node, &S.NewEvent);
        })
      .before(WithRecord)
      .after(tidy);
  C.add("cuGraphEventRecordNodeSetEvent", "",
        [](Scene &S) {
          return cuGraphEventRecordNodeSetEvent(S.Node, S.Outside);
        })
      .before(WithRecord)
      .after(tidy);
  C.add("cuGraphExecEventRecordNodeSetEvent", "",
        [](Scene &S) {
          return cuGraphExecEventRecordNodeSetEvent(S.Exec, S.Node, S.Outside);
        })
      .before(chain(WithRecord, instantiate))
      .after(tidy);
  auto AddWait = [](Scene &S) {
    return cuGraphAddEventWaitNode(&S.Node, S.Graph, nullptr, 0, S.Outside);
  };
  auto WithWait = chain(makeGraph, AddWait);
  C.add("cuGraphAddEventWaitNode", "", AddWait).before(makeGraph).after(tidy);
  C.add("cuGraphEventWaitNodeGetEvent", "",
        [](Scene &S) {
          return cuGraphEventWaitNodeGetEvent(S.Node, &S.NewEvent);
        })
      .before(WithWait)
      .after(tidy);
  C.add(
       "cuGraphEventWaitNodeSetEvent", "",
       [](Scene &S) { return cuGraphEventWaitNodeSetEvent(S.Node, S.Outside); })
      .before(WithWait)
      .after(tidy);
  C.add("cuGraphExecEventWaitNodeSetEvent", "",
        [](Scene &S) {
          return cuGraphExecEventWaitNodeSetEvent(S.Exec, S.Node, S.Outside);
        })
      .before(chain(WithWait, instantiate))
      .after(tidy);
}

static void addSemaphoreNodes(Cases &C) {
  auto AddSignal = [](Scene &S) {
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS P{};
    return cuGraphAddExternalSemaphoresSignalNode(&S.Node, S.Graph, nullptr, 0,
                                                  &P);
  };
  auto WithSignal = chain(makeGraph, AddSignal);
  C.add("cuGraphAddExternalSemaphoresSignalNode", "no semaphores", AddSignal)
      .before(WithSignal)
      .after(tidy);
  C.add("cuGraphExternalSemaphoresSignalNodeGetParams", "no semaphores",
        [](Scene &S) {
          CUDA_EXT_SEM_SIGNAL_NODE_PARAMS P;
          return cuGraphExternalSemaphoresSignalNodeGetParams(S.Node, &P);
        })
      .before(WithSignal)
      .after(tidy);
  C.add("cuGraphExternalSemaphoresSignalNodeSetParams", "no semaphores",
        [](Scene &S) {
          CUDA_EXT_SEM_SIGNAL_NODE_PARAMS P{};
          return cuGraphExternalSemaphoresSignalNodeSetParams(S.Node, &P);
        })
      .before(WithSignal)
      .after(tidy);
  C.add("cuGraphExecExternalSemaphoresSignalNodeSetParams", "no semaphores",
        [](Scene &S) {
          CUDA_EXT_SEM_SIGNAL_NODE_PARAMS P{};
          return cuGraphExecExternalSemaphoresSignalNodeSetParams(S.Exec,
                                                                  S.Node, &P);
        })
      .before(chain(WithSignal, instantiate))
      .after(tidy);
  auto AddWait = [](Scene &S) {
    CUDA_EXT_SEM_WAIT_NODE_PARAMS P{};
    return cuGraphAddExternalSemaphoresWaitNode(&S.Node, S.Graph, nullptr, 0,
                                                &P);
  };
  auto WithWait = chain(makeGraph, AddWait);
  C.add("cuGraphAddExternalSemaphoresWaitNode", "no semaphores", AddWait)
      .before(WithWait)
      .after(tidy);
  C.add("cuGraphExternalSemaphoresWaitNodeGetParams", "no semaphores",
        [](Scene &S) {
          CUDA_EXT_SEM_WAIT_NODE_PARAMS P;
          return cuGraphExternalSemaphoresWaitNodeGetParams(S.Node, &P);
        })
      .before(WithWait)
      .after(tidy);
  C.add("cuGraphExternalSemaphoresWaitNodeSetParams", "no semaphores",
        [](Scene &S) {
          CUDA_EXT_SEM_WAIT_NODE_PARAMS P{};
          return cuGraphExternalSemaphoresWaitNodeSetParams(S.Node, &P);
        })
      .before(WithWait)
      .after(tidy);
  C.add("cuGraphExecExternalSemaphoresWaitNodeSetParams", "no semaphores",
        [](Scene &S) {
          CUDA_EXT_SEM_WAIT_NODE_PARAMS P{};
          return cuGraphExecExternalSemaphoresWaitNodeSetParams(S.Exec, S.Node,
                                                                &P);
        })
      .before(chain(WithWait, instantiate))
      .after(tidy);
}

static void addAllocations(Cases &C) {
  auto Add = [](Scene &S) {
    CUDA_MEM_ALLOC_NODE_PARAMS P{};
    P.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    P.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    P.bytesize = S.Bytes;
    auto E = cuGraphAddMemAllocNode(&S.Node, S.Graph, nullptr, 0, &P);
    S.N = P.dptr;
    return E;
  };
  auto Free = [](Scene &S) {
    CUgraphNode Allocated = S.Node;
    return cuGraphAddMemFreeNode(&S.Node, S.Graph, &Allocated, 1, S.N);
  };
  auto Made = chain(makeGraph, Add);
  C.add("cuGraphAddMemAllocNode", "", Add).before(makeGraph).after(tidy);
  C.add("cuGraphMemAllocNodeGetParams", "",
        [](Scene &S) {
          CUDA_MEM_ALLOC_NODE_PARAMS P;
          return cuGraphMemAllocNodeGetParams(S.Node, &P);
        })
      .before(Made)
      .after(tidy);
  C.add("cuGraphAddMemFreeNode", "", Free).before(Made).after(tidy);
  C.add("cuGraphMemFreeNodeGetParams", "",
        [](Scene &S) {
          CUdeviceptr Freed;
          return cuGraphMemFreeNodeGetParams(S.Node, &Freed);
        })
      .before(chain(Made, Free))
      .after(tidy);
}

static void addAnyNodes(Cases &C) {
  auto Add = [](Scene &S) {
    CUgraphNodeParams P = fillOf(S);
    return cuGraphAddNode(&S.Node, S.Graph, nullptr, nullptr, 0, &P);
  };
  auto Made = chain(makeGraph, Add);
  C.add("cuGraphAddNode", "", Add).before(makeGraph).after(tidy);
  C.add("cuGraphAddNode", "conditional",
        [](Scene &S) {
          CUgraphNodeParams P{};
          P.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
          P.conditional.handle = S.N;
          P.conditional.type = CU_GRAPH_COND_TYPE_IF;
          P.conditional.size = 1;
          P.conditional.ctx = contextIn(S.P);
          return cuGraphAddNode(&S.Node, S.Graph, nullptr, nullptr, 0, &P);
        })
      .before([](Scene &S) -> int {
        int E = makeGraph(S);
        CUgraphConditionalHandle Handle = 0;
        E = E ? E
              : cuGraphConditionalHandleCreate(&Handle, S.Graph, contextIn(S.P),
                                               0, 0);
        S.N = Handle;
        return E;
      })
      .after(tidy);
  C.add("cuGraphAddNode", "memory allocation",
        [](Scene &S) {
          CUgraphNodeParams P{};
          P.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
          P.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
          P.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
          P.alloc.bytesize = S.Bytes;
          return cuGraphAddNode(&S.Node, S.Graph, nullptr, nullptr, 0, &P);
        })
      .before(makeGraph)
      .after(tidy);
  C.add("cuGraphNodeSetParams", "",
        [](Scene &S) {
          CUgraphNodeParams P = fillOf(S);
          return cuGraphNodeSetParams(S.Node, &P);
        })
      .before(Made)
      .after(tidy);
  C.add("cuGraphExecNodeSetParams", "",
        [](Scene &S) {
          CUgraphNodeParams P = fillOf(S);
          return cuGraphExecNodeSetParams(S.Exec, S.Node, &P);
        })
      .before(chain(Made, instantiate))
      .after(tidy);
}

void addDriverOtherNodeCases(Cases &C) {
  addEventNodes(C);
  addSemaphoreNodes(C);
  addAllocations(C);
  addAnyNodes(C);
}

} // namespace cudagraph::conformance
