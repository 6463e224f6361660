//===- HostModel.cpp - Effects on the host in a region --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See HostModel.h.
//
//===----------------------------------------------------------------------===//

#include "HostModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;
using catalogue::Trait;

/// True for an effect that is intended to happen once, or that reports a
/// failure.
bool HostModel::isExpected(const Call &C, const State &S) {
  if (S.Failing || C.O.Once || C.F.Once)
    return true;
  return llvm::any_of(S.Equal, [&](const FactMap::Item &I) {
    // code for one particular error
    return D[I.Key].Kind == ValueKind::Status && D.asInt(I.Data) != 0;
  });
}

/// True for the stream for error messages.
static bool isErrorStream(const catalogue::Catalogue &Known, const Domain &D,
                          ValueId V) {
  if (V == None)
    return false;
  const ValueNode N = D[V];
  if (N.Kind != ValueKind::Init && N.Kind != ValueKind::Addr)
    return false;
  const LocNode L = D.at(N.A);
  return L.Kind == LocKind::Global &&
         Known.is(catalogue::Role::ErrorOutput, D.text(L.S));
}

/// The evidence that the effect matters, according to its subject; nothing if
/// it does not matter.
std::optional<Evidence> HostModel::matters(Call &C, State &S, const Fact &R) {
  switch (C.Api.Does) {
  case Effect::HostMutate: {
    if (C.This == None || D[C.This].Kind != ValueKind::Addr)
      return std::nullopt;
    LocId L = D[C.This].A;
    if (isRecord(L))
      return std::nullopt;
    if (const JobQueue *Queue = jobQueueAt(D, Rel, L);
        Queue && !Queue->Jobs.empty())
      return Evidence::Bookkeeping;
    LocKind Root = D.at(D.root(L)).Kind;
    if (D.at(L).Kind != LocKind::Var && llvm::any_of(C.Args, [&](ValueId V) {
          return V != None && isOfRegion(S, held(S, V));
        }))
      return Evidence::RegionState; // results of work that has not run
    bool Mine = isRegionState(C.F, S, L) &&
                (Root == LocKind::Global || D.at(L).Kind == LocKind::Field);
    if (!Mine && Root != LocKind::Pointee)
      return std::nullopt;
    // A pool of streams, events, or buffers needs bookkeeping.
    Mine &= !isInAllocator(W, C.F, Result.Captures[S.Active.back()]);
    // An owner of memory that the graph uses lives as long as the graph. It is
    // passed by reference.
    Mine &= llvm::none_of(C.Args, [&](ValueId V) {
      return D[V].Kind == ValueKind::Addr && leadsToGraphMemory(S, held(S, V));
    });
    // Code that returns them to the pool also needs it.
    Mine &= llvm::none_of(C.Args, [&](ValueId V) {
      ValueId Given = held(S, V);
      return S.Events.contains(Given) || S.Streams.contains(Given) ||
             D[Given].Kind == ValueKind::Event ||
             D[Given].Kind == ValueKind::Stream;
    });
    // Tables with lookups and insertions are caches, and lists from which code
    // takes memory are allocators.
    Mine &= !C.Api.has(Trait::Table) && !Shapes.Pools.contains(stateName(D, L));
    // Objects that live as long as the graph and are never read are part of the
    // recording, as are those that each recording resets.
    Mine &= !isOnlyStored(C, L) && !startsOver(S, L);
    // If a captured loop empties a container, the graph contains the work for
    // all of its elements.
    Mine &= !isDrained(C, S, L);
    Mine = Mine && !growsOnDemand(C.F, Result.Captures[S.Active.back()]);
    return Mine && !Shapes.knowsOfCapture(C.F.Function, C.F.Block)
               ? Evidence::RegionState
               : Evidence::Bookkeeping;
  }
  case Effect::HostLock:
  case Effect::HostEnvironment: {
    // Only the acquisition of a lock matters. A signal lets another thread
    // continue, and the code may then wait for that thread.
    if (C.O.Callee != None && !C.Api.has(Trait::Awaits) &&
        Rel.rolesOf(C.O.Callee).has(catalogue::Role::Signals)) {
      S.Posted = true;
      return Evidence::ReleasesOrYields;
    }
    if (C.Api.has(Trait::Releases))
      return Evidence::ReleasesOrYields;
    // The same applies to a queue that threads empty, and to waits for these
    // threads.
    if (Rel.Jobs->isFilledBy(C.F.Function) ||
        (S.Posted && C.Api.has(Trait::Awaits)))
      return Evidence::ReleasesOrYields;
    if (C.Api.has(Trait::Awaits))
      return Evidence::ThreadAtCapture;
    // The environment does not change while the process runs.
    if (C.Api.Does == Effect::HostEnvironment && fillsGlobal(C.F))
      return Evidence::Bookkeeping;
    // A pool of streams, events, or buffers needs bookkeeping.
    if (isNear(C.F, R))
      return Evidence::NearRegion;
    const FunctionInfo &Info = Table.info(C.F.Function);
    bool Books =
        (Info.ReturnsHandle && !(Rel.bits(C.F.Function) & Relevance::Works)) ||
        isOwnLock(C, S);
    return Books ? Evidence::FarFromRegion : Evidence::NearRegion;
  }
  case Effect::HostThread:
    return C.Api.has(Trait::Yields) ? Evidence::ReleasesOrYields
                                    : Evidence::ThreadAtCapture;
  default:
    return C.Api.has(Trait::Yields) ? Evidence::ReleasesOrYields
                                    : Evidence::HostEffect;
  }
}

/// True if the current block of \p F runs only until it sets a global or static
/// variable: initialization on first use.
bool HostModel::fillsGlobal(const Frame &F) const {
  constexpr unsigned MaxSteps = 8;
  const FlowGraph &G = *F.Graph;
  llvm::SmallVector<llvm::StringRef, 2> Asked;
  for (const Block &B : G.Blocks) {
    if (B.Cond == None ||
        llvm::none_of(B.Succs, [&](const Edge &E) { return E.To == F.Block; }))
      continue;
    llvm::SmallVector<ExprId, 8> Work{B.Cond};
    for (unsigned I = 0; I < Work.size() && I < 16; ++I) {
      if (Work[I] == None)
        continue;
      const Expr &E = G.Exprs[Work[I]];
      if (E.Kind == ExprKind::Global)
        Asked.push_back(E.S);
      Work.append({E.A, E.B, E.C});
    }
  }
  llvm::SmallVector<unsigned, 8> Reached{F.Block};
  for (unsigned I = 0; I < Reached.size() && I < MaxSteps && !Asked.empty();
       ++I) {
    const Block &B = G.Blocks[Reached[I]];
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Assign && O.Place != None &&
          G.Exprs[O.Place].Kind == ExprKind::Global &&
          llvm::is_contained(Asked, G.Exprs[O.Place].S))
        return true;
    for (const Edge &E : B.Succs)
      Reached.push_back(E.To);
  }
  return false;
}

/// True in the function that contains the region, or in a lambda that it calls.
bool HostModel::isNear(const Frame &F, const Fact &R) const {
  return R.Chain.empty() ||
         (R.Chain.size() == 1 && Table.info(F.Function).IsLambda);
}

/// True if \p C takes a lock that belongs to the object whose method calls it:
/// an intermediate object, not the capturing one.
bool HostModel::isOwnLock(const Call &C, const State &S) const {
  if (C.F.This == None)
    return false;
  LocId Object = D.pointee(C.F.This);
  for (const Frame *A = &C.F; A; A = A->Parent)
    if (A->Function == Result.Captures[S.Active.back()].Home && A != &C.F &&
        A->This != None && D.pointee(A->This) == Object)
      return false;
  auto IsMember = [&](ValueId V) {
    if (V == None || D[V].Kind != ValueKind::Addr)
      return false;
    LocId L = D[V].A;
    while (L != Object && D.at(L).Kind == LocKind::Field)
      L = D.at(L).A;
    return L == Object && L != D[V].A;
  };
  return IsMember(C.This) || llvm::any_of(C.Args, IsMember);
}

/// True if \p C writes a message without data in a function, other than that of
/// the region, that only writes messages: it announces the recording.
bool HostModel::announces(const Call &C, const Fact &R) const {
  if (C.Api.Does != Effect::HostIO || isNear(C.F, R) ||
      llvm::any_of(C.Args, [&](ValueId V) { return V == None || !D.asInt(V); }))
    return false;
  return llvm::all_of(C.F.Graph->Blocks, [&](const Block &B) {
    return llvm::all_of(B.Ops, [&](const Op &O) {
      if (O.Kind != OpKind::Call || O.Implicit)
        return true;
      const catalogue::Entry *E =
          O.Callee == None ? nullptr : Rel.entryFor(O.Callee);
      return E && (E->Does == Effect::HostIO || E->Does == Effect::Neutral);
    });
  });
}

/// True if the effect has a reason other than the work in the region.
bool HostModel::isAside(const Call &C, const Fact &R) {
  Effect Does = C.Api.Does;
  const CaptureRecord &Record = Result.Captures[R.Capture];
  if (Shapes.isErrorExit(C.F.Graph->Blocks[C.F.Block]))
    return true;
  if (const Frame *By = C.F.Parent;
      By && Does == Effect::HostIO && Shapes.isLogger(C.F.Function) &&
      Shapes.isErrorExit(By->Graph->Blocks[By->Block]))
    return true;
  // The text shows whether the stream is capturing.
  if (Does == Effect::HostIO && llvm::any_of(C.O.Args, [&](const CallArg &A) {
        return Shapes.asksForCapture(C.F.Function, A.Value);
      }))
    return true;
  // The locks of an operator protect state that its callers share, during a
  // capture as in any other call.
  if (Does == Effect::HostLock && Record.Root == RootKind::TorchOps)
    return true;
  // A wrapper's bookkeeping for the capture that it begins.
  if ((Does == Effect::HostMutate || Does == Effect::HostLock) &&
      isOfWrapper(C.F, Record))
    return true;
  // Output to the error stream is a diagnostic if it occurs only on some paths
  // or in a logging function.
  auto IsError = [&](ValueId V) { return isErrorStream(W.Catalogue, D, V); };
  bool Logs = Does == Effect::HostIO &&
              (IsError(C.This) || llvm::any_of(C.Args, IsError));
  if (Logs && !isNear(C.F, R) && !(Rel.bits(C.F.Function) & Relevance::Works))
    return true;
  if (R.Weakest == Evidence::EveryPath)
    return false;
  // The same applies to input or output that occurs only on some paths in
  // indirect callees of the region: settings, tuning results, and debug output.
  if (Logs || (Does == Effect::HostIO && R.Chain.size() > 2))
    return true;
  // A warning is a diagnostic if it occurs only on some paths.
  return C.Api.has(Trait::Warns);
}

/// The program ends here.
Model::Then HostModel::apply(Call &C, State &S) {
  S.Failing |= C.Api.Does == Effect::Terminate;
  return Then::Follow;
}

/// True if the current block of \p F, which began the capture, returns without
/// ending it: a destructor ends it, and nothing shows that the graph is kept.
static bool givesUp(const Relevance &Rel, const Frame &F) {
  const Block &B = F.Graph->Blocks[F.Block];
  return B.EarlyReturn && Rel.bits(F.Function) & Relevance::Begins &&
         llvm::none_of(B.Ops, [&](const Op &O) {
           return O.Kind == OpKind::Call && !O.Implicit &&
                  (O.How == Dispatch::Kernel ||
                   (O.Callee != None &&
                    Rel.bits(O.Callee) & (Relevance::Ends | Relevance::Works)));
         });
}

/// True if the function that began the capture of \p R also ends it, on other
/// paths, and has returned to \p F: usually after an error, which is reported.
static bool wasLeftOpen(const Relevance &Rel, const Frame &F,
                        const CaptureRecord &R) {
  constexpr uint16_t Both = Relevance::Begins | Relevance::Ends;
  return R.BeginIn != None && R.Home == F.Function &&
         (Rel.bits(R.BeginIn) & Both) == Both && !F.isIn(R.BeginIn);
}

void HostModel::after(Call &C, State &S) {
  if (!isHostEffect(C.Api.Does) || S.Active.empty() || S.InCallback ||
      S.OtherThread || isExpected(C, S))
    return;
  Fact R = factOf(Use, C, S, captureOf(Use, C, S));
  std::optional<Evidence> Matters = matters(C, S, R);
  if (!Matters)
    return;
  bool Aside = isAside(C, R);
  R.restOn(Aside ? Evidence::Aside : *Matters);
  if (announces(C, R))
    R.restOn(Evidence::RegionState);
  if (givesUp(Rel, C.F))
    R.restOn(Evidence::FailurePath);
  const CaptureRecord &Region = Result.Captures[R.Capture];
  if (C.Api.Does == Effect::HostIO && wasLeftOpen(Rel, C.F, Region))
    R.restOn(Evidence::EndsOnPath);
  if (C.Api.Does == Effect::HostIO && isLaterStep(W, C.F, Region))
    R.restOn(Evidence::Bookkeeping);
  R.Advice = (C.Api.Does == Effect::HostLock && !C.Api.has(Trait::Awaits) &&
              locksBooks(C.F, C.O)) ||
             (C.Api.Does == Effect::HostMutate && isUnderLock(C.F, C.O)) ||
             // An environment variable is a switch for the whole process.
             (C.Api.Does == Effect::HostEnvironment && !C.O.Discarded);
  bool Far = *Matters == Evidence::NearRegion && !isNear(C.F, R);
  if (Far && !Aside)
    Facts.Later.Called.push_back(std::move(R));
  else
    Facts.record(std::move(R));
}

/// Reports effects in callees. A function with one call in the region may be
/// considered part of it; one with several callers, such as an allocator or a
/// cache, has a purpose of its own.
void HostModel::conclude() {
  for (Fact &R : Facts.Later.Called) {
    bool Once = true;
    for (size_t I = 0; I < R.Chain.size(); ++I) {
      // A lambda, and its caller.
      bool Lambda = Table.info(R.Chain[I].Callee).IsLambda ||
                    (I + 1 < R.Chain.size() &&
                     Table.info(R.Chain[I + 1].Callee).IsLambda);
      Once &= Lambda || W.isCalledOnce(R.Capture, R.Chain[I].Callee);
    }
    if (!Once)
      R.restOn(Evidence::FarFromRegion);
    Facts.record(std::move(R));
  }
}

/// True in the function that begins capture \p R for others, and in the methods
/// of a class that does.
bool HostModel::isOfWrapper(const Frame &F, const CaptureRecord &R) const {
  if (R.Home == R.BeginIn || R.BeginIn == None)
    return false;
  const std::string &Class = Table.info(R.BeginIn).Class;
  return F.Function == R.BeginIn ||
         (!Class.empty() && Table.info(F.Function).Class == Class &&
          Table.info(R.Home).Class != Class);
}

/// True for a record of active captures: it must change when a capture begins
/// or ends, and only then.
bool HostModel::isRecord(LocId L) const {
  while (D.at(L).Kind == LocKind::Elem)
    L = D.at(L).A;
  LocKind K = D.at(L).Kind;
  return (K == LocKind::Field || K == LocKind::Global) &&
         Rel.isRecord(D.text(D.at(L).S));
}

/// True if the local variable or object \p Root of a caller of the function
/// that contains the region \p R is changed by a lambda that does no work for
/// the graph and whose result is not used: a callback of the program.
bool HostModel::isOfListener(const Frame &F, const LocNode &Root,
                             const CaptureRecord &R) const {
  if (Root.Kind != LocKind::Var && Root.Kind != LocKind::Temp)
    return false;
  bool Listens = false;
  const Frame *A = &F;
  for (; A && A->Function != R.Home; A = A->Parent) {
    if (A->Function == Root.A)
      return false;
    const FunctionInfo &Info = Table.info(A->Function);
    Listens |= Info.IsLambda && A->CallSite && A->CallSite->Discarded &&
               !(Rel.bits(A->Function) & Relevance::Works);
  }
  return Listens && A && Root.A != R.Home && A->isIn(Root.A);
}

/// True if the object at \p L exists before and after the region and is not
/// merely passed through: a global, or the capturing object. Allocators,
/// caches, and iterators in callees have their own bookkeeping.
bool HostModel::isRegionState(const Frame &F, const State &S, LocId L) {
  LocId Root = D.root(L);
  if (D.at(Root).Kind == LocKind::Global)
    return true;
  const CaptureRecord &Record = Result.Captures[S.Active.back()];
  auto Owns = [&](ValueId Origin) {
    return D[Origin].Kind == ValueKind::Init && D.root(D[Origin].A) == Root &&
           D[Origin].A != Root;
  };
  if (Owns(Record.Origin) || isOfListener(F, D.at(Root), Record))
    return true;
  for (const Memory::Item &I : S.Mem)
    if (I.Data == Record.Origin && I.Key != Root && D.root(I.Key) == Root)
      return true;
  for (const Frame *A = &F; A; A = A->Parent)
    if (A->Function == Record.Home)
      return A->This != None && D.root(D.pointee(A->This)) == Root;
  return false;
}

} // namespace cudagraph
