//===- EarlierRuns.cpp - Results that an earlier run may have stored ------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pool or a cache creates only what it does not have. If the same call ran
// before the capture, for the same object and with the same arguments, the
// captured call may find the result there: the contents of containers are not
// part of a state.
//
//===----------------------------------------------------------------------===//

#include "Sink.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// True if the container or array at \p Place of \p G is not a local variable.
static bool isElsewhere(const FlowGraph &G, ExprId Place) {
  while (Place != None) {
    const Expr &E = G.Exprs[Place];
    switch (E.Kind) {
    case ExprKind::Field:
    case ExprKind::Elem:
      Place = E.A;
      break;
    case ExprKind::Var:
      return static_cast<unsigned>(E.N) < G.NumParams;
    case ExprKind::Global:
    case ExprKind::Deref:
    case ExprKind::PtrElem:
      return true;
    default:
      return false;
    }
  }
  return false;
}

/// True if \p Pointer is the address of an element of a container or array that
/// outlives the function of \p G, or a local variable that contains it.
static bool pointsToElement(const FlowGraph &G, ExprId Pointer,
                            unsigned Depth = 0) {
  const Expr &E = G.Exprs[Pointer];
  if (E.Kind == ExprKind::AddrOf)
    return (G.Exprs[E.A].Kind == ExprKind::Elem ||
            G.Exprs[E.A].Kind == ExprKind::PtrElem) &&
           isElsewhere(G, E.A);
  bool IsVar = E.Kind == ExprKind::Load && G.Exprs[E.A].Kind == ExprKind::Var;
  if (Depth > 2 || (!IsVar && E.Kind != ExprKind::Result))
    return false;
  return llvm::any_of(G.Blocks, [&](const Block &B) {
    return llvm::any_of(B.Ops, [&](const Op &O) {
      if (IsVar)
        return O.Kind == OpKind::Assign && O.Place == E.A &&
               pointsToElement(G, O.Value, Depth + 1);
      return O.Kind == OpKind::Call && O.ResultIndex == E.N &&
             O.Object != None && O.Callee != None && isElsewhere(G, O.Object);
    });
  });
}

/// True if \p Place is such an element.
static bool isElement(const FlowGraph &G, ExprId Place) {
  const Expr &E = G.Exprs[Place];
  if (E.Kind == ExprKind::Elem || E.Kind == ExprKind::PtrElem)
    return isElsewhere(G, Place);
  return E.Kind == ExprKind::Deref && pointsToElement(G, E.A);
}

/// True if \p O, in \p G, sets, adds, or removes elements of a container that
/// outlives the function.
static bool storesElement(const Relevance &Rel, const FlowGraph &G,
                          const Op &O) {
  if (O.Kind == OpKind::Assign && O.Place != None)
    return isElement(G, O.Place);
  if (O.Kind != OpKind::Call || O.Callee == None)
    return false;
  const catalogue::Entry *E = Rel.entryFor(O.Callee);
  if (!E)
    return false;
  std::optional<int> Out = E->arg("out", O.Args.size());
  const CallArg *To = Out ? O.arg(*Out) : nullptr;
  if (To && pointsToElement(G, To->Value))
    return true;
  return O.Object != None && E->Does == catalogue::Effect::HostMutate &&
         isElsewhere(G, O.Object);
}

bool Sink::mayBeStored(const Frame &F, CaptureId Of, bool OnSamePath) {
  FunctionId Home = Result.Captures[Of].Home;
  unsigned Block = F.Block;
  for (const Frame *A = &F; A->Parent && A->Function != Home;
       Block = A->CallBlock, A = A->Parent) {
    const FlowGraph &G = *A->Graph;
    // The call that begins the capture is not an earlier one.
    if (Rel.bits(A->Function) & Relevance::Begins ||
        !W.hasRun(A->Function, A->Passed) || Shapes.mustReach(&G, 0, Block))
      continue;
    auto Follows = [&](unsigned Store) {
      return !OnSamePath ||
             (!Shapes.mustReach(&G, 0, Store) &&
              (Store == Block || Shapes.mustReach(&G, Block, Store) ||
               Shapes.isOnlyAfter(G, Store, Block)));
    };
    for (unsigned I = 0; I < G.Blocks.size(); ++I)
      if (llvm::any_of(G.Blocks[I].Ops,
                       [&](const Op &O) { return storesElement(Rel, G, O); }) &&
          Follows(I))
        return true;
  }
  return false;
}

} // namespace cudagraph
