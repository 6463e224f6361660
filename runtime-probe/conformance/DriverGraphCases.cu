//===- DriverGraphCases.cu - The driver's graphs and their execs ----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs that do not take part in the capture: how they are created, queried,
// and changed, with nodes of the simplest kinds. DriverNodeCases.cu and
// DriverOtherNodeCases.cu have the other kinds.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

extern "C" CUresult cuGraphInstantiate_v2(CUgraphExec *, CUgraph, CUgraphNode *,
                                          char *, size_t);

namespace cudagraph::conformance {

static CUgraphNode nodeIn(void *Slot) { return static_cast<CUgraphNode>(Slot); }
static CUgraph graphIn(void *Slot) { return static_cast<CUgraph>(Slot); }
static CUuserObject objectIn(void *Slot) {
  return static_cast<CUuserObject>(Slot);
}

/// Runs \p First and, if it returns 0, \p Then.
static Action chain(Action First, Action Then) {
  return [=](Scene &S) {
    int E = First(S);
    return E ? E : Then(S);
  };
}

/// A graph of two nodes without an edge: S.Node and, in S.Q, an empty one.
static int makeGraph(Scene &S) {
  CUDA_MEMSET_NODE_PARAMS P{};
  P.dst = reinterpret_cast<CUdeviceptr>(S.Device2);
  P.elementSize = 1;
  P.width = 64;
  P.height = 1;
  CUcontext Ctx;
  int E = cuCtxGetCurrent(&Ctx);
  E = E ? E : cuGraphCreate(&S.Graph, 0);
  E = E ? E : cuGraphAddMemsetNode(&S.Node, S.Graph, nullptr, 0, &P, Ctx);
  return E ? E
           : cuGraphAddEmptyNode(reinterpret_cast<CUgraphNode *>(&S.Q), S.Graph,
                                 nullptr, 0);
}
static int link(Scene &S) {
  CUgraphNode To = nodeIn(S.Q);
  return cuGraphAddDependencies(S.Graph, &S.Node, &To, nullptr, 1);
}
static int instantiate(Scene &S) {
  return cuGraphInstantiateWithFlags(&S.Exec, S.Graph, 0);
}
static int cloneGraph(Scene &S) {
  return cuGraphClone(reinterpret_cast<CUgraph *>(&S.P), S.Graph);
}
static int makeChild(Scene &S) {
  return cuGraphCreate(reinterpret_cast<CUgraph *>(&S.P), 0);
}
static int addChild(Scene &S) {
  return cuGraphAddChildGraphNode(&S.Node, S.Graph, nullptr, 0, graphIn(S.P));
}
static int makeObject(Scene &S) {
  return cuUserObjectCreate(
      reinterpret_cast<CUuserObject *>(&S.P), nullptr, [](void *) {}, 1,
      CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
}

static int tidy(Scene &S) {
  if (S.Exec)
    cuGraphExecDestroy(S.Exec);
  return S.Graph ? cuGraphDestroy(S.Graph) : CUDA_SUCCESS;
}
/// The same if S.P has a separate graph.
static int tidyBoth(Scene &S) {
  if (S.P)
    cuGraphDestroy(graphIn(S.P));
  return tidy(S);
}

static void addGraphs(Cases &C) {
  C.add("cuGraphCreate", "", [](Scene &S) {
     return cuGraphCreate(&S.Graph, 0);
   }).after(tidy);
  C.add("cuGraphClone", "",
        [](Scene &S) {
          return cuGraphClone(reinterpret_cast<CUgraph *>(&S.P), S.Graph);
        })
      .before(makeGraph)
      .after(tidyBoth);
  C.add("cuGraphNodeFindInClone", "",
        [](Scene &S) {
          CUgraphNode Found;
          return cuGraphNodeFindInClone(&Found, S.Node, graphIn(S.P));
        })
      .before(chain(makeGraph, cloneGraph))
      .after(tidyBoth);
  C.add("cuGraphDebugDotPrint", "",
        [](Scene &S) { return cuGraphDebugDotPrint(S.Graph, "/dev/null", 0); })
      .before(makeGraph)
      .after(tidy);
  C.add("cuGraphGetNodes", "",
        [](Scene &S) { return cuGraphGetNodes(S.Graph, nullptr, &S.N); })
      .before(makeGraph)
      .after(tidy);
  C.add("cuGraphGetRootNodes", "",
        [](Scene &S) { return cuGraphGetRootNodes(S.Graph, nullptr, &S.N); })
      .before(makeGraph)
      .after(tidy);
  C.add("cuGraphGetEdges", "",
        [](Scene &S) {
          return cuGraphGetEdges(S.Graph, nullptr, nullptr, nullptr, &S.N);
        })
      .before(chain(makeGraph, link))
      .after(tidy);
  C.add("cuGraphAddDependencies", "",
        [](Scene &S) {
          CUgraphNode To = nodeIn(S.Q);
          return cuGraphAddDependencies(S.Graph, &S.Node, &To, nullptr, 1);
        })
      .before(makeGraph)
      .after(tidy);
  C.add("cuGraphRemoveDependencies", "",
        [](Scene &S) {
          CUgraphNode To = nodeIn(S.Q);
          return cuGraphRemoveDependencies(S.Graph, &S.Node, &To, nullptr, 1);
        })
      .before(chain(makeGraph, link))
      .after(tidy);
  C.add("cuGraphConditionalHandleCreate", "",
        [](Scene &S) {
          CUgraphConditionalHandle Handle;
          return cuGraphConditionalHandleCreate(
              &Handle, S.Graph, static_cast<CUcontext>(S.P), 0, 0);
        })
      .before([](Scene &S) -> int {
        int E = makeGraph(S);
        return E ? E : cuCtxGetCurrent(reinterpret_cast<CUcontext *>(&S.P));
      })
      .after(tidy);
}

static void addExecs(Cases &C) {
  C.add("cuGraphInstantiate", "",
        [](Scene &S) { return cuGraphInstantiate(&S.Exec, S.Graph, 0); })
      .before(makeGraph)
      .after(tidy);
  C.add("cuGraphInstantiate", "with a log",
        [](Scene &S) {
          CUgraphNode Culprit;
          return cuGraphInstantiate_v2(&S.Exec, S.Graph, &Culprit, S.Host,
                                       S.Bytes);
        })
      .before(makeGraph)
      .after(tidy);
  C.add("cuGraphExecGetFlags", "",
        [](Scene &S) {
          cuuint64_t Flags;
          return cuGraphExecGetFlags(S.Exec, &Flags);
        })
      .before(chain(makeGraph, instantiate))
      .after(tidy);
  C.add("cuGraphNodeGetEnabled", "",
        [](Scene &S) {
          unsigned Enabled;
          return cuGraphNodeGetEnabled(S.Exec, S.Node, &Enabled);
        })
      .before(chain(makeGraph, instantiate))
      .after(tidy);
  C.add("cuGraphNodeSetEnabled", "",
        [](Scene &S) { return cuGraphNodeSetEnabled(S.Exec, S.Node, 0); })
      .before(chain(makeGraph, instantiate))
      .after(tidy);
}

static void addNodes(Cases &C) {
  C.add("cuGraphDestroyNode", "",
        [](Scene &S) { return cuGraphDestroyNode(S.Node); })
      .before(makeGraph)
      .after(tidy);
  C.add("cuGraphNodeGetType", "",
        [](Scene &S) {
          CUgraphNodeType Type;
          return cuGraphNodeGetType(S.Node, &Type);
        })
      .before(makeGraph)
      .after(tidy);
  C.add("cuGraphNodeGetDependencies", "",
        [](Scene &S) {
          return cuGraphNodeGetDependencies(nodeIn(S.Q), nullptr, nullptr,
                                            &S.N);
        })
      .before(chain(makeGraph, link))
      .after(tidy);
  C.add("cuGraphNodeGetDependentNodes", "",
        [](Scene &S) {
          return cuGraphNodeGetDependentNodes(S.Node, nullptr, nullptr, &S.N);
        })
      .before(chain(makeGraph, link))
      .after(tidy);
  C.add("cuGraphAddEmptyNode", "",
        [](Scene &S) {
          return cuGraphAddEmptyNode(&S.Node, S.Graph, nullptr, 0);
        })
      .before(makeGraph)
      .after(tidy);
  C.add("cuGraphAddChildGraphNode", "",
        [](Scene &S) {
          return cuGraphAddChildGraphNode(&S.Node, S.Graph, nullptr, 0,
                                          graphIn(S.P));
        })
      .before(chain(makeGraph, makeChild))
      .after(tidyBoth);
  auto WithChild = chain(chain(makeGraph, makeChild), addChild);
  C.add("cuGraphChildGraphNodeGetGraph", "",
        [](Scene &S) {
          CUgraph Child;
          return cuGraphChildGraphNodeGetGraph(S.Node, &Child);
        })
      .before(WithChild)
      .after(tidyBoth);
  C.add("cuGraphExecChildGraphNodeSetParams", "",
        [](Scene &S) {
          return cuGraphExecChildGraphNodeSetParams(S.Exec, S.Node,
                                                    graphIn(S.P));
        })
      .before(chain(WithChild, instantiate))
      .after(tidyBoth);
}

static void addUserObjects(Cases &C) {
  auto Release = [](Scene &S) { return cuUserObjectRelease(objectIn(S.P), 1); };
  C.add("cuUserObjectCreate", "", [](Scene &S) {
     return cuUserObjectCreate(
         reinterpret_cast<CUuserObject *>(&S.P), nullptr, [](void *) {}, 1,
         CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
   }).after(Release);
  C.add("cuUserObjectRetain", "",
        [](Scene &S) { return cuUserObjectRetain(objectIn(S.P), 1); })
      .before(makeObject)
      .after([](Scene &S) { return cuUserObjectRelease(objectIn(S.P), 2); });
  C.add("cuUserObjectRelease", "", Release)
      .before(
          chain(makeObject,
                [](Scene &S) { return cuUserObjectRetain(objectIn(S.P), 1); }))
      .after(Release);
  C.add("cuUserObjectRelease", "last reference", Release).before(makeObject);
  C.add("cuGraphRetainUserObject", "",
        [](Scene &S) {
          return cuGraphRetainUserObject(S.Graph, objectIn(S.P), 1, 0);
        })
      .before(chain(makeGraph, makeObject))
      .after([=](Scene &S) {
        Release(S);
        return tidy(S);
      });
  C.add("cuGraphReleaseUserObject", "",
        [](Scene &S) {
          return cuGraphReleaseUserObject(S.Graph, objectIn(S.P), 1);
        })
      .before(chain(chain(makeGraph, makeObject),
                    [](Scene &S) {
                      return cuGraphRetainUserObject(S.Graph, objectIn(S.P), 1,
                                                     0);
                    }))
      .after([=](Scene &S) {
        Release(S);
        return tidy(S);
      });
}

void addDriverGraphCases(Cases &C) {
  addGraphs(C);
  addExecs(C);
  addNodes(C);
  addUserObjects(C);
}

} // namespace cudagraph::conformance
