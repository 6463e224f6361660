//===- Widening.cpp - Generalizes repeated calls --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Widening.h.
//
//===----------------------------------------------------------------------===//

#include "Widening.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

unsigned Widening::timesWalked(FunctionId Callee) const {
  auto It = Walks.find(Callee);
  unsigned Times = It == Walks.end() ? 0 : It->second;
  return W.Steps > ManySteps ? Times * 120 : Times;
}

unsigned Widening::enoughWalks() const {
  return W.Steps > MaxSteps / 3 * 2 ? 1
         : W.Steps > MaxSteps / 3   ? EnoughWalks / 4
                                    : EnoughWalks;
}

unsigned &Widening::alike(FunctionId Callee) {
  if (WalksAlike.empty())
    for (auto [F, Times] : Walks)
      WalksAlike[Rel.likeness(F)] += Times;
  return WalksAlike[Rel.likeness(Callee)];
}

void Widening::note(FunctionId Callee) {
  if (W.Steps > ManySteps)
    ++alike(Callee);
  ++Walks[Callee];
  Result.Work += WalkCost;
}

bool Widening::isTooMuch(const Frame &Innermost) const {
  bool Small = Innermost.Graph->Blocks.size() <= SmallGraph;
  auto It = Walks.find(Innermost.Function);
  unsigned Times = It == Walks.end() ? 0 : It->second;
  return Innermost.Depth > MaxDepth + 1 || isDeepCapturing(Innermost) ||
         Times > (Small ? 20 * TooManyWalks : TooManyWalks);
}

bool Widening::isDeepRecursion(const Frame &Innermost) const {
  if (Innermost.Depth < ManyFrames)
    return false;
  unsigned Times = 0;
  for (const Frame *A = Innermost.Parent; A; A = A->Parent)
    Times += A->Function == Innermost.Function;
  return Times >= EnoughRecursion;
}

/// True if the function of \p Innermost opens captures, is recursive, and has
/// been walked many times, each time in a new state. The captures of all these
/// calls may be active in any order.
bool Widening::isDeepCapturing(const Frame &Innermost) const {
  FunctionId F = Innermost.Function;
  const Components &Recursion = Rel.components();
  if (!Recursion.isRecursive(F) || !(Rel.bits(F) & Relevance::Opens))
    return false;
  auto It = Walks.find(F);
  if (It == Walks.end() || It->second < EnoughCaptureWalks)
    return false;
  unsigned Times = 0;
  for (const Frame *A = Innermost.Parent; A && Times < EnoughRecursion;
       A = A->Parent)
    Times += Recursion.of(A->Function) == Recursion.of(F);
  return Times >= EnoughRecursion;
}

/// True if \p V, the contents of \p L, is a callable, one of several, or the
/// null pointer in a place for callables: without the fact that there is none,
/// a call would reach all of them.
static bool isCallable(const Walk &W, LocId L, ValueId V) {
  const Domain &D = W.D;
  if (D.slotAt(L) != Slot::None) // such as the class of an object
    return false;
  auto Is = [&](ValueId Each) {
    return D[Each].Kind == ValueKind::Closure ||
           D[Each].Kind == ValueKind::Function;
  };
  if (Is(V) || llvm::any_of(D.candidates(V), Is))
    return true;
  const LocNode N = D.at(L);
  if (D.asInt(V) != 0 ||
      (N.Kind != LocKind::Field && N.Kind != LocKind::Global))
    return false;
  const WriteSummary *Writes = W.Rel.writes(D.text(N.S));
  return Writes && !Writes->Callables.empty();
}

/// True if \p G, a constructor, initializes a member for callables.
static bool setsCallable(const Relevance &Rel, const FlowGraph &G) {
  return llvm::any_of(G.Blocks, [&](const Block &B) {
    return llvm::any_of(B.Ops, [&](const Op &O) {
      if (O.Place == None || G.Exprs[O.Place].Kind != ExprKind::Field)
        return false;
      const WriteSummary *Writes = Rel.writes(G.Exprs[O.Place].S);
      return Writes && !Writes->Callables.empty();
    });
  });
}

namespace {
/// The values that lead to a stream or event in a capture must remain
/// recognizable: the stream or event itself, and the pointers on the path to
/// it.
class Participants {
public:
  Participants(Walk &W, const State &S, const MemoryItems &Visible)
      : W(W), D(W.D), Mem(S.Mem) {
    for (const FactMap *M : {&S.Streams, &S.Events})
      for (const FactMap::Item &I : *M)
        take(I.Key);
    for (CaptureId C : S.Active)
      take(W.Result.Captures[C].Origin);
    for (auto [L, V] : Visible)
      if (Taking.count(V))
        climb(L);
  }

  /// True if \p V is a stream or event in a capture, or leads to one.
  bool matter(ValueId V) const {
    return has(V) ||
           llvm::any_of(D.candidates(V), [&](ValueId C) { return has(C); });
  }

  /// True if the object at \p Address contains such a stream, or a callable. An
  /// accessor does not mention the object whose element it returns.
  bool areHeldBy(ValueId Address) const {
    LocId Root = D.root(D[Address].A);
    return llvm::any_of(Mem, [&](const Memory::Item &I) {
      ValueKind K = D[I.Data].Kind;
      return D.root(I.Key) == Root &&
             (K == ValueKind::Stream || K == ValueKind::Event ||
              K == ValueKind::Handle || matter(I.Data) ||
              isCallable(W, I.Key, I.Data));
    });
  }

private:
  bool has(ValueId V) const { return Taking.count(V) || Leading.count(V); }

  void climb(LocId L) {
    for (unsigned Guard = 0; Guard < 32; ++Guard) {
      const LocNode Root = D.at(D.root(L));
      if (Root.Kind != LocKind::Pointee || !Leading.insert(Root.A).second ||
          D[Root.A].Kind != ValueKind::Init)
        return;
      L = D[Root.A].A;
    }
  }

  void take(ValueId V) {
    D.visitTree(V, [&](ValueId Part) {
      ValueKind K = D[Part].Kind;
      if (K != ValueKind::Init && K != ValueKind::Stream &&
          K != ValueKind::Event && K != ValueKind::Phi && Part != V)
        return;
      if (Taking.insert(Part).second && K == ValueKind::Init)
        climb(D[Part].A);
    });
  }

  const Walk &W;
  const Domain &D;
  const Memory &Mem;
  llvm::SmallDenseSet<ValueId, 16> Leading;
  llvm::SmallDenseSet<ValueId, 8> Taking;
};
} // namespace

/// True for the stream and the pointer mode of a library handle.
static bool isOfHandle(const Domain &D, LocId L) {
  const LocNode Root = D.at(D.root(L));
  return Root.Kind == LocKind::Pointee && D[Root.A].Kind == ValueKind::Handle;
}

void Widening::generalise(FunctionId Callee, const FlowGraph &G, const State &S,
                          llvm::SmallVectorImpl<ValueId> &Args, ValueId &This,
                          MemoryItems &Visible) {
  unsigned Times = timesWalked(Callee);
  if (Times < ManyWalks)
    return;
  const Participants Some(W, S, Visible);
  auto Alike = [&](ValueId V) {
    switch (D[V].Kind) {
    case ValueKind::Int:
      if (Times < VeryManyWalks)
        return false;
      [[fallthrough]];
    case ValueKind::Op:
    case ValueKind::Opaque:
      return !Some.matter(V);
    case ValueKind::Status: // a test of it may concern the begin call
      return !Some.matter(V) &&
             (S.Active.empty() ||
              D[V].N != Result.Captures[S.Active.back()].BeginResult);
    case ValueKind::Function: // all kernels are equivalent
      return Table.info(D[V].N).IsKernel;
    case ValueKind::Init:
    case ValueKind::Phi:
      return Times >= VeryManyWalks && !Some.matter(V);
    case ValueKind::Addr: // finally, even objects are not distinguished
      return Times >= HugeWalks && !Some.areHeldBy(V);
    default:
      return false;
    }
  };
  for (unsigned I = 0; I < Args.size() && I < G.NumParams; ++I)
    if (!G.Vars[I].IsStream && Alike(Args[I])) {
      // The success of a call remains known.
      bool Status = D[Args[I]].Kind == ValueKind::Status;
      Args[I] = D.value(Status ? ValueKind::Status : ValueKind::Opaque,
                        Domain::site(Callee, I, 10));
    }
  if (This != None && Times >= VeryManyWalks && Alike(This) &&
      !(Table.info(Callee).IsConstructor && setsCallable(Rel, G)))
    This = D.opaque(Domain::site(Callee, 0, 6));
  if (Times < VeryManyWalks)
    return;
  llvm::erase_if(Visible, [&](const std::pair<LocId, ValueId> &Entry) {
    ValueKind K = D[Entry.second].Kind;
    // The effect of a callee on a stream or a handle must not be lost.
    if (K == ValueKind::Stream || K == ValueKind::Event ||
        K == ValueKind::Handle)
      return false;
    if (isCallable(W, Entry.first, Entry.second))
      return false;
    // The record of whether an initializer has run must not be lost either.
    if (D.slotAt(Entry.first) == Slot::CalledOnce ||
        llvm::StringRef(D.text(D.at(Entry.first).S)).ends_with(OnceSuffix))
      return false;
    if (Times >= HugeWalks)
      return !Some.matter(Entry.second) && !isOfHandle(D, Entry.first);
    if (isOfHandle(D, Entry.first))
      return false;
    bool Number = K == ValueKind::Int || K == ValueKind::Op ||
                  K == ValueKind::Opaque || K == ValueKind::Status ||
                  K == ValueKind::Phi || K == ValueKind::Init;
    return Number && !Some.matter(Entry.second) && !D.isMeasured(Entry.second);
  });
}

} // namespace cudagraph
