//===- MemoryPools.cpp - Pools from which functions take memory -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MemoryPools.h.
//
//===----------------------------------------------------------------------===//

#include "MemoryPools.h"
#include "Alternation.h"
#include "llvm/ADT/DenseSet.h"

namespace cudagraph {

namespace {
/// The changes that one function makes to containers, indexes, and offsets.
struct Pooling {
  llvm::DenseSet<ExprId> Removes; ///< the containers
  /// Containers that receive one of their own elements again.
  llvm::DenseSet<ExprId> Reorders;
  /// Iterators whose elements are removed, and the containers.
  llvm::DenseMap<ExprId, ExprId> RemovesAt;
  llvm::DenseSet<ExprId> Advances; ///< indexes, offsets
  bool Returns = false;            ///< the function has a result

  Pooling(const FlowGraph &G, const Relevance &Rel) {
    for (const Block &B : G.Blocks)
      for (const Op &O : B.Ops)
        note(G, Rel, O);
    for (const Op *O : Adds)
      if (llvm::any_of(O->Args, [&](const CallArg &A) {
            return mayBeOf(G, O->Object, A.Value);
          }))
        Reorders.insert(O->Object);
  }

  /// True if the function takes the contents of \p Place out of a pool.
  bool takesOut(const FlowGraph &G, ExprId Place) const {
    if (Advances.contains(Place) || Removes.contains(Place))
      return true;
    for (ExprId P = Place; P != None; P = G.Exprs[P].A) {
      const Expr &E = G.Exprs[P];
      if (E.Kind == ExprKind::Deref)
        return removedAt(G, P) != None;
      if (E.Kind != ExprKind::Elem && E.Kind != ExprKind::Field)
        break;
      if (E.Kind != ExprKind::Elem)
        continue;
      ExprId Index = E.B == None ? None : readAt(G, E.B);
      if (Removes.contains(E.A) || (Index != None && Advances.contains(Index)))
        return true;
    }
    return false;
  }

  /// The container from which the function removes \p Place, the element to
  /// which an iterator refers, and returns its contents; None if there is none.
  ExprId removedAt(const FlowGraph &G, ExprId Place) const {
    if (G.Exprs[Place].Kind != ExprKind::Deref)
      return None;
    ExprId Iterator = readAt(G, G.Exprs[Place].A);
    auto It = Iterator == None ? RemovesAt.end() : RemovesAt.find(Iterator);
    if (It == RemovesAt.end())
      return None;
    for (const Block &B : G.Blocks)
      for (const Op &O : B.Ops)
        if (O.Kind == OpKind::Return && mayBeOf(G, Place, O.Value))
          return It->second;
    return None;
  }

private:
  void note(const FlowGraph &G, const Relevance &Rel, const Op &O) {
    Returns |= O.Kind == OpKind::Return && O.Value != None;
    if (O.Kind == OpKind::Modify && !isTurn(G, O.Value, O.Place))
      Advances.insert(O.Place);
    const catalogue::Entry *E =
        O.Kind == OpKind::Call && O.Callee != None && O.Object != None
            ? Rel.entryFor(O.Callee)
            : nullptr;
    if (E && E->arg("removes"))
      Removes.insert(O.Object);
    if (E && E->has(catalogue::Trait::Table) && !E->arg("adds") &&
        O.Args.size() == 1)
      if (ExprId At = readAt(G, O.Args[0].Value); At != None)
        RemovesAt[At] = O.Object;
    if (E && (E->arg("adds") || E->arg("storage")))
      Adds.push_back(&O);
  }

  /// True if \p E may be computed from \p Container or its elements.
  static bool mayBeOf(const FlowGraph &G, ExprId Container, ExprId E) {
    llvm::SmallVector<ExprId, 16> Work{E};
    llvm::SmallDenseSet<ExprId, 16> Seen;
    while (!Work.empty()) {
      ExprId Id = Work.pop_back_val();
      if (Id == None || !Seen.insert(Id).second)
        continue;
      const Expr &X = G.Exprs[Id];
      if (Id == Container || X.Kind == ExprKind::Unknown ||
          Seen.size() > MaxVisited)
        return true;
      for (const Block &B : G.Blocks)
        for (const Op &O : B.Ops) {
          if (O.Kind == OpKind::Assign && O.Place == Id)
            Work.push_back(O.Value);
          if (X.Kind != ExprKind::Result || O.Kind != OpKind::Call ||
              O.ResultIndex != X.N)
            continue;
          Work.push_back(O.Object);
          for (const CallArg &A : O.Args)
            Work.push_back(A.Value);
        }
      bool Indexed = X.Kind == ExprKind::Elem || X.Kind == ExprKind::PtrElem;
      Work.append({X.A, Indexed ? None : X.B, X.C});
    }
    return false;
  }

  /// If more expressions are involved, the answer is unknown.
  static constexpr unsigned MaxVisited = 64;
  std::vector<const Op *> Adds; ///< calls that add elements
};
} // namespace

bool takesOut(const FlowGraph &G, const Relevance &Rel, ExprId Place) {
  return Pooling(G, Rel).takesOut(G, Place);
}

ExprId containerAt(const FlowGraph &G, ExprId Place) {
  const Expr &E = G.Exprs[Place];
  if (E.Kind != ExprKind::Deref || G.Exprs[E.A].Kind != ExprKind::Load)
    return Place;
  ExprId Var = G.Exprs[E.A].A;
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Assign && O.Place == Var &&
          G.Exprs[O.Value].Kind == ExprKind::AddrOf)
        return G.Exprs[O.Value].A;
  return None;
}

/// True if \p Key may be computed from a member or a global that a function,
/// other than a constructor, sets.
static bool isOfSetting(const FlowGraph &G, const Relevance &Rel, ExprId Key) {
  llvm::SmallVector<ExprId, 16> Work{Key};
  llvm::SmallDenseSet<ExprId, 16> Seen;
  while (!Work.empty()) {
    ExprId Id = Work.pop_back_val();
    if (Id == None || !Seen.insert(Id).second)
      continue;
    const Expr &E = G.Exprs[Id];
    if (E.Kind == ExprKind::Field || E.Kind == ExprKind::Global)
      if (const std::string *Name = writeKey(G, Id))
        if (const WriteSummary *Writes = Rel.writes(*Name);
            Writes && !Writes->Writers.empty())
          return true;
    Work.append({E.A, E.B, E.C});
    if (E.Kind != ExprKind::Var && E.Kind != ExprKind::Temp)
      continue;
    for (const Block &B : G.Blocks)
      for (const Op &O : B.Ops)
        if (O.Kind == OpKind::Assign &&
            (O.Place == Id || (G.Exprs[O.Place].Kind == ExprKind::Field &&
                               G.Exprs[O.Place].A == Id)))
          Work.push_back(O.Value);
  }
  return false;
}

/// Adds the pool at \p Place, if it has a name, to \p Names; the value is true
/// if a setting selects one of several pools.
static void addPool(llvm::StringMap<bool> &Names, const FlowGraph &G,
                    const Relevance &Rel, ExprId Place) {
  ExprId Pool = containerAt(G, Place);
  const std::string *Name = Pool == None ? nullptr : writeKey(G, Pool);
  if (!Name)
    return;
  bool &Selected = Names[*Name];
  for (ExprId P = Pool; P != None && (G.Exprs[P].Kind == ExprKind::Elem ||
                                      G.Exprs[P].Kind == ExprKind::Field);
       P = G.Exprs[P].A)
    Selected |=
        G.Exprs[P].Kind == ExprKind::Elem && isOfSetting(G, Rel, G.Exprs[P].B);
}

/// True if \p G uses the contents of \p Place.
static bool isUsed(const FlowGraph &G, ExprId Place) {
  llvm::SmallVector<ExprId, 16> Work;
  llvm::SmallDenseSet<ExprId, 16> Seen;
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops) {
      Work.push_back(O.Value);
      for (const CallArg &A : O.Args)
        Work.push_back(A.Value);
    }
  while (!Work.empty()) {
    ExprId Id = Work.pop_back_val();
    if (Id == Place)
      return true;
    if (Id != None && Seen.insert(Id).second)
      Work.append({G.Exprs[Id].A, G.Exprs[Id].B, G.Exprs[Id].C});
  }
  return false;
}

bool MemoryPools::contains(llvm::StringRef Name) {
  if (!Names) {
    Names.emplace();
    for (FunctionId F = 0; F < Table.size(); ++F) {
      // A function without effects is not decoded.
      const FlowGraph *G = Rel.bits(F) ? Table.graph(F) : nullptr;
      if (!G || Table.info(F).IsSystem)
        continue;
      Pooling Of(*G, Rel);
      if (!Of.Returns ||
          (Of.Removes.empty() && Of.Advances.empty() && Of.RemovesAt.empty()))
        continue;
      for (ExprId P = 0; P < G->Exprs.size(); ++P) {
        const Expr &E = G->Exprs[P];
        if (ExprId From = Of.removedAt(*G, P); From != None)
          addPool(*Names, *G, Rel, From);
        if (E.Kind != ExprKind::Elem || !Of.takesOut(*G, P) ||
            !isUsed(*G, P) ||          // it is only filled
            Of.Reorders.contains(E.A)) // it only changes the order
          continue;
        addPool(*Names, *G, Rel, E.A);
      }
    }
  }
  return Names->contains(Name);
}

bool MemoryPools::isShared(llvm::StringRef Name) {
  return contains(Name) && !Names->lookup(Name);
}

} // namespace cudagraph
