//===- FailurePaths.cpp - The effects of paths that are not walked --------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Interpreter.h. Calls are assumed to succeed, so the path of a failed call
// is not walked. A variable that such a path sets, as in
// `if (status != cudaSuccess && first == cudaSuccess) first = status;`, keeps
// its value, but the value depends on the status: a later test of the variable
// tests the call.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// The maximum number of results of which a value consists.
static constexpr unsigned MaxCounted = 6;

/// The blocks of \p G that only paths through \p From, a successor of block
/// \p Branch, reach: a few, in order.
static llvm::SmallVector<unsigned, 4>
blocksBehind(const FlowGraph &G, unsigned Branch, unsigned From) {
  constexpr unsigned Most = 4;
  auto IsBehind = [&](unsigned To, llvm::ArrayRef<unsigned> Met) {
    for (unsigned I = 0; I < G.Blocks.size(); ++I)
      for (const Edge &E : G.Blocks[I].Succs)
        if (E.To == To && !llvm::is_contained(Met, I) &&
            (To != From || I != Branch))
          return false;
    return true;
  };
  llvm::SmallVector<unsigned, 4> Met;
  if (!IsBehind(From, Met))
    return Met;
  Met.push_back(From);
  for (unsigned I = 0; I < Met.size(); ++I)
    for (const Edge &E : G.Blocks[Met[I]].Succs)
      if (E.To != G.Exit && !llvm::is_contained(Met, E.To) &&
          Met.size() < Most && IsBehind(E.To, Met))
        Met.push_back(E.To);
  return Met;
}

void Interpreter::noteUnwalked(Activation &A, State &S, const Block &B,
                               ValueId Cond, std::optional<bool> Known) {
  auto Skipped = llvm::find_if(B.Succs, [&](const Edge &E) {
    return E.Failure && Known && *Known != (E.When == EdgeKind::True);
  });
  if (Skipped == B.Succs.end())
    return;
  ValueId Status = None;
  D.visitTree(Cond, [&](ValueId V) {
    if (D[V].Kind == ValueKind::Status)
      Status = V;
  });
  if (Status == None)
    return;
  const FlowGraph &G = *A.F.Graph;
  auto Assigns = [&](unsigned I) {
    return llvm::any_of(G.Blocks[I].Ops,
                        [](const Op &O) { return O.Kind == OpKind::Assign; });
  };
  if (!Assigns(Skipped->To) &&
      llvm::none_of(G.Blocks[Skipped->To].Succs,
                    [&](const Edge &E) { return Assigns(E.To); }))
    return;
  for (unsigned I : blocksBehind(G, A.F.Block, Skipped->To))
    for (const Op &O : G.Blocks[I].Ops) {
      if (O.Kind != OpKind::Assign)
        continue;
      LocId L = Calls.Values.evalPlace(A.F, O.Place, S);
      ValueId Old = read(D, S, L);
      unsigned Counted = 0;
      D.visitTree(
          Old, [&](ValueId V) { Counted += D[V].Kind == ValueKind::Status; });
      ValueId New = Calls.Values.eval(A.F, O.Value, S);
      // A pointer or a handle is not a flag.
      const ValueKind K = D[Old].Kind;
      bool IsFlag = K == ValueKind::Int || K == ValueKind::Op;
      if (!IsFlag && !isStatus(D, New))
        continue;
      if (Counted >= MaxCounted || isStatusOf(D, Old, D[Status].N) == true)
        continue;
      if (isStatus(D, New) || (D.asInt(New) && truth(D, S, Old) == false))
        S.Mem.set(L, D.apply("|", Old, Status));
      else if (D.asInt(New) == 0 && truth(D, S, Old) == true)
        S.Mem.set(L, D.apply("&&", Old, D.apply("==", Status, D.integer(0))));
    }
}

} // namespace cudagraph
