//===- GraphCases.cu - Graphs created, launched, and changed --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

static int makeGraph(Scene &S) {
  int E = cudaGraphCreate(&S.Graph, 0);
  cudaMemsetParams P{};
  P.dst = S.Device2;
  P.elementSize = 1;
  P.width = 64;
  P.height = 1;
  return E ? E : cudaGraphAddMemsetNode(&S.Node, S.Graph, nullptr, 0, &P);
}

static int makeExec(Scene &S) {
  int E = makeGraph(S);
  return E ? E : cudaGraphInstantiate(&S.Exec, S.Graph, 0);
}

static void addLaunches(Cases &C) {
  C.add("cudaGraphLaunch", "",
        [](Scene &S) { return cudaGraphLaunch(S.Exec, S.Stream); })
      .streams()
      .before(makeExec);
  C.add("cudaGraphLaunch", "uploaded",
        [](Scene &S) { return cudaGraphLaunch(S.Exec, S.Stream); })
      .streams()
      .before([](Scene &S) {
        int E = makeExec(S);
        return E ? E : cudaGraphUpload(S.Exec, S.Origin);
      });
  C.add("cudaGraphUpload", "",
        [](Scene &S) { return cudaGraphUpload(S.Exec, S.Stream); })
      .streams()
      .before(makeExec);
}

static void addExecs(Cases &C) {
  C.add("cudaGraphInstantiate", "", [](Scene &S) {
     return cudaGraphInstantiate(&S.Exec, S.Graph, 0);
   }).before(makeGraph);
  C.add("cudaGraphInstantiateWithParams", "to upload", [](Scene &S) {
     cudaGraphInstantiateParams P{};
     P.flags = cudaGraphInstantiateFlagUpload;
     P.uploadStream = S.OtherNonBlocking;
     int E = cudaGraphInstantiateWithParams(&S.Exec, S.Graph, &P);
     return E ? E : -static_cast<int>(P.result_out);
   }).before(makeGraph);
  C.add("cudaGraphInstantiate", "for device launch", [](Scene &S) {
     return cudaGraphInstantiate(&S.Exec, S.Graph,
                                 cudaGraphInstantiateFlagDeviceLaunch);
   }).before(makeGraph);
  C.add("cudaGraphInstantiateWithFlags", "", [](Scene &S) {
     return cudaGraphInstantiateWithFlags(&S.Exec, S.Graph, 0);
   }).before(makeGraph);
  C.add("cudaGraphInstantiateWithParams", "", [](Scene &S) {
     cudaGraphInstantiateParams P{};
     return cudaGraphInstantiateWithParams(&S.Exec, S.Graph, &P);
   }).before(makeGraph);
  C.add("cudaGraphExecUpdate", "", [](Scene &S) {
     cudaGraphExecUpdateResultInfo Info{};
     return cudaGraphExecUpdate(S.Exec, S.Graph, &Info);
   }).before(makeExec);
  C.add("cudaGraphExecMemsetNodeSetParams", "", [](Scene &S) {
     cudaMemsetParams P{};
     P.dst = S.Device2;
     P.elementSize = 1;
     P.width = 32;
     P.height = 1;
     return cudaGraphExecMemsetNodeSetParams(S.Exec, S.Node, &P);
   }).before(makeExec);
  C.add("cudaGraphNodeSetEnabled", "", [](Scene &S) {
     return cudaGraphNodeSetEnabled(S.Exec, S.Node, 0);
   }).before(makeExec);
  C.add("cudaGraphExecDestroy", "", [](Scene &S) {
     return cudaGraphExecDestroy(S.Exec);
   }).before(makeExec);
}

static void addGraphs(Cases &C) {
  C.add("cudaGraphCreate", "",
        [](Scene &S) { return cudaGraphCreate(&S.Graph, 0); });
  C.add("cudaGraphDestroy", "", [](Scene &S) {
     return cudaGraphDestroy(S.Graph);
   }).before(makeGraph);
  C.add("cudaGraphClone", "", [](Scene &S) {
     cudaGraph_t Clone;
     return cudaGraphClone(&Clone, S.Graph);
   }).before(makeGraph);
  C.add("cudaGraphAddEmptyNode", "", [](Scene &S) {
     return cudaGraphAddEmptyNode(&S.Node, S.Graph, nullptr, 0);
   }).before(makeGraph);
  C.add("cudaGraphAddMemsetNode", "", [](Scene &S) {
     cudaMemsetParams P{};
     P.dst = S.Device;
     P.elementSize = 1;
     P.width = 64;
     P.height = 1;
     return cudaGraphAddMemsetNode(&S.Node, S.Graph, nullptr, 0, &P);
   }).before(makeGraph);
  C.add("cudaGraphAddMemAllocNode", "", [](Scene &S) {
     cudaMemAllocNodeParams P{};
     P.poolProps.allocType = cudaMemAllocationTypePinned;
     P.poolProps.location = {cudaMemLocationTypeDevice, 0};
     P.bytesize = 4096;
     return cudaGraphAddMemAllocNode(&S.Node, S.Graph, nullptr, 0, &P);
   }).before(makeGraph);
  C.add("cudaGraphGetNodes", "", [](Scene &S) {
     return cudaGraphGetNodes(S.Graph, nullptr, &S.N);
   }).before(makeGraph);
  C.add("cudaGraphGetRootNodes", "", [](Scene &S) {
     return cudaGraphGetRootNodes(S.Graph, nullptr, &S.N);
   }).before(makeGraph);
  C.add("cudaGraphDebugDotPrint", "", [](Scene &S) {
     return cudaGraphDebugDotPrint(S.Graph, "/dev/null", 0);
   }).before(makeGraph);
  C.add("cudaUserObjectCreate", "", [](Scene &) {
    cudaUserObject_t Object;
    return cudaUserObjectCreate(
        &Object, nullptr, [](void *) {}, 1, cudaUserObjectNoDestructorSync);
  });
}

void addGraphCases(Cases &C) {
  addLaunches(C);
  addExecs(C);
  addGraphs(C);
}

} // namespace cudagraph::conformance
