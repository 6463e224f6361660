//===- Graphs.cpp - The graphs that can be launched -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graphs.h"
#include <algorithm>

namespace cudagraph::probe {

void Graphs::captured(CUgraph Graph, Captured From) {
  std::lock_guard Guard(Lock);
  Origins[Graph] = std::move(From);
}

Captured Graphs::origin(CUgraph Graph) {
  std::lock_guard Guard(Lock);
  auto It = Origins.find(Graph);
  return It == Origins.end() ? Captured() : It->second;
}

void Graphs::forget(CUgraph Graph) {
  std::lock_guard Guard(Lock);
  Origins.erase(Graph);
}

void Graphs::drop(CUgraphExec Handle) {
  auto It = Live.find(Handle);
  if (It == Live.end())
    return;
  for (const Range &R : It->second->Holds.Memory)
    if (auto Place = Memory.find(R.Base); Place != Memory.end()) {
      Place->second.Execs.erase(Handle);
      if (Place->second.Execs.empty())
        Memory.erase(Place);
    }
}

unsigned Graphs::add(CUgraphExec Handle, Exec E) {
  std::lock_guard Guard(Lock);
  drop(Handle);
  std::shared_ptr<const Exec> &Place = Live[Handle];
  E.Id = Place ? Place->Id : ++Count;
  for (const Range &R : E.Holds.Memory) {
    Shared &S = Memory[R.Base];
    S.Bytes = std::max(S.Bytes, R.Bytes);
    S.Execs[Handle] = E.Id;
  }
  Place = std::make_shared<const Exec>(std::move(E));
  return Place->Id;
}

unsigned Graphs::remove(CUgraphExec Handle) {
  std::lock_guard Guard(Lock);
  auto It = Live.find(Handle);
  if (It == Live.end())
    return 0;
  unsigned Id = It->second->Id;
  drop(Handle);
  Live.erase(It);
  return Id;
}

std::shared_ptr<const Exec> Graphs::find(CUgraphExec Handle) {
  std::lock_guard Guard(Lock);
  auto It = Live.find(Handle);
  return It == Live.end() ? nullptr : It->second;
}

void Graphs::replace(CUgraphExec Handle, std::shared_ptr<const Exec> E) {
  std::lock_guard Guard(Lock);
  if (auto It = Live.find(Handle); It != Live.end())
    It->second = std::move(E);
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
    for (const auto &[Handle, Id] : It->second.Execs) {
      if (std::find(Ids.begin(), Ids.end(), Id) == Ids.end())
        Ids.push_back(Id);
      if (auto Place = Live.find(Handle); Place != Live.end()) {
        Exec Changed = *Place->second;
        Changed.Freed = true;
        Changed.Reported = 0;
        Place->second = std::make_shared<const Exec>(std::move(Changed));
      }
    }
    It = Memory.erase(It);
  }
  return Ids;
}

std::vector<unsigned> Graphs::hostFreed(uint64_t Address, uint64_t Bytes) {
  std::vector<unsigned> Ids;
  std::lock_guard Guard(Lock);
  for (auto &[Handle, Each] : Live) {
    Exec Changed = *Each;
    bool Any = false;
    for (HostMemory &M : Changed.Holds.Host)
      if (!M.Pinned && !M.Ended && M.Address < Address + Bytes &&
          Address < M.Address + M.Bytes)
        Any = M.Ended = true;
    if (!Any)
      continue;
    Ids.push_back(Changed.Id);
    Changed.Freed = true;
    Changed.Reported = 0;
    Each = std::make_shared<const Exec>(std::move(Changed));
  }
  return Ids;
}

void Graphs::addHostMemory(std::vector<std::pair<uint64_t, uint64_t>> &To) {
  std::lock_guard Guard(Lock);
  for (const auto &[Handle, Each] : Live)
    for (const HostMemory &M : Each->Holds.Host)
      if (!M.Pinned && !M.Ended)
        To.emplace_back(M.Address, M.Bytes);
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
  return std::any_of(Live.begin(), Live.end(), [](const auto &Each) {
    return Each.second->Freed && !Each.second->Reported;
  });
}

} // namespace cudagraph::probe
