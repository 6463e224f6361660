//===- RecycledMemory.cpp - Graph memory that returns to a pool -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that is added to a pool of the program is not freed, but the next user
// may take it and change its contents. A graph that writes to the memory before
// it reads it does not depend on these contents, but if the memory has another
// user when the graph is launched, the graph changes that user's data.
//
//===----------------------------------------------------------------------===//

#include "LifetimeModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// The pool that contains \p L: the container, or the table of containers.
static LocId poolOf(const Domain &D, LocId L) {
  while (D.at(L).Kind == LocKind::Elem)
    L = D.at(L).A;
  return L;
}

/// True if \p Place is the object to which a parameter points or refers.
static bool isTargetOfParameter(const FlowGraph &G, ExprId Place) {
  if (G.Exprs[Place].Kind != ExprKind::Deref)
    return false;
  const Expr &Pointer = G.Exprs[G.Exprs[Place].A];
  return Pointer.Kind == ExprKind::Load &&
         G.Exprs[Pointer.A].Kind == ExprKind::Var &&
         G.Exprs[Pointer.A].N < G.NumParams;
}

void LifetimeModel::takenOut(const Call &C, State &S, LocId Container) {
  llvm::StringRef Name = stateName(D, Container);
  if (S.OtherThread || S.Failing || Name.empty() ||
      !Shapes.Pools.contains(Name))
    return;
  LocId Pool = poolOf(D, Container);
  if (S.Active.empty() && llvm::any_of(S.Gone, [&](const FactMap::Item &I) {
        return I.Data >> 1 < Nodes.Departures.size() &&
               Nodes.Departures[I.Data >> 1].Pool == Pool;
      }))
    S.Lent.set(Pool, 0);
  auto IsElement = [&](LocId L) {
    return D.at(L).Kind == LocKind::Elem && D.at(L).A == Container;
  };
  llvm::SmallDenseSet<ValueId, 4> Elements;
  for (const Memory::Item &I : S.Mem)
    if (IsElement(I.Key))
      Elements.insert(I.Data);
  auto IsContents = [&](ValueId V) {
    const ValueNode N = D[V];
    return (N.Kind == ValueKind::Init && IsElement(N.A)) ||
           (Elements.contains(V) && !D.asInt(V));
  };
  llvm::SmallVector<LocId, 2> Holders;
  const FlowGraph &G = *C.F.Graph;
  for (const Memory::Item &I : S.Mem) {
    const LocNode N = D.at(I.Key);
    if (N.Kind == LocKind::Var && N.A == C.F.Function &&
        static_cast<size_t>(N.N) < G.Vars.size() && !G.Vars[N.N].IsNumber &&
        IsContents(I.Data))
      Holders.push_back(I.Key);
  }
  // The function may return the address through a parameter.
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Assign && isTargetOfParameter(G, O.Place))
        if (LocId L = Use.Calls.evalPlace(C.F, O.Place, S);
            IsContents(read(D, S, L)))
          Holders.push_back(L);
  ValueId Taken = D.value(ValueKind::Memory, C.Site, None, TakenMemory);
  Nodes.TakenFrom[Taken] = {D.element(Container, D.integer(0), false), 0};
  for (LocId L : Holders)
    S.Mem.set(L, Taken);
}

/// True if a test has shown that a number, such as a capacity, is still zero:
/// no other value that it may have passes the test.
static bool isFirstCall(Domain &D, const State &S) {
  return llvm::any_of(S.Facts, [&](const FactMap::Item &I) {
    const ValueNode Test = D[I.Key];
    if (Test.Kind != ValueKind::Op || Test.B == None)
      return false;
    for (ValueId Number : {Test.A, Test.B}) {
      bool Zero = false, Others = false;
      for (ValueId Each : llvm::SmallVector<ValueId, 8>(D.candidates(Number))) {
        if (D.asInt(Each) == 0) {
          Zero = true;
          continue;
        }
        std::optional<int64_t> Passes =
            D.asInt(D.apply(D.text(Test.S), Number == Test.A ? Each : Test.A,
                            Number == Test.A ? Test.B : Each));
        Others |= !Passes || (*Passes != 0) == (I.Data != 0);
      }
      if (Zero && !Others)
        return true;
    }
    return false;
  });
}

void LifetimeModel::noteFreedEarly(const Frame &F, const State &S,
                                   ValueId Memory) {
  if (!S.Active.empty() || S.Failing || isFirstCall(D, S))
    return;
  D.visitTree(Memory, [&](ValueId Part) {
    if (auto It = Nodes.Values.find(Part); It != Nodes.Values.end())
      for (unsigned I : It->second)
        if (CaptureId C = Nodes.Arguments[I].Capture; S.Captured.contains(C))
          for (const Frame *A = &F; A; A = A->Parent)
            Nodes.FreedEarly.insert({C, A->Function});
  });
}

/// Handles \p O, which returns the slots \p Returned to their pools.
void LifetimeModel::returned(const Frame &F, const Op &O, State &S,
                             llvm::ArrayRef<ValueId> Returned) {
  if (S.OtherThread || S.InCallback || S.Failing)
    return;
  for (ValueId Slot : Returned) {
    LocId Pool = Lent.poolOf(Slot);
    S.Lent.erase(Pool);
    auto Users = Nodes.Values.find(Slot);
    if (Users == Nodes.Values.end())
      continue;
    noteFreedEarly(F, S, Slot);
    noteGone(F, S, keyOfValue(Slot), O.Range, Ending::Recycled, None, Pool);
    for (unsigned I : Users->second)
      for (CaptureId C : S.Active)
        if (W.sameCapture(C, Nodes.Arguments[I].Capture))
          dangles(Use, Nodes, Nodes.Arguments[I], S,
                  *S.Gone.lookup(keyOfValue(Slot)), /*Capturing=*/true, false);
  }
}

void LifetimeModel::recycled(const Frame &F, const Op &O, State &S,
                             LocId Container, ValueId Pointer) {
  if (!O.Range.Begin || Pointer == None || S.OtherThread || S.InCallback ||
      S.Failing || D.asInt(Pointer) || Nodes.Arguments.empty())
    return;
  llvm::StringRef Name = stateName(D, Container);
  if (Name.empty() || !Shapes.Pools.isShared(Name))
    return;
  LocId Pool = poolOf(D, Container);
  S.Lent.erase(Pool);
  ValueId Base = baseOf(D, Pointer);
  noteFreedEarly(F, S, Base);
  LocId Root = D[Pointer].Kind == ValueKind::Addr ? D.root(D[Pointer].A) : None;
  auto Note = [&](unsigned Key, llvm::ArrayRef<unsigned> Users) {
    noteGone(F, S, Key, O.Range, Ending::Recycled, None, Pool);
    for (unsigned I : Users)
      for (CaptureId C : S.Active)
        if (W.sameCapture(C, Nodes.Arguments[I].Capture))
          dangles(Use, Nodes, Nodes.Arguments[I], S, *S.Gone.lookup(Key),
                  /*Capturing=*/true, false);
  };
  if (auto It = Root == None ? Nodes.In.end() : Nodes.In.find(Root);
      It != Nodes.In.end() && Root != D.root(Container))
    return Note(keyOfObject(Root), It->second);
  // Memory whose address a member of an object from the pool contains.
  if (auto From = Nodes.TakenFrom.find(Base);
      From != Nodes.TakenFrom.end() && poolOf(D, From->second.first) == Pool)
    for (unsigned I = 0; I < Nodes.Arguments.size(); ++I)
      if (const Retained &K = Nodes.Arguments[I];
          K.Use.IsPointer && D[K.Value].Kind == ValueKind::Init &&
          D.root(D[K.Value].A) == D.pointee(Base))
        Note(keyOfValue(K.Value), I);
  // Memory without its own name may be other memory of the pool. A pool either
  // has memory or allocates it.
  llvm::SmallVector<ValueId, 4> Either;
  if (D[Base].Kind == ValueKind::Phi && !D.overflowed(Base))
    llvm::copy_if(choicesOf(D, Base), std::back_inserter(Either),
                  [&](ValueId Each) { return D.asInt(Each) != 0; });
  else if (Base == Pointer)
    Either.push_back(Base);
  if (!llvm::all_of(Either, [&](ValueId Each) {
        return D[Each].Kind == ValueKind::Memory && Nodes.Values.count(Each);
      }))
    return;
  for (ValueId Each : Either)
    Note(keyOfValue(Each), Nodes.Values[Each]);
}

/// True if the function of \p G allocates the memory whose address is in the
/// variable \p Given: a pool that grows has not lent it yet.
static bool isMadeHere(const Relevance &Rel, const FlowGraph &G,
                       const CallArg *Given) {
  if (!Given || Given->Value == None)
    return false;
  const Expr &E = G.Exprs[Given->Value];
  if (E.Kind != ExprKind::AddrOf || G.Exprs[E.A].Kind != ExprKind::Var ||
      G.Exprs[E.A].N < G.NumParams)
    return false;
  return llvm::any_of(G.Blocks, [&](const Block &B) {
    return llvm::any_of(B.Ops, [&](const Op &O) {
      const catalogue::Entry *Api = O.Kind == OpKind::Call && O.Callee != None
                                        ? Rel.entryFor(O.Callee)
                                        : nullptr;
      std::optional<int> Out =
          Api ? Api->arg("out", O.Args.size()) : std::nullopt;
      const CallArg *To = Out ? O.arg(*Out) : nullptr;
      return To && To->Value == Given->Value;
    });
  });
}

void LifetimeModel::addedTo(const Call &C, State &S, LocId Container) {
  for (size_t I = 0; I < C.Args.size(); ++I) { // passed by reference
    ValueId V = C.Args[I];
    if (V != None && D[V].Kind == ValueKind::Addr &&
        !isOfSomeElement(D, D[V].A) && // it may be any element
        !isMadeHere(Rel, *C.F.Graph, C.O.arg(I)))
      recycled(C.F, C.O, S, Container, read(D, S, D[V].A));
  }
}

bool isAffected(const Walk &W, const NodeTable &Nodes, const Retained &K,
                bool HasUser) {
  if (llvm::any_of(Nodes.InTables,
                   [&](CaptureId C) { return W.sameCapture(C, K.Capture); }))
    return false; // it may be the memory of another graph
  if (HasUser)
    return true;
  if (K.Use.As != RetainedAs::Argument)
    return true;
  for (const Retained &Other : Nodes.Arguments) {
    if (Other.MayWrite && Other.Value == K.Value && Other.Root == K.Root &&
        W.sameCapture(Other.Capture, K.Capture))
      return false;
    if (&Other == &K)
      break;
  }
  return true;
}

} // namespace cudagraph
