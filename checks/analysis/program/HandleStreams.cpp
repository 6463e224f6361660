//===- HandleStreams.cpp - Which stream a library handle is given ---------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which members and globals hold library handles, and which of those are given
// a stream: by name, as an argument of a function that does it, or by way of a
// function that returns the handle. If one handle cannot be named, any may be
// given a stream.
//
//===----------------------------------------------------------------------===//

#include "Relevance.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

/// True if \p G makes a handle in its variable \p Var.
static bool makesHandle(const Relevance &R, const FlowGraph &G, int64_t Var) {
  return llvm::any_of(G.Blocks, [&](const Block &B) {
    return llvm::any_of(B.Ops, [&](const Op &O) {
      const catalogue::Entry *E = O.Kind == OpKind::Call && O.Callee != None
                                      ? R.entryFor(O.Callee)
                                      : nullptr;
      std::optional<int> Out =
          E && E->Does == Effect::LibraryHandle ? E->arg("out") : std::nullopt;
      const CallArg *To = Out ? O.arg(*Out) : nullptr;
      if (!To || G.Exprs[To->Value].Kind != ExprKind::AddrOf)
        return false;
      const Expr &Place = G.Exprs[G.Exprs[To->Value].A];
      return Place.Kind == ExprKind::Var && Place.N == Var;
    });
  });
}

void Relevance::noteHandle(FunctionId F, const FlowGraph &G, const Op &O,
                           const catalogue::Entry &E) {
  bool Makes = E.Does == Effect::LibraryHandle;
  if (!Makes && E.Does != Effect::LibraryStream)
    return;
  std::optional<int> At = E.arg(Makes ? "out" : "handle");
  const CallArg *Handle = At ? O.arg(*At) : nullptr;
  if (!Handle) {
    AnyHandleGiven |= !Makes;
    return;
  }
  const Expr &V = G.Exprs[Handle->Value];
  if (Makes) {
    if (V.Kind == ExprKind::AddrOf)
      if (const std::string *Key = writeKey(G, V.A))
        Writes[*Key].HandleMade = true;
    return;
  }
  // A member beside the handle.
  llvm::StringRef Stream;
  std::optional<int> Where = E.arg("stream", O.Args.size());
  if (const CallArg *A = Where ? O.arg(*Where) : nullptr) {
    const Expr &From = G.Exprs[A->Value];
    if (From.Kind == ExprKind::Load && V.Kind == ExprKind::Load) {
      const Expr &Mine = G.Exprs[V.A], &Other = G.Exprs[From.A];
      if (Mine.Kind == ExprKind::Field && Other.Kind == ExprKind::Field &&
          Mine.A == Other.A)
        Stream = Other.S;
    }
  }
  noteGiven(F, Handle->Value, Stream);
}

/// The function \p F gives \p Handle, one of its expressions, the stream of the
/// member \p Stream; empty: another one.
void Relevance::noteGiven(FunctionId F, ExprId Handle, llvm::StringRef Stream) {
  const FlowGraph &G = *Table.graph(F);
  const Expr &V = G.Exprs[Handle];
  if (V.Kind == ExprKind::Load) {
    if (const std::string *Key = writeKey(G, V.A)) {
      WriteSummary &W = Writes[*Key];
      W.HandleGiven = true;
      if (!llvm::is_contained(W.HandleStreams, Stream))
        W.HandleStreams.push_back(Stream.str());
      return;
    }
    const Expr &Var = G.Exprs[V.A];
    if (Var.Kind == ExprKind::Var && Var.N < G.NumParams) {
      std::pair<FunctionId, unsigned> P(F, static_cast<unsigned>(Var.N));
      if (!llvm::is_contained(GivenParams, P))
        GivenParams.push_back(P);
      return;
    }
    if (Var.Kind == ExprKind::Var && makesHandle(*this, G, Var.N))
      return; // it is nobody else's yet
  }
  AnyHandleGiven = true;
}

/// Finds what the callers of functions pass that give a parameter a stream.
void Relevance::resolveHandles() {
  for (unsigned I = 0; I < GivenParams.size() && !AnyHandleGiven; ++I) {
    auto [F, Param] = GivenParams[I];
    bool Called = false;
    for (FunctionId Caller : callersOf(F)) {
      const FlowGraph *G = Table.graph(Caller);
      for (const Block &B : G ? G->Blocks : std::vector<Block>())
        for (const Op &O : B.Ops)
          if (O.Kind == OpKind::Call && O.Callee == F && O.arg(Param)) {
            Called = true;
            noteGiven(Caller, O.arg(Param)->Value, "");
          }
    }
    AnyHandleGiven |= !Called; // by whom, nobody knows
  }
}

} // namespace cudagraph
