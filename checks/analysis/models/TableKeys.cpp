//===- TableKeys.cpp - The keys of tables of graphs -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One of several graphs in a table may be the one for the current values of its
// key. All other values are frozen in each graph.
//
//===----------------------------------------------------------------------===//

#include "ChangeModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// The captures whose graphs are \p V or its target.
static llvm::SmallVector<CaptureId, 2> graphsOf(const Domain &D, const State &S,
                                                ValueId V) {
  llvm::SmallVector<CaptureId, 2> Found;
  auto Note = [&](CaptureId X) { Found.push_back(X); };
  eachGraph(D, V, Note);
  if (D[V].Kind != ValueKind::Addr && D[V].Kind != ValueKind::CopyOf)
    return Found;
  LocId Object = D.root(D[V].A);
  for (const Memory::Item &I : S.Mem)
    if (D.root(I.Key) == Object)
      eachGraph(D, I.Data, Note);
  return Found;
}

/// Records that the key of the graphs \p Of is computed from \p From.
void ChangeModel::noteKey(llvm::ArrayRef<CaptureId> Of,
                          const Inputs::Places &From) {
  for (CaptureId X : Of) {
    std::set<LocId> &Key = Nodes.TableKeys[X], &Lossy = Nodes.LossyKeys[X];
    for (const Inputs::Input &I : From) {
      bool New = (I.Lossy ? Lossy : Key).insert(I.Place).second;
      if (!I.Extent || I.ByKey)
        Nodes.SizeKeys.erase(I.Place);
      else if (New)
        Nodes.SizeKeys.insert(I.Place);
    }
    if (From.size() >= Inputs::most(Inputs::Identity))
      Key.insert(None); // and from unknown inputs
  }
}

/// Records that the table to which \p C adds contains the graphs among its
/// arguments.
void ChangeModel::filed(const Call &C, State &S) {
  llvm::SmallVector<CaptureId, 2> Of;
  Inputs Sources(W, Use.Calls);
  Inputs::Places Key, Both;
  for (unsigned I = 0; I < C.Args.size() && I < C.O.Args.size(); ++I) {
    if (C.Args[I] == None)
      continue;
    llvm::SmallVector<CaptureId, 2> Here = graphsOf(D, S, C.Args[I]);
    llvm::append_range(Of, Here);
    llvm::append_range(Here.empty() ? Key : Both,
                       Sources.of(C.F, C.O.Args[I].Value, S, Inputs::Identity));
  }
  Nodes.InTables.insert(Of.begin(), Of.end());
  for (CaptureId X : Of)
    if (isInObject(W, S, X))
      Nodes.InMemory.insert(X);
  // A pair contains the key and the graph.
  if (!Of.empty())
    noteKey(Of, C.Args.size() > 1 ? Key : Both);
}

/// Handles the storing of \p V at \p Place of \p F: if that is an element, its
/// index is the key.
void ChangeModel::noteElement(const Frame &F, State &S, ExprId Place, LocId L,
                              ValueId V) {
  if (!isOfElement(D, L) || Place == None)
    return;
  llvm::SmallVector<CaptureId, 2> Of = graphsOf(D, S, V);
  if (Of.empty())
    return;
  Nodes.InMemory.insert(Of.begin(), Of.end());
  // The element is unspecified: one that is added.
  Inputs::Places Index = Inputs(W, Use.Calls).ofAddress(F, Place, S);
  if (!Index.empty())
    noteKey(Of, Index);
}

/// Records the graphs of the captures \p Of that elements contain, regardless
/// of the function that stored them.
void ChangeModel::noteTables(const State &S, llvm::ArrayRef<CaptureId> Of) {
  for (const Memory::Item &I : S.Mem) {
    LocId L = I.Key;
    while (D.at(L).Kind == LocKind::Field)
      L = D.at(L).A;
    if (D.at(L).Kind == LocKind::Elem && isOneOfGraphs(D, S, L))
      eachGraph(D, I.Data, [&](CaptureId X) {
        if (llvm::is_contained(Of, X))
          Nodes.InTables.insert(X);
      });
  }
}

/// True if \p L is, or may be, a value that selects the launched graph, or a
/// part of such a value.
bool ChangeModel::isKeyed(LocId L) const {
  for (;; L = D.at(L).A) {
    const LocNode N = D.at(L);
    if (N.Kind == LocKind::Var)
      return Rel.KeyVars.contains({N.A, static_cast<unsigned>(N.N)});
    if (N.Kind != LocKind::Field && N.Kind != LocKind::Elem)
      return N.Kind != LocKind::Global;
    const WriteSummary *Writes =
        N.Kind == LocKind::Field ? Rel.writes(D.text(N.S)) : nullptr;
    if (Writes && Writes->IsKey)
      return true;
  }
}

bool hasKnownKey(const Walk &W, const NodeTable &Nodes, const Retained &K) {
  return llvm::any_of(Nodes.TableKeys, [&](const auto &Each) {
    return W.sameCapture(Each.first, K.Capture);
  });
}

/// True if the graph of \p K is one of several, and the launched one may be
/// selected by the contents of its input \p From, or by the inputs of \p C. A
/// key that is the same for several values, such as the size of a bucket,
/// selects the correct graph only if the retained value was computed from the
/// value in the same way.
bool ChangeModel::mayBeChosenBy(const Retained &K, const Retained::Input &From,
                                const Change &C) const {
  auto IsMine = [&](CaptureId X) { return W.sameCapture(X, K.Capture); };
  // Each graph of a table may have its own buffers. A graph with a key may also
  // be launched through a copy of its handle.
  bool InTable = llvm::any_of(Nodes.InTables, IsMine);
  if (K.Use.IsPointer || (!InTable && !hasKnownKey(W, Nodes, K)))
    return InTable;
  auto IsIn = [&](const std::map<CaptureId, std::set<LocId>> &Keys, LocId L) {
    return llvm::any_of(Keys, [&](const auto &Each) {
      return IsMine(Each.first) && llvm::any_of(Each.second, [&](LocId Part) {
               return Part == None ||
                      (overlap(D, Part, L) && !isMemberOf(D, Part, L) &&
                       !(Nodes.SizeKeys.count(Part) &&
                         isElementOf(D, L, Part)));
             });
    });
  };
  bool Lossy = From.Lossy || C.Lossy || K.Use.As == RetainedAs::Branch;
  auto IsKey = [&](LocId L) {
    return IsIn(Nodes.TableKeys, L) || (Lossy && IsIn(Nodes.LossyKeys, L));
  };
  if (!hasKnownKey(W, Nodes, K))
    return C.Renews || isKeyed(From.Place) || isKeyed(C.At);
  if (IsKey(From.Place) || IsKey(C.At))
    return true;
  // A different object has a different name and, perhaps, other members. A
  // number may occur again.
  auto IsOfKeyObject = [&](LocId L) {
    return Capturing.isOfKeyObject(K.Capture, L);
  };
  auto IsName = [&](LocId L) {
    const WriteSummary *Writes = Rel.writes(stateName(L));
    return Writes && !Writes->Calls.empty();
  };
  bool ByName = llvm::any_of(Nodes.TableKeys, [&](const auto &Each) {
    return IsMine(Each.first) && llvm::any_of(Each.second, [&](LocId Part) {
             return Part != None && IsName(Part);
           });
  });
  if (ByName && !IsOfKeyObject(C.At) &&
      llvm::any_of(K.Inputs,
                   [&](const auto &Each) { return IsOfKeyObject(Each.Place); }))
    return true;
  return !C.From.empty() && llvm::all_of(C.From, IsKey);
}

} // namespace cudagraph
