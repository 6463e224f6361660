//===- DriverNodeCases.cu - The driver's nodes of work --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes are added, and their parameters read and set, in graphs that do not
// take part in the capture.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

static CUdeviceptr address(void *P) { return reinterpret_cast<CUdeviceptr>(P); }
static CUcontext contextIn(void *Slot) { return static_cast<CUcontext>(Slot); }
static CUgraphNode nodeIn(void *Slot) { return static_cast<CUgraphNode>(Slot); }
static void CUDA_CB hostFunction(void *) {}

/// A module with one empty kernel.
static const char Image[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                            ".visible .entry k() { ret; }\n";

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

/// An empty graph, a module in S.P, and its kernel in S.Q.
static int makeKernel(Scene &S) {
  int E = cuGraphCreate(&S.Graph, 0);
  E = E ? E : cuModuleLoadData(reinterpret_cast<CUmodule *>(&S.P), Image);
  return E ? E
           : cuModuleGetFunction(reinterpret_cast<CUfunction *>(&S.Q),
                                 static_cast<CUmodule>(S.P), "k");
}
static int tidyKernel(Scene &S) {
  tidy(S);
  return cuModuleUnload(static_cast<CUmodule>(S.P));
}

static CUDA_KERNEL_NODE_PARAMS launchOf(void *Kernel) {
  CUDA_KERNEL_NODE_PARAMS P{};
  P.func = static_cast<CUfunction>(Kernel);
  P.gridDimX = P.gridDimY = P.gridDimZ = 1;
  P.blockDimX = P.blockDimY = P.blockDimZ = 1;
  return P;
}
static CUDA_MEMCPY3D copyOf(Scene &S) {
  CUDA_MEMCPY3D P{};
  P.srcMemoryType = P.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  P.srcDevice = address(S.Device2);
  P.dstDevice = address(S.Device);
  P.srcPitch = P.dstPitch = P.WidthInBytes = 64;
  P.srcHeight = P.dstHeight = P.Height = P.Depth = 1;
  return P;
}
static CUDA_MEMSET_NODE_PARAMS fillOf(Scene &S) {
  CUDA_MEMSET_NODE_PARAMS P{};
  P.dst = address(S.Device2);
  P.elementSize = 1;
  P.width = 64;
  P.height = 1;
  return P;
}
static CUDA_HOST_NODE_PARAMS hostCall() {
  CUDA_HOST_NODE_PARAMS P{};
  P.fn = hostFunction;
  return P;
}

/// Parameters that write one value.
struct WriteOf {
  explicit WriteOf(Scene &S) {
    Op.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    Op.writeValue.address = address(S.Device2);
    P.ctx = contextIn(S.P);
    P.count = 1;
    P.paramArray = &Op;
  }
  CUstreamBatchMemOpParams Op{};
  CUDA_BATCH_MEM_OP_NODE_PARAMS P{};
};

static void addKernelNodes(Cases &C) {
  auto Add = [](Scene &S) {
    CUDA_KERNEL_NODE_PARAMS P = launchOf(S.Q);
    return cuGraphAddKernelNode(&S.Node, S.Graph, nullptr, 0, &P);
  };
  auto Made = chain(makeKernel, Add);
  C.add("cuGraphAddKernelNode", "", Add).before(makeKernel).after(tidyKernel);
  C.add("cuGraphKernelNodeGetParams", "",
        [](Scene &S) {
          CUDA_KERNEL_NODE_PARAMS P;
          return cuGraphKernelNodeGetParams(S.Node, &P);
        })
      .before(Made)
      .after(tidyKernel);
  C.add("cuGraphKernelNodeSetParams", "",
        [](Scene &S) {
          CUDA_KERNEL_NODE_PARAMS P = launchOf(S.Q);
          return cuGraphKernelNodeSetParams(S.Node, &P);
        })
      .before(Made)
      .after(tidyKernel);
  C.add("cuGraphExecKernelNodeSetParams", "",
        [](Scene &S) {
          CUDA_KERNEL_NODE_PARAMS P = launchOf(S.Q);
          return cuGraphExecKernelNodeSetParams(S.Exec, S.Node, &P);
        })
      .before(chain(Made, instantiate))
      .after(tidyKernel);
  C.add("cuGraphKernelNodeGetAttribute", "",
        [](Scene &S) {
          CUkernelNodeAttrValue Value;
          return cuGraphKernelNodeGetAttribute(
              S.Node, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &Value);
        })
      .before(Made)
      .after(tidyKernel);
  C.add("cuGraphKernelNodeSetAttribute", "",
        [](Scene &S) {
          CUkernelNodeAttrValue Value{};
          return cuGraphKernelNodeSetAttribute(
              S.Node, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &Value);
        })
      .before(Made)
      .after(tidyKernel);
  C.add("cuGraphKernelNodeCopyAttributes", "",
        [](Scene &S) {
          return cuGraphKernelNodeCopyAttributes(S.Node, nodeIn(S.Q));
        })
      .before([=](Scene &S) -> int {
        int E = Made(S);
        CUgraphNode First = S.Node;
        E = E ? E : static_cast<int>(Add(S));
        S.Q = First;
        return E;
      })
      .after(tidyKernel);
}

static void addCopyNodes(Cases &C) {
  auto Add = [](Scene &S) {
    CUDA_MEMCPY3D P = copyOf(S);
    return cuGraphAddMemcpyNode(&S.Node, S.Graph, nullptr, 0, &P,
                                contextIn(S.P));
  };
  auto Made = chain(makeGraph, Add);
  C.add("cuGraphAddMemcpyNode", "", Add).before(makeGraph).after(tidy);
  C.add("cuGraphMemcpyNodeGetParams", "",
        [](Scene &S) {
          CUDA_MEMCPY3D P;
          return cuGraphMemcpyNodeGetParams(S.Node, &P);
        })
      .before(Made)
      .after(tidy);
  C.add("cuGraphMemcpyNodeSetParams", "",
        [](Scene &S) {
          CUDA_MEMCPY3D P = copyOf(S);
          return cuGraphMemcpyNodeSetParams(S.Node, &P);
        })
      .before(Made)
      .after(tidy);
  C.add("cuGraphExecMemcpyNodeSetParams", "",
        [](Scene &S) {
          CUDA_MEMCPY3D P = copyOf(S);
          return cuGraphExecMemcpyNodeSetParams(S.Exec, S.Node, &P,
                                                contextIn(S.P));
        })
      .before(chain(Made, instantiate))
      .after(tidy);
}

static void addFillNodes(Cases &C) {
  auto Add = [](Scene &S) {
    CUDA_MEMSET_NODE_PARAMS P = fillOf(S);
    return cuGraphAddMemsetNode(&S.Node, S.Graph, nullptr, 0, &P,
                                contextIn(S.P));
  };
  auto Made = chain(makeGraph, Add);
  C.add("cuGraphAddMemsetNode", "", Add).before(makeGraph).after(tidy);
  C.add("cuGraphMemsetNodeGetParams", "",
        [](Scene &S) {
          CUDA_MEMSET_NODE_PARAMS P;
          return cuGraphMemsetNodeGetParams(S.Node, &P);
        })
      .before(Made)
      .after(tidy);
  C.add("cuGraphMemsetNodeSetParams", "",
        [](Scene &S) {
          CUDA_MEMSET_NODE_PARAMS P = fillOf(S);
          return cuGraphMemsetNodeSetParams(S.Node, &P);
        })
      .before(Made)
      .after(tidy);
  C.add("cuGraphExecMemsetNodeSetParams", "",
        [](Scene &S) {
          CUDA_MEMSET_NODE_PARAMS P = fillOf(S);
          return cuGraphExecMemsetNodeSetParams(S.Exec, S.Node, &P,
                                                contextIn(S.P));
        })
      .before(chain(Made, instantiate))
      .after(tidy);
}

static void addHostNodes(Cases &C) {
  auto Add = [](Scene &S) {
    CUDA_HOST_NODE_PARAMS P = hostCall();
    return cuGraphAddHostNode(&S.Node, S.Graph, nullptr, 0, &P);
  };
  auto Made = chain(makeGraph, Add);
  C.add("cuGraphAddHostNode", "", Add).before(makeGraph).after(tidy);
  C.add("cuGraphHostNodeGetParams", "",
        [](Scene &S) {
          CUDA_HOST_NODE_PARAMS P;
          return cuGraphHostNodeGetParams(S.Node, &P);
        })
      .before(Made)
      .after(tidy);
  C.add("cuGraphHostNodeSetParams", "",
        [](Scene &S) {
          CUDA_HOST_NODE_PARAMS P = hostCall();
          return cuGraphHostNodeSetParams(S.Node, &P);
        })
      .before(Made)
      .after(tidy);
  C.add("cuGraphExecHostNodeSetParams", "",
        [](Scene &S) {
          CUDA_HOST_NODE_PARAMS P = hostCall();
          return cuGraphExecHostNodeSetParams(S.Exec, S.Node, &P);
        })
      .before(chain(Made, instantiate))
      .after(tidy);
}

static void addValueNodes(Cases &C) {
  auto Add = [](Scene &S) {
    WriteOf W(S);
    return cuGraphAddBatchMemOpNode(&S.Node, S.Graph, nullptr, 0, &W.P);
  };
  auto Made = chain(makeGraph, Add);
  C.add("cuGraphAddBatchMemOpNode", "", Add).before(makeGraph).after(tidy);
  C.add("cuGraphBatchMemOpNodeGetParams", "",
        [](Scene &S) {
          CUDA_BATCH_MEM_OP_NODE_PARAMS P;
          return cuGraphBatchMemOpNodeGetParams(S.Node, &P);
        })
      .before(Made)
      .after(tidy);
  C.add("cuGraphBatchMemOpNodeSetParams", "",
        [](Scene &S) {
          WriteOf W(S);
          return cuGraphBatchMemOpNodeSetParams(S.Node, &W.P);
        })
      .before(Made)
      .after(tidy);
  C.add("cuGraphExecBatchMemOpNodeSetParams", "",
        [](Scene &S) {
          WriteOf W(S);
          return cuGraphExecBatchMemOpNodeSetParams(S.Exec, S.Node, &W.P);
        })
      .before(chain(Made, instantiate))
      .after(tidy);
}

void addDriverNodeCases(Cases &C) {
  addKernelNodes(C);
  addCopyNodes(C);
  addFillNodes(C);
  addHostNodes(C);
  addValueNodes(C);
}

} // namespace cudagraph::conformance
