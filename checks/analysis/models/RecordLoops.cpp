//===- RecordLoops.cpp - Loops that record one event ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that records one event on several streams, and waits for it only after
// the loop, joins only the last of these streams. See StreamModel.h.
//
//===----------------------------------------------------------------------===//

#include "StreamModel.h"
#include "analysis/program/CountedLoops.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// Returns the variable, member, or global from which \p O, a call to \p Api,
/// reads its event; null if there is none.
static const Expr *eventPlace(const FlowGraph &G, const Op &O,
                              const catalogue::Entry &Api) {
  std::optional<int> I = Api.arg("event", O.Args.size());
  const CallArg *A = I && *I >= 0 ? O.arg(*I) : nullptr;
  if (!A || A->Value == None || G.Exprs[A->Value].Kind != ExprKind::Load)
    return nullptr;
  const Expr &Place = G.Exprs[G.Exprs[A->Value].A];
  bool HasName = Place.Kind == ExprKind::Var || Place.Kind == ExprKind::Field ||
                 Place.Kind == ExprKind::Global;
  return HasName ? &Place : nullptr;
}

/// True if \p O may set \p Place, a variable, member, or global of \p G.
static bool mayWrite(const FlowGraph &G, const Op &O, const Expr &Place) {
  auto Is = [&](ExprId E) { return E != None && &G.Exprs[E] == &Place; };
  return Is(O.Place) || llvm::any_of(O.Args, [&](const CallArg &A) {
           return A.Written && A.Value != None &&
                  G.Exprs[A.Value].Kind == ExprKind::AddrOf &&
                  Is(G.Exprs[A.Value].A);
         });
}

bool isRecordedAgain(const Walk &W, const Frame &F, const Op &O) {
  const FlowGraph &G = *F.Graph;
  const auto Loops = loopsAround(G, F.Block);
  if (Loops.empty())
    return false;
  const catalogue::Entry *Record =
      O.Callee == None ? nullptr : W.Rel.entryFor(O.Callee);
  const Expr *Recorded = Record ? eventPlace(G, O, *Record) : nullptr;
  auto Has = [&](llvm::function_ref<bool(const Op &)> Is) {
    for (unsigned B = Loops.front().Head; B <= Loops.front().Last; ++B)
      if (llvm::any_of(G.Blocks[B].Ops, Is))
        return true;
    return false;
  };
  return !Has([&](const Op &Each) {
    if (Each.Kind != OpKind::Call)
      return false;
    const catalogue::Entry *Wait =
        Each.Callee == None ? nullptr : W.Rel.entryFor(Each.Callee);
    if (!Wait)
      return Each.Callee == None ||
             W.Rel.bits(Each.Callee) & (Relevance::Forks | Relevance::Unknown);
    if (Wait->Does != catalogue::Effect::StreamWaitEvent)
      return false;
    const Expr *Waited = eventPlace(G, Each, *Wait);
    // A variable that the loop sets may contain the recorded event.
    return !Recorded || !Waited || Recorded->Kind != Waited->Kind ||
           (Recorded->N == Waited->N && Recorded->S == Waited->S) ||
           Has([&](const Op &Sets) { return mayWrite(G, Sets, *Waited); });
  });
}

} // namespace cudagraph
