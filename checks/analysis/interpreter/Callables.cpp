//===- Callables.cpp - Calls through values -------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Function pointers, lambdas, and objects that hold one: the functions that a
// call through such a value may reach.
//
//===----------------------------------------------------------------------===//

#include "CallResolver.h"
#include "analysis/program/ElementLoops.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

States CallResolver::invokeCallables(Frame &F, const Op &O, State S,
                                     llvm::ArrayRef<ValueId> Args) {
  States Now{std::move(S)};
  for (ValueId A : Args) {
    States Next;
    for (State &Each : Now) {
      ValueId V = D[A].Kind == ValueKind::Addr ? read(D, Each, D[A].A) : A;
      auto Calls = [&](ValueId X) {
        return D[X].Kind == ValueKind::Closure ||
               D[X].Kind == ValueKind::Function;
      };
      llvm::ArrayRef<ValueId> Several = D[V].Kind == ValueKind::Phi
                                            ? D.candidates(V)
                                            : llvm::ArrayRef<ValueId>();
      if (!Calls(V) && (Several.empty() || !llvm::all_of(Several, Calls))) {
        Next.push_back(std::move(Each));
        continue;
      }
      for (State &After : callValue(F, O, std::move(Each), V, {}, None, None))
        Next.push_back(std::move(After));
    }
    Now = std::move(Next);
  }
  return Now;
}

static constexpr unsigned MaxTargets = 64; // values examined for a callable

/// The functions stored in the member or global from which \p Callable was
/// read; nullptr if it was read from anywhere else, or if none are known.
const WriteSummary *CallResolver::storedAt(ValueId Callable) const {
  if (D[Callable].Kind != ValueKind::Init)
    return nullptr;
  LocId Holder = D[Callable].A;
  while (D.at(Holder).Kind == LocKind::Elem) // any of a table
    Holder = D.at(Holder).A;
  const LocNode L = D.at(Holder);
  if (L.Kind != LocKind::Field && L.Kind != LocKind::Global)
    return nullptr;
  const WriteSummary *Writes = Rel.writes(D.text(L.S));
  return Writes && !Writes->Callables.empty() ? Writes : nullptr;
}

/// The functions stored in the member that \p O, a call in \p G, names;
/// nullptr if the member may contain others.
static const WriteSummary *storedInNamed(const Relevance &Rel,
                                         const FlowGraph &G, const Op &O) {
  if (O.CalleeValue == None || G.Exprs[O.CalleeValue].Kind != ExprKind::Load)
    return nullptr;
  ExprId Place = G.Exprs[O.CalleeValue].A;
  const std::string *Key =
      G.Exprs[Place].Kind == ExprKind::Field ? writeKey(G, Place) : nullptr;
  const WriteSummary *Writes = Key ? Rel.writes(*Key) : nullptr;
  return Writes && !Writes->Other && !Writes->Callables.empty() ? Writes
                                                                : nullptr;
}

/// The functions to which \p Callable, which \p O in \p G calls, may refer. \p
/// MayBeStored: they are only known from the values that are stored in the same
/// place, or else from those that are converted to its type. Sets \p Source to
/// where they were found.
llvm::SmallVector<ValueId, 4>
CallResolver::targetsOf(const FlowGraph &G, const Op &O, ValueId Callable,
                        bool MayBeStored, TargetSource &Source) {
  Source = TargetSource::Value;
  llvm::SmallVector<ValueId, 4> Targets;
  // An element of a table may itself be one of several values.
  llvm::SmallVector<ValueId, 8> Work{Callable};
  for (unsigned I = 0; I < Work.size() && I < MaxTargets; ++I)
    if (D[Work[I]].Kind == ValueKind::Phi) {
      for (ValueId Each : D.candidates(Work[I]))
        if (!llvm::is_contained(Work, Each))
          Work.push_back(Each);
    } else {
      Targets.push_back(Work[I]);
    }
  auto IsKnown = [&](ValueId V) {
    ValueKind K = D[V].Kind;
    return K == ValueKind::Closure || K == ValueKind::Function ||
           K == ValueKind::Int;
  };
  if (!MayBeStored || llvm::any_of(Targets, IsKnown))
    return Targets;
  const WriteSummary *Writes =
      Targets.size() == 1 ? storedAt(Callable) : nullptr;
  Source = TargetSource::Member;
  if (!Writes) {
    Writes = storedInNamed(Rel, G, O);
    Source = TargetSource::Named;
  }
  if (!Writes) {
    Writes = O.Text.empty() ? nullptr : Rel.writes(O.Text);
    Source = TargetSource::Type;
  }
  if (!Writes || Writes->Callables.empty()) {
    Source = TargetSource::Value;
    return Targets;
  }
  Targets.clear();
  for (FunctionId C : Writes->Callables)
    Targets.push_back(
        Table.info(C).IsLambda
            ? D.value(ValueKind::Closure, C, D.loc(LocKind::Temp, 0, C, None))
            : D.value(ValueKind::Function, C));
  return Targets;
}

/// True if \p Callee, or one of its instances, enqueues work.
bool CallResolver::enqueuesWork(FunctionId Callee) const {
  auto Works = [&](FunctionId F) {
    return (Rel.bits(F) & Relevance::Works) != 0;
  };
  return Callee != None &&
         (Works(Callee) || llvm::any_of(Table.info(Callee).Overrides, Works));
}

/// True if \p Callable, which \p O calls, may enqueue work: any callee with a
/// stream argument does.
bool CallResolver::enqueuesWork(const FlowGraph &G, const Op &O,
                                ValueId Callable) {
  TargetSource Source;
  return llvm::any_of(O.Args, [](const CallArg &A) { return A.IsStream; }) ||
         llvm::any_of(targetsOf(G, O, Callable, true, Source), [&](ValueId T) {
           ValueKind K = D[T].Kind;
           return (K == ValueKind::Closure || K == ValueKind::Function) &&
                  enqueuesWork(D[T].N);
         });
}

/// True if \p F, or one of its callers, is one of several callees of the
/// callable type \p Type.
static bool isInsideCallOf(const Frame &F, llvm::StringRef Type) {
  for (const Frame *Each = &F; Each; Each = Each->Parent)
    if (Each->Uncertain && Each->CallSite && Each->CallSite->Text == Type)
      return true;
  return false;
}

States CallResolver::callValue(Frame &F, const Op &O, State S, ValueId Callable,
                               llvm::ArrayRef<ValueId> Args,
                               FunctionId Fallback, ValueId FallbackThis) {
  bool Resolved = false;
  TargetSource Source;
  llvm::SmallVector<ValueId, 4> Targets =
      targetsOf(*F.Graph, O, Callable, Fallback == None, Source);
  if (Source == TargetSource::Type && Targets.size() > ManyOfType &&
      isInsideCallOf(F, O.Text)) {
    callOpaque(F, O, S, None, Args);
    return {std::move(S)};
  }
  LocId Holder = None; // the called member of a table
  if (Source == TargetSource::Member &&
      D.at(D[Callable].A).Kind == LocKind::Field) {
    Holder = D[Callable].A;
    llvm::SmallVector<ValueId, 4> Fitting;
    llvm::copy_if(Targets, std::back_inserter(Fitting),
                  [&](ValueId T) { return fitsTable(S, Holder, T); });
    if (!Fitting.empty())
      Targets = std::move(Fitting);
  }
  States All;
  for (ValueId T : Targets) {
    const ValueNode N = D[T];
    Target To{None, None, Args,
              Source != TargetSource::Value || Targets.size() > 1};
    if (N.Kind == ValueKind::Closure) {
      To.This = D.value(ValueKind::Addr, 0, N.A);
      To.Callee = Fallback;
      if (N.N != static_cast<int64_t>(None)) {
        To.Callee = static_cast<FunctionId>(N.N);
        const std::vector<FunctionId> Instances =
            Table.info(To.Callee).Overrides;
        // The call may name the instance of a generic lambda.
        if (llvm::is_contained(Instances, Fallback))
          To.Callee = Fallback;
        else if (Fallback != To.Callee && !Instances.empty()) {
          To.Uncertain = Resolved = true;
          for (FunctionId Each : Instances) {
            Target Other = To;
            Other.Callee = Each;
            llvm::append_range(All, dispatch(F, O, S, Other));
          }
        }
      }
    } else if (N.Kind == ValueKind::Function) {
      To.Callee = static_cast<FunctionId>(N.N);
      if (!Table.info(To.Callee).Class.empty())
        To.This = FallbackThis; // called through a pointer to member
    } else if (Fallback != None) {
      To.Callee = Fallback;
      To.This = FallbackThis;
    }
    if (To.Callee == None)
      continue;
    Resolved = true;
    State Before = S;
    // From now on, the table contains this function.
    if (Holder != None && N.Kind == ValueKind::Function &&
        Rel.tables().contains(To.Callee))
      Before.Mem.set(Holder, T);
    for (State &After : dispatch(F, O, std::move(Before), To))
      All.push_back(std::move(After));
  }
  // A loop over a container of callables calls each of them.
  ExprId Called = O.CalleeValue != None ? O.CalleeValue : O.Object;
  if (Targets.size() > 1 && isOfVisitedElement(*F.Graph, F.Block, Called))
    Models.Changes.calledEach(S, All);
  if (Resolved)
    return All;
  callOpaque(F, O, S, None, Args);
  return {std::move(S)};
}

} // namespace cudagraph
