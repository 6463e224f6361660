//===- CaptureQuestions.cpp - Tests for captures --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conditions that test whether a stream is capturing, by a CUDA call or by the
// program's own records of its captures. See GraphShapes.h.
//
//===----------------------------------------------------------------------===//

#include "GraphShapes.h"
#include "Limits.h"
#include "analysis/ir/ExprParts.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

const GraphShapes::Answers &GraphShapes::answersIn(FunctionId F,
                                                   unsigned Depth) {
  auto [It, New] = AnswersOf.try_emplace(F);
  if (!New || Depth > 2 || !(Rel.bits(F) & Relevance::Tests))
    return It->second;
  const FlowGraph &G = *Table.graph(F);
  Answers Found;
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops) {
      if (O.Kind == OpKind::Assign && O.Value != None &&
          G.Exprs[O.Place].Kind == ExprKind::Var && mentions(G, Found, O.Value))
        Found.Vars.insert(G.Exprs[O.Place].N);
      if (O.Kind != OpKind::Call || O.Callee == None || O.ResultIndex == None)
        continue;
      const catalogue::Entry *E = Rel.entryFor(O.Callee);
      if (E && E->Does == Effect::CaptureQuery) {
        if (E->Returns != "status")
          Found.Results.insert(O.ResultIndex);
        std::optional<int> I = E->arg("status", O.Args.size());
        if (!I || *I < 0 || static_cast<size_t>(*I) >= O.Args.size())
          continue;
        const Expr &Out = G.Exprs[O.Args[*I].Value];
        if (Out.Kind == ExprKind::AddrOf &&
            G.Exprs[Out.A].Kind == ExprKind::Var)
          Found.Vars.insert(G.Exprs[Out.A].N);
      } else if (!E && Table.info(O.Callee).ReturnsFlag &&
                 Table.hasGraph(O.Callee) &&
                 (Rel.bits(O.Callee) & Relevance::Tests)) {
        // A function that returns the answer, or branches on it.
        const FlowGraph &Callee = *Table.graph(O.Callee);
        Answers Inner = answersIn(O.Callee, Depth + 1);
        for (const Block &Each : Callee.Blocks) {
          if (mentions(Callee, Inner, Each.Cond))
            Found.Results.insert(O.ResultIndex);
          for (const Op &R : Each.Ops)
            if (R.Kind == OpKind::Return && mentions(Callee, Inner, R.Value))
              Found.Results.insert(O.ResultIndex);
        }
      }
    }
  return AnswersOf[F] = std::move(Found);
}

bool GraphShapes::mentions(const FlowGraph &G, const Answers &A, ExprId Id) {
  return !(A.Results.empty() && A.Vars.empty()) &&
         anyPart(G, Id, [&](const Expr &X) {
           return (X.Kind == ExprKind::Result && A.Results.count(X.N)) ||
                  (X.Kind == ExprKind::Var && A.Vars.count(X.N));
         });
}

bool GraphShapes::asksForCapture(FunctionId F, ExprId Cond) {
  return mentions(*Table.graph(F), answersIn(F, 0), Cond);
}

/// Results of calls and variables of \p F that depend on records.
const GraphShapes::Answers &GraphShapes::recordsIn(FunctionId F) {
  auto [It, New] = RecordsOf.try_emplace(F);
  Answers &Found = It->second;
  if (!New)
    return Found;
  const FlowGraph &G = *Table.graph(F);
  auto Holds = [&](ExprId E) {
    return E != None && mentionsRecord(G, Found, E);
  };
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops) {
      if (O.Kind == OpKind::Assign && O.Value != None &&
          (G.Exprs[O.Place].Kind == ExprKind::Var ||
           G.Exprs[O.Place].Kind == ExprKind::Temp) &&
          mentionsRecord(G, Found, O.Value))
        (G.Exprs[O.Place].Kind == ExprKind::Var ? Found.Vars : Found.Temps)
            .insert(G.Exprs[O.Place].N);
      if (O.Kind != OpKind::Call || O.Callee == None || O.ResultIndex == None)
        continue;
      const uint16_t Acts = Relevance::Opens | Relevance::Works;
      const FlowGraph *Callee = Table.graph(O.Callee);
      bool IsAnswer = Callee ? Callee->Blocks.size() <= SmallGraph &&
                                   !(Rel.bits(O.Callee) & Acts) &&
                                   Rel.mentionsRecord(O.Callee)
                             : Table.info(O.Callee).IsSystem &&
                                   (Holds(O.Object) ||
                                    llvm::any_of(O.Args, [&](const CallArg &A) {
                                      return Holds(A.Value);
                                    }));
      if (IsAnswer)
        Found.Results.insert(O.ResultIndex);
    }
  return Found;
}

bool GraphShapes::mentionsRecord(const FlowGraph &G, const Answers &A,
                                 ExprId Id) const {
  return anyPart(G, Id, [&](const Expr &X) {
    return (X.Kind == ExprKind::Result && A.Results.count(X.N)) ||
           (X.Kind == ExprKind::Var && A.Vars.count(X.N)) ||
           (X.Kind == ExprKind::Temp && A.Temps.count(X.N)) ||
           ((X.Kind == ExprKind::Field || X.Kind == ExprKind::Global) &&
            Rel.isRecord(X.S));
  });
}

bool GraphShapes::asksForRecord(FunctionId F, ExprId Cond) {
  return Cond != None && Rel.hasRecords() &&
         mentionsRecord(*Table.graph(F), recordsIn(F), Cond);
}

bool GraphShapes::knowsOfCapture(FunctionId F, unsigned Block) {
  if (!(Rel.bits(F) & Relevance::Tests))
    return false;
  auto [It, New] = Knowing.try_emplace(F);
  llvm::BitVector &Result = It->second;
  if (New) {
    const FlowGraph &G = *Table.graph(F);
    Result.resize(G.Blocks.size());
    for (unsigned B = 0; B < G.Blocks.size(); ++B)
      if (G.Blocks[B].Cond != None && asksForCapture(F, G.Blocks[B].Cond))
        for (const std::vector<unsigned> &Branch : branchesOf(G, B).Blocks)
          for (unsigned Each : Branch)
            Result.set(Each);
  }
  return Result.test(Block);
}

} // namespace cudagraph
