//===- IgnoredUpdate.cpp - Updates of graphs whose failure is ignored -----===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA refuses to update an executable graph from a graph with other nodes or
// edges (910), and launches continue to use the old nodes. Unlike the errors of
// most calls, this one is part of normal operation: programs are expected to
// instantiate the graph again.
//
//===----------------------------------------------------------------------===//

#include "GraphModel.h"
#include "analysis/ir/ExprParts.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// True if the evaluation of \p Id involves the local variable \p Var.
static bool mentions(const FlowGraph &G, ExprId Id, int64_t Var) {
  return anyPart(G, Id, [&](const Expr &X) {
    return X.Kind == ExprKind::Var && X.N == Var;
  });
}

/// True if \p G uses the local variable \p Var other than in \p Call.
static bool uses(const FlowGraph &G, int64_t Var, const Op &Call) {
  return llvm::any_of(G.Blocks, [&](const Block &B) {
    return mentions(G, B.Cond, Var) || llvm::any_of(B.Ops, [&](const Op &O) {
             return &O != &Call && (mentions(G, O.Value, Var) ||
                                    llvm::any_of(O.Args, [&](const CallArg &A) {
                                      return mentions(G, A.Value, Var);
                                    }));
           });
  });
}

/// Returns the local variable whose address is \p Id.
static std::optional<int64_t> addressed(const FlowGraph &G, ExprId Id) {
  if (G.Exprs[Id].Kind != ExprKind::AddrOf)
    return std::nullopt;
  const Expr &Place = G.Exprs[G.Exprs[Id].A];
  return Place.Kind == ExprKind::Var ? std::optional(Place.N) : std::nullopt;
}

/// Returns the member whose address is \p Id; empty if it is something else.
static llvm::StringRef addressedMember(const FlowGraph &G, ExprId Id) {
  if (G.Exprs[Id].Kind != ExprKind::AddrOf)
    return "";
  const Expr &Place = G.Exprs[G.Exprs[Id].A];
  return Place.Kind == ExprKind::Field ? llvm::StringRef(Place.S) : "";
}

/// True if the program uses the member \p Name other than as an output of calls
/// to \p Api whose results are ignored.
static bool usesMember(Program &Table, const Relevance &Rel,
                       llvm::StringRef Name, const catalogue::Entry &Api) {
  auto Mentions = [&](const FlowGraph &G, ExprId Id) {
    return anyPart(G, Id, [&](const Expr &X) {
      return X.Kind == ExprKind::Field && X.S == Name;
    });
  };
  for (FunctionId F = 0; F < Table.size(); ++F) {
    const FlowGraph *G = Rel.mentions(F, Name) ? Table.graph(F) : nullptr;
    if (!G)
      continue;
    for (const Block &B : G->Blocks) {
      if (Mentions(*G, B.Cond))
        return true;
      for (const Op &O : B.Ops)
        if ((O.Kind != OpKind::Call || O.Callee == None || !O.Discarded ||
             Rel.entryFor(O.Callee) != &Api) &&
            (Mentions(*G, O.Value) || Mentions(*G, O.Object) ||
             llvm::any_of(O.Args, [&](const CallArg &A) {
               return Mentions(*G, A.Value);
             })))
          return true;
    }
  }
  return false;
}

/// True if the function that makes the call examines the error by other means:
/// an output of the call, or the last error of the thread.
static bool isExamined(Program &Table, const Relevance &Rel, const Call &C) {
  const FlowGraph &G = *C.F.Graph;
  if (std::optional<unsigned> First = C.indexOf("status"))
    for (const CallArg &A : llvm::ArrayRef(C.O.Args).drop_front(*First)) {
      if (A.Value == None || G.Exprs[A.Value].Kind == ExprKind::Int)
        continue; // a null pointer
      if (llvm::StringRef Member = addressedMember(G, A.Value);
          !Member.empty() && !usesMember(Table, Rel, Member, C.Api))
        continue;
      std::optional<int64_t> Var = addressed(G, A.Value);
      if (!Var || uses(G, *Var, C.O))
        return true;
    }
  return llvm::any_of(G.Blocks, [&](const Block &B) {
    return llvm::any_of(B.Ops, [&](const Op &O) {
      const catalogue::Entry *E =
          O.Kind == OpKind::Call && O.Callee != None && !O.Discarded
              ? Rel.entryFor(O.Callee)
              : nullptr;
      return E && E->has(catalogue::Trait::LastError);
    });
  });
}

void GraphModel::noteIgnoredUpdate(Call &C, State &S) {
  ValueId From = held(S, C.arg("src"));
  if (From == None || !C.O.Discarded || S.OtherThread || S.InCallback ||
      S.Failing || isExamined(Table, W.Rel, C))
    return;
  std::optional<CaptureId> Of;
  D.visitTree(From, [&](ValueId Part) {
    if (D[Part].Kind == ValueKind::Graph)
      Of = D[Part].A;
  });
  if (!Of)
    return;
  Fact Result = Use.Facts.at(C.F, C.O, S, *Of);
  Result.Firm = false;
  Result.Weakest = Evidence::SomePaths; // the capture has ended
  Result.become<FactKind::Unchecked>();
  Result.Api = &C.Api;
  Result.Callee = C.Api.Name;
  Result.restOn(Evidence::IgnoredUpdate);
  Use.Facts.record(std::move(Result));
}

} // namespace cudagraph
