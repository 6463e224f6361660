//===- GraphMemory.cpp - Memory that graphs allocate ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A captured cudaMallocAsync is a node: each launch allocates the memory again.
// Until it is freed, CUDA refuses the next launch of the graph, unless the
// graph was instantiated to free it (CUDA Programming Guide 13.0, Graph Memory
// Nodes; launches on an H100 with driver 580 return 1).
//
//===----------------------------------------------------------------------===//

#include "LifetimeModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// True if the stream of \p C may be part of a capture, as far as is known.
bool LifetimeModel::mayCapture(const Call &C, const State &S) const {
  return C.Api.Does == catalogue::Effect::AllocAsync && !S.Active.empty() &&
         C.HasStream &&
         llvm::any_of(
             Streams.relations(S, captureOf(Use, C, S), C.Stream, C.PerThread),
             [](catalogue::StreamRelation X) {
               return X == catalogue::StreamRelation::Origin ||
                      X == catalogue::StreamRelation::Joined;
             });
}

/// Handles memory in static variables that a capture of \p F has allocated, or
/// has allocated if the stream of the allocation captures.
void LifetimeModel::noteCached(const Frame &F, const State &S) {
  auto Note = [&](const std::map<ValueId, Fact> &From, ValueId Part, LocId L) {
    auto It = From.find(Part);
    if (It == From.end() ||
        Result.Captures[It->second.Capture].Home != F.Function)
      return;
    Fact R = It->second;
    auto &Memory = R.become<FactKind::Cached>();
    Memory.Object = W.nameOf(L);
    Memory.IfCaptured = &From == &MayAllocate;
    R.restOn(Evidence::GraphMemory);
    Facts.record(std::move(R));
  };
  for (const Memory::Item &I : S.Mem) {
    if (D.at(D.root(I.Key)).Kind != LocKind::Global)
      continue;
    D.visitTree(I.Data, [&](ValueId Part) {
      Note(Allocated, Part, I.Key);
      Note(MayAllocate, Part, I.Key);
    });
  }
}

/// Records that the memory whose address \p V contains may be freed, now or
/// later.
void LifetimeModel::mayEnd(ValueId V) {
  D.visitTree(V, [&](ValueId Part) {
    if (auto It = Allocated.find(Part); It != Allocated.end())
      MayEnd.insert(It->second.Range.Begin);
  });
}

/// Records that the target of \p Pointer is freed. \p Ordered: the free is a
/// node, or happens in stream order, as for memory that a graph has allocated.
void LifetimeModel::noteFreed(ValueId Pointer, bool Ordered) {
  if (Pointer == None || Allocated.empty())
    return;
  mayEnd(baseOf(D, Pointer));
  if (!Ordered)
    return;
  // It may be any memory.
  D.visitTree(Pointer, [&](ValueId Part) {
    AnyMayEnd |= D[Part].Kind == ValueKind::Opaque;
  });
}

void LifetimeModel::escapes(const State &S, ValueId V) {
  if (V == None || Allocated.empty())
    return;
  mayEnd(V);
  if (D[V].Kind != ValueKind::Addr)
    return;
  LocId Root = D.root(D[V].A);
  for (const Memory::Item &I : S.Mem)
    if (D.root(I.Key) == Root)
      mayEnd(I.Data);
}

/// Called when a capturing function returns: its callers may free memory that
/// it stores elsewhere.
void LifetimeModel::noteStored(const Frame &F, const State &S) {
  if (llvm::none_of(Allocated, [&](const auto &Each) {
        return Result.Captures[Each.second.Capture].Home == F.Function;
      }))
    return;
  for (const Memory::Item &I : S.Mem) {
    const LocNode Root = D.at(D.root(I.Key));
    bool Own = (Root.Kind == LocKind::Var || Root.Kind == LocKind::Temp) &&
               Root.A == F.Function;
    if (!Own)
      mayEnd(I.Data);
  }
}

/// Records the graphs that free their memory at a launch: the flags of the
/// instantiation \p C request it, or are unknown.
void LifetimeModel::noteFreesItself(const Call &C, const State &S) {
  ValueId Flags = C.arg("flags"), Source = held(S, C.arg("graph"));
  std::optional<int64_t> N = Flags == None ? std::nullopt : D.asInt(Flags);
  auto IsSet = [&](int64_t Flag) { return (*N & Flag) != 0; };
  if (Source == None ||
      (N && llvm::none_of(W.Catalogue.values(catalogue::Role::FreesOnLaunch),
                          IsSet)))
    return;
  eachGraph(D, Source, [&](CaptureId X) { FreeItself.insert(X); });
}

void LifetimeModel::noteLaunch(const Call &C, const State &S) {
  ValueId Exec = C.arg("graph");
  if (Exec == None || Allocated.empty() || S.Failing || !S.Active.empty())
    return;
  eachGraph(D, Exec, [&](CaptureId X) {
    if (S.Launched.contains(X))
      Relaunched.try_emplace(X, C.O.Range, C.F.Function);
  });
}

void LifetimeModel::conclude() {
  std::set<unsigned> Said;
  for (auto &[Value, At] : Allocated) {
    auto IsOf = [&, C = At.Capture](CaptureId X) {
      return W.sameCapture(X, C);
    };
    if (AnyMayEnd || MayEnd.contains(At.Range.Begin) ||
        llvm::any_of(FreeItself, IsOf) ||
        llvm::none_of(Nodes.Instantiated, IsOf))
      continue;
    auto Again = llvm::find_if(
        Relaunched, [&](const auto &Each) { return IsOf(Each.first); });
    bool Later = llvm::any_of(Nodes.Replayed, IsOf) ||
                 (Nodes.OldLaunched && llvm::any_of(Nodes.Outliving, IsOf));
    if ((Again == Relaunched.end() && !Later) ||
        !Said.insert(At.Range.Begin).second)
      continue;
    Fact R = At;
    auto &Memory = R.become<FactKind::Unfreed>();
    if (Again != Relaunched.end())
      std::tie(Memory.Where, Memory.In) = Again->second;
    R.restOn(Evidence::NeverFreed);
    Facts.record(std::move(R));
  }
}

/// Reports a host node that frees its argument, which the next replay uses
/// again.
void LifetimeModel::freedInCallback(Frame &F, const Op &O, State &S,
                                    ValueId Pointer) {
  ValueId Given = S.CallbackData;
  if (Given == None)
    return;
  ValueId Base = baseOf(D, Pointer);
  LocId Root = D[Pointer].Kind == ValueKind::Addr ? D.root(D[Pointer].A) : None;
  LocId Data = D.root(D.pointee(Given));
  bool Whole = Pointer == Given || Base == Given || Root == Data;
  bool Part = D[Base].Kind == ValueKind::Init && D.root(D[Base].A) == Data;
  if (!Whole && !Part)
    return;
  Fact R = Facts.at(F, O, S, S.Active.back());
  R.become<FactKind::CallbackFrees>();
  R.Callee = O.Callee == None ? "delete" : Table.info(O.Callee).Name;
  if (!Whole)
    R.restOn(Evidence::FreedPart);
  Facts.record(std::move(R));
}

} // namespace cudagraph
