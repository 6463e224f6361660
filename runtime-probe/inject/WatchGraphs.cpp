//===- WatchGraphs.cpp - Graphs after their capture -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records the instantiation and destruction of graphs, and the release of
// memory that they use. The report draws the conclusions.
//
//===----------------------------------------------------------------------===//

#include "NcclWatch.h"
#include "Nodes.h"
#include "Watch.h"
#include <cstring>

namespace cudagraph::probe {

namespace {

Json rangesIn(const std::vector<Range> &Memory) {
  Json Result = Json::array();
  for (const Range &R : Memory)
    Result.push_back({hex(R.Base), R.Bytes, R.Kind});
  return Result;
}

} // namespace

/// A successful call that concerns graphs or the release of memory.
void Watch::graphCall(const Exit &E) {
  switch (E.Function->Is) {
  case Role::INSTANTIATE:
    if (auto *Made = handleAt<CUgraphExec *>(E.Arguments, 0); Made && *Made)
      instantiated(E, *Made, handleAt<CUgraph>(E.Arguments, 8), false);
    break;
  case Role::UPDATE:
    instantiated(E, handleAt<CUgraphExec>(E.Arguments, 0),
                 handleAt<CUgraph>(E.Arguments, 8), true);
    break;
  case Role::DESTROY:
    if (unsigned Id = Alive.remove(handleAt<CUgraphExec>(E.Arguments, 0))) {
      ranLines();
      File.write({{"e", nameOf(Line::Gone)},
                  {"exec", Id},
                  {"tid", threadId()},
                  {"t", now()}});
    }
    break;
  case Role::FORGET:
    Alive.forget(handleAt<CUgraph>(E.Arguments, 0));
    break;
  case Role::NODE:
    changed(E);
    break;
  case Role::FREE:
    freed(E, wordAt(E.Arguments, 0), 0);
    break;
  case Role::UNMAP:
    freed(E, wordAt(E.Arguments, 0), wordAt(E.Arguments, 8));
    break;
  default:
    break;
  }
}

void Watch::instantiated(const Exit &E, CUgraphExec Handle, CUgraph Graph,
                         bool Update) {
  const Driver *D = Driver::get();
  if (!D || !Handle || CapturesOnly)
    return;
  ranLines();
  Graphs::Origin From = Alive.origin(Graph);
  Uses Holds = usesOf(*D, Graph);
  Json Event = event(Line::Exec, E);
  size_t LeftOut = 0;
  // The end event of a capture lists its nodes, unless some were added later.
  if (From->Capture && From->Nodes == topLevelNodes(*D, Graph))
    Event["capture"] = From->Capture;
  else
    Event["graph"] = nodesOf(*D, Graph, File, LeftOut, {});
  if (LeftOut)
    Event["nodes_left_out"] = LeftOut;
  if (Update)
    Event["update"] = true;
  Event["memory"] = rangesIn(Holds.Memory);
  Json Host = Json::array();
  HeapWatch::Ranges Heap;
  for (const HostMemory &M : Holds.Host) {
    if (M.Pinned)
      continue;
    Host.push_back({hex(M.Address), M.Bytes, storageOf(M.Address, *From)});
    Heap.emplace_back(M.Address, M.Bytes);
  }
  if (!Holds.Communicators.empty())
    NcclWatch::watch(Holds.Communicators, communicatorEnds);
  Event["exec"] = Alive.add(Handle, std::move(From), std::move(Holds));
  if (!Host.empty()) {
    Event["pageable"] = std::move(Host);
    Event["heap"] = watchHeap(Heap);
  }
  File.write(std::move(Event));
  moreLaunches();
}

/// A node of an executable graph has new parameters. Those of an unchanged
/// kernel are read; any other node becomes unknown. A program may do this for
/// each node of a large graph before each launch.
void Watch::changed(const Exit &E) {
  const Driver *D = Driver::get();
  auto Handle = handleAt<CUgraphExec>(E.Arguments, 0);
  auto Place = Alive.findNode(Handle, handleAt<CUgraphNode>(E.Arguments, 8));
  if (!D || !Place)
    return;
  ranLines();
  const void *Params = handleAt<const void *>(E.Arguments, 16);
  const KernelHandle &K = Place->Kernel;
  bool Known = std::strstr(E.Function->Name, "KernelNode") && Params &&
               (K.Function || K.Kernel);
  std::vector<Word> Words;
  if (Known)
    Words = wordsOf(*D, K, kernelArguments(E, Params));
  std::vector<Range> Memory;
  addMemory(*D, Words, Memory);
  Alive.change(Handle, Place->Index, Memory);
  if (Replays == Watching::Nothing)
    return;
  Json Event{{"e", nameOf(Line::Exec)},
             {"exec", Place->Exec},
             {"node", Place->Index},
             {"tid", threadId()},
             {"t", now()},
             {"memory", rangesIn(Memory)}};
  if (Known) {
    Event["words"] = Json::array();
    for (const Word &W : Words)
      Event["words"].push_back({W.Param, hex(W.Value)});
  }
  File.write(std::move(Event));
  countReplays(0);
}

KernelArguments Watch::kernelArguments(const Exit &E, const void *Params) {
  auto Of = [](const auto *P) {
    return KernelArguments(P->kernelParams, P->extra);
  };
  return E.Runtime ? Of(static_cast<const cudaKernelNodeParams *>(Params))
                   : Of(static_cast<const CUDA_KERNEL_NODE_PARAMS *>(Params));
}

void Watch::freed(const Exit &E, uint64_t Address, uint64_t Bytes) {
  bool Waits = !E.Function->PerThread && E.Function->Is == Role::FREE &&
               E.Function->Does == Work::NOTHING &&
               !std::strstr(E.Function->Name, "Event");
  if (Replays == Watching::Everything && Waits)
    ordered(E, "all", nullptr, nullptr);
  std::vector<unsigned> Ids = Alive.freed(Address, Bytes);
  if (Ids.empty())
    return;
  Json Event = event(Line::Free, E);
  Event["address"] = hex(Address);
  Event["bytes"] = Bytes;
  Event["execs"] = Ids;
  File.write(std::move(Event));
  std::lock_guard Guard(Lock);
  listenToReplays();
}

} // namespace cudagraph::probe
