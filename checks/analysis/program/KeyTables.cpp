//===- KeyTables.cpp - Tables of graphs, and copies of keys ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the keys of graphs in tables, which are the indexes of the elements and
// the table itself, and the keys that the program compares with copies from the
// last capture.
//
//===----------------------------------------------------------------------===//

#include "CaptureKeys.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// Marks values as keys if \p F, which is called to decide whether to capture,
/// compares them with copies that it also replaces.
void Relevance::Keys::noteRemembered(FunctionId F) {
  const FlowGraph &G = *R.Table.graph(F);
  if (!(R.bits(F) & Defines) || !R.Table.info(F).ReturnsFlag ||
      G.Blocks.size() > MaxAsked || !Computed.insert(F).second)
    return;
  // The places that it writes, and the members that contain them.
  llvm::DenseSet<ExprId> Copies;
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Assign)
        for (ExprId P = O.Place; G.Exprs[P].Kind == ExprKind::Field ||
                                 G.Exprs[P].Kind == ExprKind::Elem;
             P = G.Exprs[P].A)
          if (variableOf(G, P) == None)
            Copies.insert(P);
  auto MentionsCopy = [&](auto &&Self, ExprId Id) -> bool {
    return Id != None &&
           (Copies.contains(Id) || Self(Self, G.Exprs[Id].A) ||
            Self(Self, G.Exprs[Id].B) || Self(Self, G.Exprs[Id].C));
  };
  for (const Block &B : G.Blocks) {
    if (MentionsCopy(MentionsCopy, B.Cond))
      noteTested(F, B.Cond);
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Call && O.Callee != None && !O.Discarded &&
          R.Table.info(O.Callee).ReturnsFlag && R.Table.hasGraph(O.Callee) &&
          !(R.bits(O.Callee) & (Works | Opens)) &&
          llvm::any_of(O.Args, [&](const CallArg &A) {
            return MentionsCopy(MentionsCopy, A.Value);
          }))
        noteComputed(O.Callee);
  }
}

/// Marks the tables that are read before a capture begins and filled
/// afterwards: they record whether there is a graph.
void Relevance::Keys::noteTables(FunctionId F) {
  const FlowGraph &G = *R.Table.graph(F);
  std::set<std::string> Asked;
  bool Begun = false;
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops) {
      Begun |= R.begins(O);
      if (O.Kind != OpKind::Call || O.Callee == None || O.Object == None ||
          !R.Table.info(O.Callee).IsSystem ||
          R.Table.info(O.Callee).IsConstructor)
        continue;
      const catalogue::Entry *E = R.entryFor(O.Callee);
      const std::string *Key = writeKey(G, O.Object);
      if (!Key || isSynthetic(*Key))
        continue;
      if (!Begun && !E)
        Asked.insert(*Key);
      if (Begun && E && E->arg("adds") && Asked.count(*Key))
        R.Writes[*Key].IsKey = true;
    }
}

/// Marks the indexes of elements as keys: there may be a graph for each. The
/// indexes of elements that captured work receives are not keys.
void Relevance::Keys::noteIndexes(FunctionId F) {
  const FlowGraph &G = *R.Table.graph(F);
  llvm::DenseSet<ExprId> Seen;
  auto Visit = [&](auto &&Self, ExprId Id, bool InIndex) -> void {
    if (Id == None || (!InIndex && !Seen.insert(Id).second))
      return;
    const Expr &E = G.Exprs[Id];
    if (InIndex && (E.Kind == ExprKind::Field || E.Kind == ExprKind::Global))
      R.Writes[E.S].IsKey = true;
    if (InIndex && E.Kind == ExprKind::Result)
      noteAccessor(G, E.N);
    Self(Self, E.A, InIndex);
    Self(Self, E.B, InIndex || E.Kind == ExprKind::Elem);
    Self(Self, E.C, InIndex);
  };
  bool Begun = false;
  for (const Block &B : G.Blocks) {
    for (const Op &O : B.Ops) {
      bool Called = O.Kind == OpKind::Call && O.Callee != None;
      const catalogue::Entry *E = Called ? R.entryFor(O.Callee) : nullptr;
      bool Works =
          O.Kind == OpKind::Call &&
          (O.How == Dispatch::Kernel ||
           (E ? becomesNode(E->Does)
              : Called && (R.bits(O.Callee) & (Relevance::Works | Opens)) ==
                              Relevance::Works));
      Visit(Visit, O.Place, false);
      if (!Begun || (O.Kind != OpKind::Assign && O.Kind != OpKind::Modify))
        Visit(Visit, O.Value, false);
      if (!Begun || !Works) {
        Visit(Visit, O.Object, false);
        for (const CallArg &A : O.Args)
          Visit(Visit, A.Value, false);
      }
      Begun |= R.begins(O);
    }
    if (!Begun)
      Visit(Visit, B.Cond, false);
  }
}

} // namespace cudagraph
