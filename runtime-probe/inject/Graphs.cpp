//===- Graphs.cpp - The graphs that can be launched -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graphs.h"
#include <algorithm>
#include <utility>

namespace cudagraph::probe {

void Graphs::captured(CUgraph Graph, Captured From) {
  std::lock_guard Guard(Lock);
  Origins[Graph] = std::make_shared<const Captured>(std::move(From));
}

Graphs::Origin Graphs::origin(CUgraph Graph) {
  static const Origin &None = *new Origin(new Captured());
  std::lock_guard Guard(Lock);
  auto It = Origins.find(Graph);
  return It == Origins.end() ? None : It->second;
}

void Graphs::forget(CUgraph Graph) {
  std::lock_guard Guard(Lock);
  Origins.erase(Graph);
}

//===----------------------------------------------------------------------===//
// Under Lock
//===----------------------------------------------------------------------===//

void Graphs::use(CUgraphExec Handle, const Range &R) {
  Shared &S = Memory[R.Base];
  S.Bytes = std::max(S.Bytes, R.Bytes);
  ++S.Nodes[Handle];
}

void Graphs::dropUse(CUgraphExec Handle, uint64_t Base) {
  auto It = Memory.find(Base);
  if (It == Memory.end()) // it was freed
    return;
  auto Of = It->second.Nodes.find(Handle);
  if (Of == It->second.Nodes.end() || --Of->second)
    return;
  It->second.Nodes.erase(Of);
  if (It->second.Nodes.empty())
    Memory.erase(It);
}

/// Records that launches no longer use the host memory.
void Graphs::endHost(CUgraphExec Handle, size_t Index, HostMemory &M) {
  if (M.Pinned || std::exchange(M.Ended, true))
    return;
  auto [Begin, End] = Host.equal_range(M.Address);
  for (auto It = Begin; It != End; ++It)
    if (It->second.Exec == Handle && It->second.Index == Index) {
      Host.erase(It);
      return;
    }
}

void Graphs::drop(CUgraphExec Handle, const Exec &E) {
  for (const Node &N : E.Nodes)
    for (uint64_t Base : N.Memory)
      dropUse(Handle, Base);
  std::vector<HostMemory> Uses = E.Is.Host;
  for (size_t I = 0; I < Uses.size(); ++I)
    endHost(Handle, I, Uses[I]);
  Unreported.erase(Handle);
}

void Graphs::markFreed(CUgraphExec Handle, std::vector<unsigned> &Ids) {
  auto It = Live.find(Handle);
  if (It == Live.end())
    return;
  State &S = It->second.Is;
  S.Freed = true;
  S.Reported = false;
  Unreported.insert(Handle);
  if (std::find(Ids.begin(), Ids.end(), S.Id) == Ids.end())
    Ids.push_back(S.Id);
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

unsigned Graphs::add(CUgraphExec Handle, Origin From, Uses Holds) {
  Exec New;
  New.Is.From = std::move(From);
  New.Is.Host = std::move(Holds.Host);
  std::vector<std::vector<Range>> Ranges;
  for (NodeUses &N : Holds.Nodes) {
    New.Index.emplace(N.Node, New.Nodes.size());
    std::vector<Range> Of = std::move(N.Other);
    for (const Word &W : N.Words)
      if (const Range *R = probe::find(Holds.Memory, W.Value))
        Of.push_back(*R);
    Bases Begins;
    std::erase_if(Of, [&](const Range &R) {
      if (std::find(Begins.begin(), Begins.end(), R.Base) != Begins.end())
        return true;
      Begins.push_back(R.Base);
      return false;
    });
    New.Nodes.push_back({N.Kernel, std::move(Begins)});
    Ranges.push_back(std::move(Of));
  }
  New.Communicators = std::move(Holds.Communicators);
  std::lock_guard Guard(Lock);
  Exec &E = Live[Handle];
  drop(Handle, E);
  New.Is.Id = E.Is.Id ? E.Is.Id : ++Count;
  E = std::move(New);
  for (const std::vector<Range> &Of : Ranges)
    for (const Range &R : Of)
      use(Handle, R);
  for (size_t I = 0; I < E.Is.Host.size(); ++I)
    if (const HostMemory &M = E.Is.Host[I]; !M.Pinned) {
      Host.insert({M.Address, {Handle, I}});
      HostBytes = std::max(HostBytes, M.Bytes);
    }
  return E.Is.Id;
}

unsigned Graphs::remove(CUgraphExec Handle) {
  std::lock_guard Guard(Lock);
  auto It = Live.find(Handle);
  if (It == Live.end())
    return 0;
  unsigned Id = It->second.Is.Id;
  drop(Handle, It->second);
  Live.erase(It);
  return Id;
}

std::optional<Graphs::State> Graphs::find(CUgraphExec Handle) {
  std::lock_guard Guard(Lock);
  auto It = Live.find(Handle);
  if (It == Live.end())
    return std::nullopt;
  return It->second.Is;
}

void Graphs::launched(CUgraphExec Handle, const State &Now) {
  std::lock_guard Guard(Lock);
  auto It = Live.find(Handle);
  // Another thread may have updated the exec.
  if (It == Live.end() || It->second.Is.Host.size() != Now.Host.size())
    return;
  State &S = It->second.Is;
  for (size_t I = 0; I < Now.Host.size(); ++I)
    S.Host[I].Hash = Now.Host[I].Hash;
  if (Now.Freed) {
    S.Reported = true;
    Unreported.erase(Handle);
  }
}

std::optional<Graphs::Place> Graphs::findNode(CUgraphExec Handle,
                                              CUgraphNode Node) {
  std::lock_guard Guard(Lock);
  auto It = Live.find(Handle);
  if (It == Live.end())
    return std::nullopt;
  auto At = It->second.Index.find(Node);
  if (At == It->second.Index.end())
    return std::nullopt;
  return Place{It->second.Is.Id, At->second,
               It->second.Nodes[At->second].Kernel};
}

void Graphs::change(CUgraphExec Handle, size_t Node,
                    const std::vector<Range> &Memory) {
  std::lock_guard Guard(Lock);
  auto It = Live.find(Handle);
  if (It == Live.end() || Node >= It->second.Nodes.size())
    return;
  Exec &E = It->second;
  Bases &Mine = E.Nodes[Node].Memory;
  for (uint64_t Base : Mine)
    dropUse(Handle, Base);
  Mine.clear();
  for (const Range &R : Memory) {
    use(Handle, R);
    Mine.push_back(R.Base);
  }
  for (size_t I = 0; I < E.Is.Host.size(); ++I)
    if (E.Is.Host[I].Node == Node) {
      endHost(Handle, I, E.Is.Host[I]);
      E.Is.Host[I].Bytes = 0; // there is nothing to compare
    }
}

std::vector<unsigned> Graphs::freed(uint64_t Address, uint64_t &Bytes) {
  std::vector<unsigned> Ids;
  std::lock_guard Guard(Lock);
  auto It = Memory.lower_bound(Address);
  // An unmapped range may hold several allocations, or a part of one.
  if (It != Memory.begin())
    if (auto Before = std::prev(It);
        Address - Before->first < Before->second.Bytes)
      It = Before;
  uint64_t End = Address + std::max<uint64_t>(Bytes, 1);
  while (It != Memory.end() && It->first < End) {
    if (!Bytes)
      Bytes = It->second.Bytes;
    for (const auto &[Handle, Nodes] : It->second.Nodes)
      markFreed(Handle, Ids);
    It = Memory.erase(It);
  }
  return Ids;
}

std::vector<unsigned> Graphs::hostFreed(uint64_t Address, uint64_t Bytes) {
  std::vector<unsigned> Ids;
  std::lock_guard Guard(Lock);
  auto It = Host.lower_bound(Address - std::min(HostBytes, Address));
  while (It != Host.end() && It->first < Address + Bytes) {
    auto [Handle, Index] = It->second;
    HostMemory &M = Live[Handle].Is.Host[Index];
    if (M.Address + M.Bytes <= Address) {
      ++It;
      continue;
    }
    M.Ended = true;
    markFreed(Handle, Ids);
    It = Host.erase(It);
  }
  return Ids;
}

std::vector<unsigned>
Graphs::holding(const std::vector<uint64_t> &Communicators) {
  std::vector<unsigned> Ids;
  std::lock_guard Guard(Lock);
  for (const auto &[Handle, E] : Live)
    if (std::find_first_of(E.Communicators.begin(), E.Communicators.end(),
                           Communicators.begin(),
                           Communicators.end()) != E.Communicators.end())
      Ids.push_back(E.Is.Id);
  std::sort(Ids.begin(), Ids.end());
  return Ids;
}

bool Graphs::isUsed(uint64_t Address) {
  std::lock_guard Guard(Lock);
  auto It = Memory.upper_bound(Address);
  if (It == Memory.begin())
    return false;
  --It;
  return Address - It->first < It->second.Bytes;
}

bool Graphs::anyFreed() {
  std::lock_guard Guard(Lock);
  return !Unreported.empty();
}

} // namespace cudagraph::probe
