//===- Uses.cpp - The memory that a graph uses ----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Uses.h"
#include "NcclWatch.h"
#include "Nodes.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>
#include <unordered_set>

namespace cudagraph::probe {

namespace {

constexpr size_t MaxNodes = 16384;      ///< examined in one graph
constexpr unsigned MaxDepth = 8;        ///< of graphs in graphs
constexpr size_t MaxQuestions = 65536;  ///< to CUDA, of one graph
constexpr uint64_t MaxHashed = 1 << 16; ///< bytes of host memory

class Collector {
public:
  Collector(const Driver &D, Uses &Out) : D(D), Out(Out) {}

  void graph(CUgraph Graph, unsigned Depth) {
    size_t Count = 0;
    if (!Graph || Depth > MaxDepth || !D.cuGraphGetNodes ||
        !D.cuGraphNodeGetType ||
        D.cuGraphGetNodes(Graph, nullptr, &Count) != CUDA_SUCCESS || !Count)
      return;
    std::vector<CUgraphNode> Nodes(Count);
    if (D.cuGraphGetNodes(Graph, Nodes.data(), &Count) != CUDA_SUCCESS)
      return;
    for (CUgraphNode Node : Nodes)
      if (Out.Nodes.size() < MaxNodes)
        node(Node, Depth);
  }

  /// Memory that the graph allocates has the lifetime of the graph.
  std::vector<Range> Own;

private:
  const Driver &D;
  Uses &Out;

  void node(CUgraphNode Node, unsigned Depth) {
    CUgraphNodeType Type = CU_GRAPH_NODE_TYPE_EMPTY;
    D.cuGraphNodeGetType(Node, &Type);
    NodeUses N;
    N.Node = Node;
    if (Type == CU_GRAPH_NODE_TYPE_KERNEL)
      kernel(N);
    else if (Type == CU_GRAPH_NODE_TYPE_MEMCPY)
      copy(N);
    else if (Type == CU_GRAPH_NODE_TYPE_MEMSET)
      set(N);
    else if (Type == CU_GRAPH_NODE_TYPE_HOST)
      host(N);
    else if (Type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
      batch(N);
    else if (Type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
      allocation(N);
    else if (CUevent Event = eventOf(D, Node))
      N.Other.push_back({reinterpret_cast<uint64_t>(Event), 1, "event"});
    Out.Nodes.push_back(std::move(N));
    CUgraph Child = nullptr;
    if (Type == CU_GRAPH_NODE_TYPE_GRAPH && D.cuGraphChildGraphNodeGetGraph &&
        D.cuGraphChildGraphNodeGetGraph(Node, &Child) == CUDA_SUCCESS)
      graph(Child, Depth + 1);
  }

  void kernel(NodeUses &N) {
    CUDA_KERNEL_NODE_PARAMS P{};
    if (!D.cuGraphKernelNodeGetParams ||
        D.cuGraphKernelNodeGetParams(N.Node, &P) != CUDA_SUCCESS)
      return;
    N.Kernel = {P.func, P.kern};
    N.Words = wordsOf(D, N.Kernel, KernelArguments(P.kernelParams, P.extra));
    if (!N.Words.empty() && NcclWatch::isKernel(nameOf(D, N.Kernel)))
      Out.Communicators.push_back(N.Words.front().Value);
  }

  void copy(NodeUses &N) {
    CUDA_MEMCPY3D P{};
    if (!D.cuGraphMemcpyNodeGetParams ||
        D.cuGraphMemcpyNodeGetParams(N.Node, &P) != CUDA_SUCCESS)
      return;
    auto Bytes = [&](size_t Pitch, size_t Rows) -> uint64_t {
      uint64_t Lines = std::max<size_t>(P.Depth, 1);
      if (P.Depth > 1)
        Lines = (P.Depth - 1) * std::max(Rows, P.Height) + P.Height;
      else
        Lines = std::max<size_t>(P.Height, 1);
      return Lines > 1 ? (Lines - 1) * Pitch + P.WidthInBytes : P.WidthInBytes;
    };
    auto End = [&](CUmemorytype Type, const void *Host, CUdeviceptr Device,
                   CUarray Array, uint64_t Size, bool Reads) {
      if (Type == CU_MEMORYTYPE_ARRAY) {
        N.Other.push_back({reinterpret_cast<uint64_t>(Array), 1, "array"});
        return;
      }
      auto Address = Type == CU_MEMORYTYPE_HOST
                         ? reinterpret_cast<uint64_t>(Host)
                         : uint64_t(Device);
      N.Words.push_back({0, Address});
      Range R = rangeOf(D, Address);
      bool Pinned = !std::strcmp(R.Kind, "pinned");
      if (!R.Bytes || Pinned)
        Out.Host.push_back({Address, Size, Reads, Pinned, 0, Out.Nodes.size()});
    };
    End(P.srcMemoryType, P.srcHost, P.srcDevice, P.srcArray,
        Bytes(P.srcPitch, P.srcHeight), true);
    End(P.dstMemoryType, P.dstHost, P.dstDevice, P.dstArray,
        Bytes(P.dstPitch, P.dstHeight), false);
  }

  void set(NodeUses &N) {
    CUDA_MEMSET_NODE_PARAMS P{};
    if (D.cuGraphMemsetNodeGetParams &&
        D.cuGraphMemsetNodeGetParams(N.Node, &P) == CUDA_SUCCESS)
      N.Words.push_back({0, P.dst});
  }

  void host(NodeUses &N) {
    CUDA_HOST_NODE_PARAMS P{};
    if (!D.cuGraphHostNodeGetParams ||
        D.cuGraphHostNodeGetParams(N.Node, &P) != CUDA_SUCCESS)
      return;
    auto Data = reinterpret_cast<uint64_t>(P.userData);
    // A number may be passed instead of a pointer, so only values that were
    // addresses of memory count.
    HostMemory M{Data, 1, /*Reads=*/false, false, 0, Out.Nodes.size()};
    if (uint64_t Hash; mayBeAddress(Data) && hashOf(M, Hash))
      Out.Host.push_back(M);
    N.Words.push_back({0, Data});
  }

  void batch(NodeUses &N) {
    CUDA_BATCH_MEM_OP_NODE_PARAMS P{};
    if (!D.cuGraphBatchMemOpNodeGetParams ||
        D.cuGraphBatchMemOpNodeGetParams(N.Node, &P) != CUDA_SUCCESS)
      return;
    for (unsigned I = 0; I < P.count && P.paramArray; ++I) {
      CUstreamBatchMemOpType Type = P.paramArray[I].operation;
      if (Type == CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
          Type == CU_STREAM_MEM_OP_WAIT_VALUE_64 ||
          Type == CU_STREAM_MEM_OP_WRITE_VALUE_32 ||
          Type == CU_STREAM_MEM_OP_WRITE_VALUE_64)
        N.Words.push_back({I, P.paramArray[I].waitValue.address});
    }
  }

  void allocation(NodeUses &N) {
    CUDA_MEM_ALLOC_NODE_PARAMS P{};
    if (D.cuGraphMemAllocNodeGetParams &&
        D.cuGraphMemAllocNodeGetParams(N.Node, &P) == CUDA_SUCCESS)
      Own.push_back({P.dptr, P.bytesize, "graph"});
  }
};

bool before(const Range &A, const Range &B) { return A.Base < B.Base; }

} // namespace

Range rangeOf(const Driver &D, uint64_t Address) {
  unsigned Type = 0, Managed = 0;
  CUdeviceptr Base = 0;
  size_t Bytes = 0;
  CUpointer_attribute Asked[] = {
      CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
      CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  void *Answers[] = {&Type, &Managed, &Base, &Bytes};
  if (!mayBeAddress(Address) || !D.cuPointerGetAttributes ||
      D.cuPointerGetAttributes(4, Asked, Answers, Address) != CUDA_SUCCESS ||
      !Type)
    return {};
  const char *Kind = Managed                      ? "managed"
                     : Type == CU_MEMORYTYPE_HOST ? "pinned"
                                                  : "device";
  // The driver does not return the beginning of some memory.
  if (!Bytes || Address < Base || Address - Base >= Bytes)
    return {Address, 1, Kind};
  return {Base, Bytes, Kind};
}

const Range *find(const std::vector<Range> &Memory, uint64_t Address) {
  auto It =
      std::upper_bound(Memory.begin(), Memory.end(), Range{Address}, before);
  if (It == Memory.begin())
    return nullptr;
  --It;
  return Address - It->Base < It->Bytes ? &*It : nullptr;
}

void addMemory(const Driver &D, const std::vector<Word> &Words,
               std::vector<Range> &Memory) {
  for (const Word &W : Words)
    if (!find(Memory, W.Value))
      if (Range R = rangeOf(D, W.Value); R.Bytes)
        Memory.insert(std::upper_bound(Memory.begin(), Memory.end(), R, before),
                      R);
}

Uses usesOf(const Driver &D, CUgraph Graph) {
  Uses Result;
  Collector C(D, Result);
  C.graph(Graph, 0);
  for (const NodeUses &N : Result.Nodes)
    Result.Memory.insert(Result.Memory.end(), N.Other.begin(), N.Other.end());
  std::sort(Result.Memory.begin(), Result.Memory.end(), before);
  std::sort(C.Own.begin(), C.Own.end(), before);
  std::unordered_set<uint64_t> Asked;
  for (const NodeUses &N : Result.Nodes)
    for (const Word &W : N.Words)
      if (Asked.size() < MaxQuestions && Asked.insert(W.Value).second &&
          !find(C.Own, W.Value))
        addMemory(D, {W}, Result.Memory);
  for (HostMemory &M : Result.Host)
    hashOf(M, M.Hash);
  return Result;
}

bool hashOf(const HostMemory &M, uint64_t &Hash) {
  uint64_t Bytes = std::min(M.Bytes, MaxHashed), Half = Bytes / 2;
  std::vector<uint64_t> Buffer((Bytes + 7) / 8);
  auto Address = reinterpret_cast<char *>(M.Address);
  // A read by the kernel fails where a direct read would crash the process.
  auto Read = [&](uint64_t From, uint64_t Bytes, uint64_t To) {
    iovec Mine{reinterpret_cast<char *>(Buffer.data()) + To, Bytes};
    iovec Its{Address + From, Bytes};
    return process_vm_readv(getpid(), &Mine, 1, &Its, 1, 0) ==
           static_cast<ssize_t>(Bytes);
  };
  if (!Bytes)
    return true;
  if (!Read(0, Half, 0) || !Read(M.Bytes - (Bytes - Half), Bytes - Half, Half))
    return errno !=
           EFAULT; // a query that is not allowed provides no information
  Hash = 1469598103934665603u;
  for (uint64_t Word : Buffer)
    Hash = (Hash ^ Word) * 1099511628211u;
  return true;
}

} // namespace cudagraph::probe
