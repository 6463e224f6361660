//===- Thrown.cpp - Exceptions that leave a capture open ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the handler of an exception after a begin call, and whether it ends the
// capture.
//
//===----------------------------------------------------------------------===//

#include "CaptureModel.h"
#include "analysis/program/CountedLoops.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// True if the call at \p Begin is in try block \p Try of \p F.
static bool isInTry(const Frame &F, unsigned Try, Span Begin) {
  return llvm::any_of(F.Graph->Blocks, [&](const Block &B) {
    return llvm::any_of(B.Ops, [&](const Op &O) {
      return O.Kind == OpKind::Call && O.Range.Begin == Begin.Begin &&
             O.Try == Try;
    });
  });
}

/// True if a handler of \p F, for the call \p Site, is at the end of the
/// program: that of main, if main consists only of the try block.
bool CaptureModel::endsProgram(const Frame &F, const Op &Site) const {
  if (F.Parent || Table.info(F.Function).Name != "main")
    return false;
  auto Matters = [&](FunctionId Callee) {
    if (Callee == None)
      return true;
    const catalogue::Entry *E = Rel.entryFor(Callee);
    return E ? !E->has(catalogue::Trait::Host) &&
                   E->Does != catalogue::Effect::Neutral
             : (Rel.bits(Callee) & (Relevance::Works | Relevance::Opens)) != 0;
  };
  if (llvm::any_of(F.Graph->Handlers[Site.Try - 1], Matters))
    return false;
  auto Tries = [&](const Block &B) {
    return llvm::none_of(B.Ops, [&](const Op &O) {
      return O.Kind == OpKind::Call && O.Try != Site.Try && Matters(O.Callee);
    });
  };
  if (!llvm::all_of(F.Graph->Blocks, Tries))
    return false;
  // A loop may retry.
  return llvm::all_of(loopsAround(*F.Graph, F.Block), [&](const LoopRange &L) {
    return llvm::any_of(F.Graph->Blocks[L.Head].Ops,
                        [&](const Op &O) { return O.Try == Site.Try; });
  });
}

/// True if a handler of try block \p Try of \p G ends a capture.
bool CaptureModel::handlerEnds(const FlowGraph &G, unsigned Try) const {
  return llvm::any_of(G.Handlers[Try - 1], [&](FunctionId Callee) {
    if (Callee == None)
      return false;
    const catalogue::Entry *E = Rel.entryFor(Callee);
    return E ? E->Does == catalogue::Effect::CaptureEnd
             : (Rel.bits(Callee) & Relevance::Ends) != 0;
  });
}

/// The handler of an exception that \p O of \p F throws, or its callees, as far
/// as the source shows it.
CaptureModel::Catcher CaptureModel::catcherOf(const Frame &F,
                                              const Op &O) const {
  const Op *Site = &O;
  const Frame *Root = &F;
  for (const Frame *A = &F; A; Site = A->CallSite, A = A->Parent) {
    Root = A;
    if (Site && Site->Try)
      return handlerEnds(*A->Graph, Site->Try) ? Catcher::Ends
             : endsProgram(*A, *Site)          ? Catcher::Uncaught
                                               : Catcher::Leaves;
  }
  // Walks begin where captures begin, so the callers are also examined.
  Catcher Found = Catcher::Uncaught;
  for (FunctionId Caller : Rel.callersOf(Root->Function)) {
    const FlowGraph *G = Table.graph(Caller);
    if (!G)
      continue;
    for (unsigned Try = 1; Try <= G->Handlers.size(); ++Try) {
      if (!handlerEnds(*G, Try))
        return Catcher::Leaves;
      Found = Catcher::Ends;
    }
  }
  return Found;
}

void CaptureModel::noteThrown(const Frame &F, Span Throw, const State &S) {
  if (S.Active.empty() || S.OtherThread)
    return;
  const CaptureRecord &R = Result.Captures[S.Active.back()];
  auto IsHome = [&](const Frame &A) {
    // The capture may have begun in another function.
    return A.Function == R.BeginIn || A.Function == R.Home;
  };
  Op Thrown;
  Thrown.Range = Throw;
  // The location where control leaves the function that has begun it.
  const Frame *Left = IsHome(F) ? &F : nullptr;
  const Op *By = &Thrown;
  auto Ends = [&](const Frame &A) {
    return (Rel.bits(A.Function) & Relevance::Ends) != 0;
  };
  if (Left && Ends(F))
    return; // that function itself is examined
  for (const Frame *A = &F; A->Parent; A = A->Parent) {
    const Frame &Caller = *A->Parent;
    const Op &Site = *A->CallSite;
    bool Home = IsHome(Caller);
    if (Site.Try) {
      Span Begin = Caller.Function == R.BeginIn ? R.BeginCall : R.Site;
      bool Within = Left || (Home && isInTry(Caller, Site.Try, Begin));
      if (!Within || handlerEnds(*Caller.Graph, Site.Try))
        return; // the capture continues after the handler, or ends there
    }
    if (!Left && Home) {
      Left = &Caller;
      By = &Site;
    }
    // If a function begins a capture and leaves the end to its caller, the exit
    // is in the caller.
    if (Left && Ends(Caller)) {
      ExitPath Exit{/*Unwalked=*/true, false, {}, None};
      if (By != &Thrown) {
        Exit.Thrown = Throw;
        Exit.In = F.Function;
      }
      if (Left != &Caller)
        Exit.Of = &Caller;
      return noteOpenReturn(*Left, *By, S, Exit);
    }
    if (Site.Try)
      return; // no code here ends the capture with which its caller continues
  }
}

} // namespace cudagraph
