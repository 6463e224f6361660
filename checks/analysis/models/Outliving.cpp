//===- Outliving.cpp - Objects that outlive a function --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs that others can launch, and objects that others store.
//
//===----------------------------------------------------------------------===//

#include "LifetimeModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// True if \p V points to one of several objects of the walked code.
static bool isOneOfOwn(const Domain &D, ValueId V) {
  constexpr size_t MaxCandidates = 16;
  llvm::SmallVector<ValueId, 8> Met{V};
  for (size_t I = 0; I < Met.size(); ++I) {
    ValueKind K = D[Met[I]].Kind;
    if (K == ValueKind::Addr) {
      LocKind Root = D.at(D.root(D[Met[I]].A)).Kind;
      if (Root != LocKind::Var && Root != LocKind::Temp)
        return false;
      continue;
    }
    if (K != ValueKind::Phi || D.candidates(Met[I]).empty() ||
        D.overflowed(Met[I]) || Met.size() > MaxCandidates)
      return false;
    for (ValueId Each : D.candidates(Met[I]))
      if (!llvm::is_contained(Met, Each))
        Met.push_back(Each);
  }
  return true;
}

/// True if the graph of \p C is stored where \p F's caller, or other code, can
/// launch it. \p Caller, if not null, receives the function that calls \p F and
/// has a variable that contains the graph, which then does not count as stored.
/// \p AfterMain: the graph is only in memory from code that \p F
/// does not call, where only that code can launch it.
bool LifetimeModel::outlives(const Frame &F, const State &S, CaptureId C,
                             bool *OnAllPaths, bool AfterMain,
                             FunctionId *Caller) {
  auto Escapes = [&](LocId Root) {
    const LocNode N = D.at(Root);
    switch (N.Kind) {
    case LocKind::Global:
      return !AfterMain;
    case LocKind::Pointee:
      return !AfterMain || !isOneOfOwn(D, N.A);
    case LocKind::Return:
      return true;
    case LocKind::Var:
    case LocKind::Temp:
      if (N.A == F.Function || AfterMain ||
          (D.text(N.S) != "heap" && !F.isIn(N.A)))
        return false;
      if (Caller)
        *Caller = N.A;
      return !Caller;
    default:
      return false;
    }
  };
  // A returned or stored object may lead to objects that are created here.
  llvm::SmallDenseSet<LocId, 8> Reached;
  llvm::SmallVector<LocId, 8> Holders;
  for (const Memory::Item &I : S.Mem) {
    bool Mine = false;
    eachGraph(D, I.Data, [&](CaptureId X) { Mine |= W.sameCapture(X, C); });
    if (!Mine || S.Gone.contains(keyOfValue(I.Data)))
      continue;
    if (OnAllPaths)
      *OnAllPaths = D[I.Data].Kind != ValueKind::Phi;
    LocId Root = D.root(I.Key);
    if (Escapes(Root))
      return true;
    if (Reached.insert(Root).second)
      Holders.push_back(Root);
  }
  // The objects that outlive the function and lead to one of these.
  for (unsigned Next = 0; Next < Holders.size() && Next < 4; ++Next)
    for (const Memory::Item &I : S.Mem) {
      const ValueNode N = D[I.Data];
      bool Leads = (N.Kind == ValueKind::Addr || N.Kind == ValueKind::Closure ||
                    N.Kind == ValueKind::CopyOf) &&
                   D.root(N.A) == Holders[Next];
      // A local variable is returned as a copy, not by address.
      if (!Leads || (N.Kind == ValueKind::Addr &&
                     D.text(D.at(Holders[Next]).S) != "heap"))
        continue;
      LocId Root = D.root(I.Key);
      if (Escapes(Root))
        return true;
      if (Reached.insert(Root).second)
        Holders.push_back(Root);
    }
  return false;
}

/// Records the places where the graphs of captures that begin in \p F are
/// stored.
void LifetimeModel::noteGraphs(const Frame &F, const State &S) {
  auto IsDecidedBy = [&](CaptureId C) {
    auto It = Nodes.InCaller.find(C);
    return Result.Captures[C].Home == F.Function ||
           (It != Nodes.InCaller.end() && It->second == F.Function);
  };
  for (CaptureId C = 0; C < Result.Captures.size(); ++C)
    if (IsDecidedBy(C) && !Result.Captures[C].Ends.empty()) {
      FunctionId Caller = None;
      bool Outlives = outlives(F, S, C, nullptr, false, &Caller) ||
                      (Caller != None && Nodes.Instantiated.count(C));
      // The caller may do nothing with it.
      if (!Outlives && Caller != None)
        Nodes.InCaller[C] = Caller;
      else
        (Outlives ? Nodes.Outliving : Nodes.LocalOnly).insert(C);
      for (const Memory::Item &I : S.Mem)
        eachGraph(D, I.Data, [&](CaptureId X) {
          if (!W.sameCapture(X, C))
            return;
          Nodes.RetainedIn.insert({C, D.root(I.Key)});
          for (LocId L = I.Key;
               D.at(L).Kind == LocKind::Field || D.at(L).Kind == LocKind::Elem;
               L = D.at(L).A)
            if (D.at(L).Kind == LocKind::Elem && isOneOfGraphs(D, S, L))
              Nodes.InTables.insert(C);
        });
    }
}

/// The member of its root that contains \p L; None if there is none.
static LocId outermost(const Domain &D, LocId L) {
  LocId Member = None;
  for (LocId Root = D.root(L); L != Root; L = D.at(L).A)
    Member = L;
  return Member != None && D.at(Member).Kind == LocKind::Field ? Member : None;
}

/// True if the result that is returned in \p S has members of \p Root: it is of
/// the same class, and may be the same object.
static bool isLikeResult(const Domain &D, const State &S, LocId Root) {
  llvm::SmallDenseSet<unsigned, 8> Own;
  for (const Memory::Item &I : S.Mem)
    if (D.root(I.Key) == Root)
      if (LocId Member = outermost(D, I.Key); Member != None)
        Own.insert(D.at(Member).S);
  return llvm::any_of(S.Mem, [&](const Memory::Item &I) {
    LocId Member = D.at(D.root(I.Key)).Kind == LocKind::Return
                       ? outermost(D, I.Key)
                       : None;
    return Member != None && Own.contains(D.at(Member).S);
  });
}

/// True if the contents of \p Root were moved or returned to an object that
/// stores them. \p Within: the object is a part of \p Root, which a move
/// replaces; a returned object may be the result itself.
bool LifetimeModel::handedOn(const Frame &F, const State &S, LocId Root,
                             bool Within) {
  if (Within && isLikeResult(D, S, Root))
    return true;
  return llvm::any_of(S.Mem, [&](const Memory::Item &I) {
    const ValueNode N = D[I.Data];
    const LocNode Holder = D.at(D.root(I.Key));
    if (Within && D.at(I.Key).Kind != LocKind::Return)
      return false;
    return N.Kind == ValueKind::CopyOf && D.root(N.A) == Root &&
           (Holder.Kind == LocKind::Global || Holder.Kind == LocKind::Pointee ||
            Holder.Kind == LocKind::Return || Holder.A != F.Function);
  });
}

} // namespace cudagraph
