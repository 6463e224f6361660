//===- Nodes.cpp - The contents of a captured graph -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that a replay repeats is a parameter of a node: the values of
// arguments, launch dimensions, addresses, and sizes.
//
//===----------------------------------------------------------------------===//

#include "Nodes.h"
#include "NcclWatch.h"
#include "Uses.h"

namespace cudagraph::probe {

namespace {

constexpr size_t MaxNodes = 4096;   ///< number of nodes written for one graph
constexpr unsigned MaxArgs = 256;   ///< of a kernel
constexpr size_t MaxArgSize = 4096; ///< bytes of one argument

Json three(unsigned X, unsigned Y, unsigned Z) {
  return Json::array({X, Y, Z});
}

std::string bytes(const void *Data, size_t Size) {
  static const char Digits[] = "0123456789abcdef";
  std::string Result;
  for (size_t I = 0; I < std::min(Size, MaxArgSize); ++I) {
    unsigned char B = static_cast<const unsigned char *>(Data)[I];
    Result += Digits[B >> 4];
    Result += Digits[B & 15];
  }
  return Result;
}

void addKernel(const Driver &D, CUgraphNode Node, Json &Out) {
  CUDA_KERNEL_NODE_PARAMS P{};
  if (!D.cuGraphKernelNodeGetParams ||
      D.cuGraphKernelNodeGetParams(Node, &P) != CUDA_SUCCESS)
    return;
  KernelHandle Kernel{P.func, P.kern};
  const char *Name = nameOf(D, Kernel);
  if (Name)
    Out["name"] = Name;
  Out["grid"] = three(P.gridDimX, P.gridDimY, P.gridDimZ);
  Out["block"] = three(P.blockDimX, P.blockDimY, P.blockDimZ);
  Out["shared"] = P.sharedMemBytes;
  KernelArguments From(P.kernelParams, P.extra);
  if (!From)
    return;
  // NCCL's internal state follows the communicator.
  size_t Most = NcclWatch::isKernel(Name) ? sizeof(uint64_t) : MaxArgSize;
  Json Args = Json::array();
  size_t Size = 0;
  for (unsigned I = 0; I < MaxArgs; ++I) {
    const void *Argument = From.get(D, Kernel, I, Size);
    if (!Argument)
      break;
    Args.push_back(bytes(Argument, std::min(Size, Most)));
  }
  Out["args"] = std::move(Args);
}

void addCopy(const Driver &D, CUgraphNode Node, Json &Out) {
  CUDA_MEMCPY3D P{};
  if (!D.cuGraphMemcpyNodeGetParams ||
      D.cuGraphMemcpyNodeGetParams(Node, &P) != CUDA_SUCCESS)
    return;
  auto Side = [](CUmemorytype Type, const void *Host, CUdeviceptr Device,
                 CUarray Array, char &Where) {
    Where = Type == CU_MEMORYTYPE_HOST ? 'h' : 'd';
    if (Type == CU_MEMORYTYPE_HOST)
      return hex(Host);
    return Type == CU_MEMORYTYPE_ARRAY ? hex(Array) : hex(Device);
  };
  char From, To;
  Out["src"] = Side(P.srcMemoryType, P.srcHost, P.srcDevice, P.srcArray, From);
  Out["dst"] = Side(P.dstMemoryType, P.dstHost, P.dstDevice, P.dstArray, To);
  Out["bytes"] = P.WidthInBytes * std::max<size_t>(P.Height, 1) *
                 std::max<size_t>(P.Depth, 1);
  if (P.srcMemoryType != CU_MEMORYTYPE_UNIFIED &&
      P.dstMemoryType != CU_MEMORYTYPE_UNIFIED)
    Out["kind"] = std::string{From, '2', To};
}

void addSet(const Driver &D, CUgraphNode Node, Json &Out) {
  CUDA_MEMSET_NODE_PARAMS P{};
  if (!D.cuGraphMemsetNodeGetParams ||
      D.cuGraphMemsetNodeGetParams(Node, &P) != CUDA_SUCCESS)
    return;
  Out["dst"] = hex(P.dst);
  Out["value"] = P.value;
  Out["bytes"] = P.elementSize * P.width * std::max<size_t>(P.height, 1);
}

void addHost(const Driver &D, CUgraphNode Node, Trace &File, Json &Out) {
  CUDA_HOST_NODE_PARAMS P{};
  if (!D.cuGraphHostNodeGetParams ||
      D.cuGraphHostNodeGetParams(Node, &P) != CUDA_SUCCESS)
    return;
  Out["function"] = File.frame(reinterpret_cast<uint64_t>(P.fn));
  Out["data"] = hex(P.userData);
}

const char *spelling(CUgraphNodeType Type) {
  switch (Type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return "kernel";
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return "memcpy";
  case CU_GRAPH_NODE_TYPE_MEMSET:
    return "memset";
  case CU_GRAPH_NODE_TYPE_HOST:
    return "host";
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return "graph";
  case CU_GRAPH_NODE_TYPE_EMPTY:
    return "empty";
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return "wait";
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return "record";
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
    return "batch";
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    return "alloc";
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    return "free";
  default:
    return "other";
  }
}

void addBatch(const Driver &D, CUgraphNode Node, Json &Out) {
  CUDA_BATCH_MEM_OP_NODE_PARAMS P{};
  if (!D.cuGraphBatchMemOpNodeGetParams ||
      D.cuGraphBatchMemOpNodeGetParams(Node, &P) != CUDA_SUCCESS)
    return;
  Json Addresses = Json::array();
  for (unsigned I = 0; I < P.count && P.paramArray; ++I)
    Addresses.push_back(hex(P.paramArray[I].waitValue.address));
  Out["addresses"] = std::move(Addresses);
}

/// Adds the event that \p Node waits for or records, if any.
void addEvent(const Driver &D, CUgraphNode Node, Json &Out) {
  if (CUevent Event = eventOf(D, Node))
    Out["event"] = hex(Event);
}

/// Writes the nodes of a graph, and of graphs in it.
struct Writer {
  const Driver &D;
  Trace &File;
  const std::map<CUgraphNode, NodeCall> &Calls;
  size_t LeftOut = 0;
  Json Result = Json::array();

  void graph(CUgraph Graph, unsigned Depth) {
    constexpr unsigned MaxDepth = 8;
    size_t Count = topLevelNodes(D, Graph);
    std::vector<CUgraphNode> Nodes(Count);
    if (!Count || Depth > MaxDepth ||
        D.cuGraphGetNodes(Graph, Nodes.data(), &Count) != CUDA_SUCCESS)
      return;
    std::map<CUgraphNode, size_t> Index;
    for (CUgraphNode Node : Nodes)
      if (Result.size() < MaxNodes) {
        Index[Node] = Result.size();
        node(Node, Depth);
      } else {
        ++LeftOut;
      }
    if (!Depth && !LeftOut)
      for (auto [Node, I] : Index)
        addDependencies(Node, Index, Result[I]);
  }

  void addDependencies(CUgraphNode Node,
                       const std::map<CUgraphNode, size_t> &Index, Json &Out) {
    size_t Count = 0;
    if (!D.GetDependencies ||
        D.GetDependencies(Node, nullptr, &Count) != CUDA_SUCCESS)
      return;
    std::vector<CUgraphNode> Earlier(Count);
    if (Count &&
        D.GetDependencies(Node, Earlier.data(), &Count) != CUDA_SUCCESS)
      return;
    Json After = Json::array();
    for (CUgraphNode Each : Earlier)
      if (auto It = Index.find(Each); It != Index.end())
        After.push_back(It->second);
    Out["after"] = std::move(After);
  }

  void node(CUgraphNode Node, unsigned Depth) {
    CUgraphNodeType Type = CU_GRAPH_NODE_TYPE_EMPTY;
    D.cuGraphNodeGetType(Node, &Type);
    Json Out{{"type", spelling(Type)}};
    if (Type == CU_GRAPH_NODE_TYPE_KERNEL)
      addKernel(D, Node, Out);
    else if (Type == CU_GRAPH_NODE_TYPE_MEMCPY)
      addCopy(D, Node, Out);
    else if (Type == CU_GRAPH_NODE_TYPE_MEMSET)
      addSet(D, Node, Out);
    else if (Type == CU_GRAPH_NODE_TYPE_HOST)
      addHost(D, Node, File, Out);
    else if (Type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
      addBatch(D, Node, Out);
    else
      addEvent(D, Node, Out);
    if (auto It = Calls.find(Node); It != Calls.end()) {
      Out["stack"] = It->second.Stack;
      Out["stream"] = hex(It->second.Stream);
    }
    if (Depth)
      Out["depth"] = Depth;
    Result.push_back(std::move(Out));
    CUgraph Child = nullptr;
    if (Type == CU_GRAPH_NODE_TYPE_GRAPH && D.cuGraphChildGraphNodeGetGraph &&
        D.cuGraphChildGraphNodeGetGraph(Node, &Child) == CUDA_SUCCESS)
      graph(Child, Depth + 1);
  }
};

} // namespace

CUevent eventOf(const Driver &D, CUgraphNode Node) {
  CUgraphNodeType Type = CU_GRAPH_NODE_TYPE_EMPTY;
  CUevent Event = nullptr;
  D.cuGraphNodeGetType(Node, &Type);
  if (Type == CU_GRAPH_NODE_TYPE_WAIT_EVENT && D.cuGraphEventWaitNodeGetEvent)
    D.cuGraphEventWaitNodeGetEvent(Node, &Event);
  if (Type == CU_GRAPH_NODE_TYPE_EVENT_RECORD &&
      D.cuGraphEventRecordNodeGetEvent)
    D.cuGraphEventRecordNodeGetEvent(Node, &Event);
  return Event;
}

size_t topLevelNodes(const Driver &D, CUgraph Graph) {
  size_t Count = 0;
  if (!Graph || !D.cuGraphGetNodes || !D.cuGraphNodeGetType ||
      D.cuGraphGetNodes(Graph, nullptr, &Count) != CUDA_SUCCESS)
    return 0;
  return Count;
}

Json nodesOf(const Driver &D, CUgraph Graph, Trace &File, size_t &LeftOut,
             const std::map<CUgraphNode, NodeCall> &Calls) {
  Writer W{D, File, Calls};
  W.graph(Graph, 0);
  LeftOut = W.LeftOut;
  return std::move(W.Result);
}

} // namespace cudagraph::probe
