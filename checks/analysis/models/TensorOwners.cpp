//===- TensorOwners.cpp - The owners of host tensors ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TensorOwners.h.
//
//===----------------------------------------------------------------------===//

#include "TensorOwners.h"
#include "TensorTraits.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// True if \p G uses the tensor in variable \p Var other than through its
/// methods: there may be other references to its memory.
static bool isShared(const FlowGraph &G, unsigned Var) {
  auto Mentions = [&](ExprId Id) {
    llvm::SmallVector<ExprId, 8> Work{Id};
    while (!Work.empty()) {
      ExprId E = Work.pop_back_val();
      if (E == None ||
          (G.Exprs[E].Kind == ExprKind::Field && G.Exprs[E].S == TensorMemory))
        continue;
      if (G.Exprs[E].Kind == ExprKind::Var && G.Exprs[E].N == Var)
        return true;
      Work.append({G.Exprs[E].A, G.Exprs[E].B, G.Exprs[E].C});
    }
    return false;
  };
  auto IsGiven = [&](const CallArg &A) { return Mentions(A.Value); };
  return llvm::any_of(G.Blocks, [&](const Block &B) {
    return llvm::any_of(B.Ops, [&](const Op &O) {
      return Mentions(O.Value) || llvm::any_of(O.Args, IsGiven) ||
             llvm::any_of(O.Config, IsGiven);
    });
  });
}

LocId ownerOfTensor(const Domain &D, const Frame &F, const State &S, LocId L) {
  const LocNode At = D.at(L);
  if (At.Kind != LocKind::Pointee)
    return None;
  const ValueNode Tensor = D[At.A];
  if (Tensor.Kind != ValueKind::Op || D.text(Tensor.S) != "tensor" ||
      (Tensor.N & traits::Places) != traits::OnHost)
    return None;
  for (const Memory::Item &I : S.Mem)
    if (const LocNode Holder = D.at(I.Key);
        I.Data == At.A && Holder.Kind == LocKind::Var)
      return Holder.A == F.Function && Holder.N >= F.Graph->NumParams &&
                     !isShared(*F.Graph, Holder.N)
                 ? I.Key
                 : None;
  return None;
}

} // namespace cudagraph
