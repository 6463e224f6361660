//===- GraphParamCases.cu - Parameters of nodes and of their execs --------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each case has a graph with one node in Scene::Node, or with two of the same
// kind, and its exec if an exec is changed. New parameters differ from the old
// ones at most in an address, so that CUDA may accept them.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

static __global__ void paramWork(int *P) { P[threadIdx.x] += 1; }
static void CUDART_CB hostFunction(void *) {}

static cudaGraphNode_t *second(Scene &S) {
  return reinterpret_cast<cudaGraphNode_t *>(&S.P);
}
static cudaGraph_t *child(Scene &S) {
  return reinterpret_cast<cudaGraph_t *>(&S.P);
}

static cudaKernelNodeParams launchOf(void **Args) {
  cudaKernelNodeParams P{};
  P.func = reinterpret_cast<void *>(paramWork);
  P.gridDim = dim3(1);
  P.blockDim = dim3(32);
  P.kernelParams = Args;
  return P;
}

static int makeKernels(Scene &S) {
  void *Args[] = {&S.Device};
  cudaKernelNodeParams P = launchOf(Args);
  int E = cudaGraphCreate(&S.Graph, 0);
  E = E ? E : cudaGraphAddKernelNode(&S.Node, S.Graph, nullptr, 0, &P);
  return E ? E : cudaGraphAddKernelNode(second(S), S.Graph, &S.Node, 1, &P);
}
static int makeHost(Scene &S) {
  cudaHostNodeParams P{hostFunction, nullptr};
  int E = cudaGraphCreate(&S.Graph, 0);
  return E ? E : cudaGraphAddHostNode(&S.Node, S.Graph, nullptr, 0, &P);
}
static int makeRecord(Scene &S) {
  int E = cudaGraphCreate(&S.Graph, 0);
  return E ? E
           : cudaGraphAddEventRecordNode(&S.Node, S.Graph, nullptr, 0,
                                         S.Outside);
}
static int makeWait(Scene &S) {
  int E = cudaGraphCreate(&S.Graph, 0);
  return E ? E
           : cudaGraphAddEventWaitNode(&S.Node, S.Graph, nullptr, 0, S.Outside);
}
static int makeChild(Scene &S) {
  cudaGraphNode_t Node;
  int E = cudaGraphCreate(&S.Graph, 0);
  E = E ? E : cudaGraphCreate(child(S), 0);
  E = E ? E : cudaGraphAddEmptyNode(&Node, *child(S), nullptr, 0);
  return E ? E
           : cudaGraphAddChildGraphNode(&S.Node, S.Graph, nullptr, 0,
                                        *child(S));
}
/// An allocation, and in Scene::P the node that frees it.
static int makeAllocation(Scene &S) {
  cudaMemAllocNodeParams P{};
  P.poolProps.allocType = cudaMemAllocationTypePinned;
  P.poolProps.location = {cudaMemLocationTypeDevice, 0};
  P.bytesize = S.Bytes;
  int E = cudaGraphCreate(&S.Graph, 0);
  E = E ? E : cudaGraphAddMemAllocNode(&S.Node, S.Graph, nullptr, 0, &P);
  return E ? E
           : cudaGraphAddMemFreeNode(second(S), S.Graph, &S.Node, 1, P.dptr);
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

static void addKernels(Cases &C) {
  auto MakeExec = [](Scene &S) { return instantiate(S, makeKernels(S)); };
  C.add("cudaGraphKernelNodeGetParams", "",
        [](Scene &S) {
          cudaKernelNodeParams P;
          return cudaGraphKernelNodeGetParams(S.Node, &P);
        })
      .before(makeKernels)
      .after(drop);
  auto Set = [](Scene &S) {
    void *Args[] = {&S.Device2};
    cudaKernelNodeParams P = launchOf(Args);
    return cudaGraphKernelNodeSetParams(S.Node, &P);
  };
  C.add("cudaGraphKernelNodeSetParams", "", Set)
      .before(makeKernels)
      .after(drop);
  C.add("cudaGraphKernelNodeSetParams", "node of the capture", Set)
      .before([](Scene &) {
        cudaFuncAttributes A;
        return cudaFuncGetAttributes(&A, paramWork);
      })
      .inside([](Scene &S) {
        cudaStreamCaptureStatus Status;
        const cudaGraphNode_t *Last;
        size_t Count;
        paramWork<<<1, 32, 0, S.Origin>>>(reinterpret_cast<int *>(S.Device));
        int E = cudaStreamGetCaptureInfo(S.Origin, &Status, nullptr, nullptr,
                                         &Last, nullptr, &Count);
        S.Node = E ? nullptr : *Last;
        return E;
      });
  C.add("cudaGraphExecKernelNodeSetParams", "",
        [](Scene &S) {
          void *Args[] = {&S.Device2};
          cudaKernelNodeParams P = launchOf(Args);
          return cudaGraphExecKernelNodeSetParams(S.Exec, S.Node, &P);
        })
      .before(MakeExec)
      .after(drop);
  C.add("cudaGraphNodeSetParams", "kernel",
        [](Scene &S) {
          void *Args[] = {&S.Device2};
          cudaGraphNodeParams P{};
          P.type = cudaGraphNodeTypeKernel;
          P.kernel.func = reinterpret_cast<void *>(paramWork);
          P.kernel.gridDim = dim3(1);
          P.kernel.blockDim = dim3(32);
          P.kernel.kernelParams = Args;
          return cudaGraphNodeSetParams(S.Node, &P);
        })
      .before(makeKernels)
      .after(drop);
  C.add("cudaGraphExecNodeSetParams", "kernel",
        [](Scene &S) {
          void *Args[] = {&S.Device2};
          cudaGraphNodeParams P{};
          P.type = cudaGraphNodeTypeKernel;
          P.kernel.func = reinterpret_cast<void *>(paramWork);
          P.kernel.gridDim = dim3(1);
          P.kernel.blockDim = dim3(32);
          P.kernel.kernelParams = Args;
          return cudaGraphExecNodeSetParams(S.Exec, S.Node, &P);
        })
      .before(MakeExec)
      .after(drop);
  C.add("cudaGraphKernelNodeCopyAttributes", "",
        [](Scene &S) {
          return cudaGraphKernelNodeCopyAttributes(*second(S), S.Node);
        })
      .before(makeKernels)
      .after(drop);
  C.add("cudaGraphKernelNodeGetAttribute", "",
        [](Scene &S) {
          cudaKernelNodeAttrValue Value;
          return cudaGraphKernelNodeGetAttribute(
              S.Node, cudaKernelNodeAttributePriority, &Value);
        })
      .before(makeKernels)
      .after(drop);
  C.add("cudaGraphKernelNodeSetAttribute", "",
        [](Scene &S) {
          cudaKernelNodeAttrValue Value{};
          Value.priority = 0;
          return cudaGraphKernelNodeSetAttribute(
              S.Node, cudaKernelNodeAttributePriority, &Value);
        })
      .before(makeKernels)
      .after(drop);
}

static void addEvents(Cases &C) {
  C.add("cudaGraphEventRecordNodeGetEvent", "",
        [](Scene &S) {
          cudaEvent_t Event;
          return cudaGraphEventRecordNodeGetEvent(S.Node, &Event);
        })
      .before(makeRecord)
      .after(drop);
  C.add("cudaGraphEventRecordNodeSetEvent", "",
        [](Scene &S) {
          return cudaGraphEventRecordNodeSetEvent(S.Node, S.Fresh);
        })
      .before(makeRecord)
      .after(drop);
  C.add("cudaGraphExecEventRecordNodeSetEvent", "",
        [](Scene &S) {
          return cudaGraphExecEventRecordNodeSetEvent(S.Exec, S.Node, S.Fresh);
        })
      .before([](Scene &S) { return instantiate(S, makeRecord(S)); })
      .after(drop);
  C.add("cudaGraphEventWaitNodeGetEvent", "",
        [](Scene &S) {
          cudaEvent_t Event;
          return cudaGraphEventWaitNodeGetEvent(S.Node, &Event);
        })
      .before(makeWait)
      .after(drop);
  C.add(
       "cudaGraphEventWaitNodeSetEvent", "",
       [](Scene &S) { return cudaGraphEventWaitNodeSetEvent(S.Node, S.Fresh); })
      .before(makeWait)
      .after(drop);
  C.add("cudaGraphExecEventWaitNodeSetEvent", "",
        [](Scene &S) {
          return cudaGraphExecEventWaitNodeSetEvent(S.Exec, S.Node, S.Fresh);
        })
      .before([](Scene &S) { return instantiate(S, makeWait(S)); })
      .after(drop);
}

static void addOthers(Cases &C) {
  C.add("cudaGraphHostNodeGetParams", "",
        [](Scene &S) {
          cudaHostNodeParams P;
          return cudaGraphHostNodeGetParams(S.Node, &P);
        })
      .before(makeHost)
      .after(drop);
  C.add("cudaGraphHostNodeSetParams", "",
        [](Scene &S) {
          cudaHostNodeParams P{hostFunction, S.Host};
          return cudaGraphHostNodeSetParams(S.Node, &P);
        })
      .before(makeHost)
      .after(drop);
  C.add("cudaGraphExecHostNodeSetParams", "",
        [](Scene &S) {
          cudaHostNodeParams P{hostFunction, S.Host};
          return cudaGraphExecHostNodeSetParams(S.Exec, S.Node, &P);
        })
      .before([](Scene &S) { return instantiate(S, makeHost(S)); })
      .after(drop);
  C.add("cudaGraphExecChildGraphNodeSetParams", "",
        [](Scene &S) {
          return cudaGraphExecChildGraphNodeSetParams(S.Exec, S.Node,
                                                      *child(S));
        })
      .before([](Scene &S) { return instantiate(S, makeChild(S)); })
      .after([](Scene &S) {
        cudaGraphDestroy(*child(S));
        return drop(S);
      });
  C.add("cudaGraphChildGraphNodeGetGraph", "",
        [](Scene &S) {
          cudaGraph_t Child;
          return cudaGraphChildGraphNodeGetGraph(S.Node, &Child);
        })
      .before(makeChild)
      .after([](Scene &S) {
        cudaGraphDestroy(*child(S));
        return drop(S);
      });
  C.add("cudaGraphMemAllocNodeGetParams", "",
        [](Scene &S) {
          cudaMemAllocNodeParams P;
          return cudaGraphMemAllocNodeGetParams(S.Node, &P);
        })
      .before(makeAllocation)
      .after(drop);
  C.add(
       "cudaGraphMemFreeNodeGetParams", "",
       [](Scene &S) { return cudaGraphMemFreeNodeGetParams(*second(S), &S.Q); })
      .before(makeAllocation)
      .after(drop);
}

void addGraphParamCases(Cases &C) {
  addKernels(C);
  addEvents(C);
  addOthers(C);
}

} // namespace cudagraph::conformance
