//===- Exits.cpp - The exits of a function --------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Interpreter.h. The states in which a function returns, and the returns
// that leave a capture open.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// The results of the walk \p A.
Exits Interpreter::exitsOf(Activation &A, const Captures &AtEntry) {
  const FlowGraph &G = *A.F.Graph;
  States &Ends = A.In[G.Exit];
  for (State &S : Ends) {
    Calls.Models.Lifetimes.endActivation(A.F, S);
    Calls.Models.Changes.ended(A.F, S, None);
  }
  std::set<CaptureId> LeftOpen;
  for (const State &S : Ends)
    LeftOpen.insert(S.Active.begin(), S.Active.end());
  Exits Out;
  LocId Ret = D.loc(LocKind::Return, 0, A.F.Function);
  for (State &S : Ends) {
    // A capture that a function opens with a comment ends with the function,
    // and one that it leaves open on a failure path is abandoned, not passed to
    // the caller.
    llvm::erase_if(S.Active, [&](CaptureId C) {
      if (llvm::is_contained(AtEntry, C))
        return false;
      bool Comment = Result.Captures[C].Root == RootKind::Comment;
      if (Comment && G.TrailingEnd.Begin)
        Calls.Models.Use.Times.end(A.F, C, G.TrailingEnd);
      return S.Failing || Comment;
    });
    ValueId Returned = D.opaque(Domain::site(A.F.Function, 0, 8));
    if (std::optional<unsigned> V = S.Mem.lookup(Ret))
      Returned = isOneOfCopies(D, *V) ? D.value(ValueKind::CopyOf, 0, Ret) : *V;
    Out.push_back({S, Returned});
  }
  if (A.Left.Restores)
    for (Fact &Each : A.Left.OtherMode)
      Calls.Models.Use.Facts.record(std::move(Each));
  // Some paths leave open a capture that others close: this is a leak on an
  // early return, unless the function never ends captures.
  if (Rel.bits(A.F.Function) & Relevance::Ends &&
      (llvm::any_of(Out, [&](Exit &E) { return E.S.Active == AtEntry; }) ||
       failsOpen(A)) &&
      (LeftOpen.empty() || !llvm::all_of(LeftOpen, [&](CaptureId C) {
         // One step of a state machine begins a capture, and another step ends
         // it.
         const CaptureRecord &R = Result.Captures[C];
         return R.Home == A.F.Function && !llvm::is_contained(AtEntry, C) &&
                !Shapes.endsAfter(G, R.HomeBlock);
       })))
    reportLeaks(A, AtEntry, LeftOpen, Out);
  return Out;
}

/// True if the branch to \p Exit depends on a function without source that is
/// not catalogued: its result is a guess.
static bool asksElsewhere(Program &Table, const Relevance &Rel,
                          const FlowGraph &G, unsigned Exit) {
  return llvm::any_of(G.Blocks, [&](const Block &B) {
    return llvm::any_of(B.Succs, [&](const Edge &E) { return E.To == Exit; }) &&
           llvm::any_of(B.Ops, [&](const Op &O) {
             return O.Kind == OpKind::Call && O.ResultIndex != None &&
                    O.Callee != None && !Table.hasGraph(O.Callee) &&
                    !Rel.entryFor(O.Callee);
           });
  });
}

/// The block of \p G that contains the return at \p Where.
static std::optional<unsigned> exitAt(const FlowGraph &G, Span Where) {
  for (const Block &B : G.Blocks)
    if (llvm::any_of(B.Ops, [&](const Op &O) {
          return O.Kind == OpKind::Return && O.Range.Begin == Where.Begin;
        }))
      return &B - G.Blocks.data();
  return std::nullopt;
}

/// The block of \p G to which the branch \p Where leads, see branchAt().
static std::optional<unsigned> partedAt(const FlowGraph &G, Span Where) {
  for (unsigned B = 0; B < G.Blocks.size() && Where.Begin; ++B)
    for (const Edge &E : G.Blocks[B].Succs)
      if (branchAt(G, B, E.To).Begin == Where.Begin)
        return E.To;
  return std::nullopt;
}

/// True if the walk \p A has seen only early returns that leave a capture open:
/// with the arguments of this call, it does not reach the other returns, which
/// end the capture.
bool Interpreter::failsOpen(const Activation &A) {
  const FlowGraph &G = *A.F.Graph;
  return !A.Left.Open.empty() && llvm::all_of(A.Left.Open, [&](const Fact &R) {
    std::optional<unsigned> Exit = exitAt(G, R.Range);
    if (!Exit)
      return false;
    if (Shapes.isErrorExit(G.Blocks[*Exit]))
      return true;
    // A branch leads away from the end call.
    std::optional<unsigned> Apart =
        partedAt(G, R.details<OpenReturn>()->Branch);
    return Apart && !asksElsewhere(Table, Rel, G, *Apart) &&
           !Shapes.knowsOfCapture(A.F.Function, *Apart);
  });
}

void Interpreter::reportLeaks(Activation &A, const Captures &AtEntry,
                              const std::set<CaptureId> &LeftOpen, Exits &Out) {
  // Destructors run on returns and may also end the capture. A destructor that
  // calls a stored callable may end the capture through a lambda of this
  // function.
  bool Gives = llvm::any_of(A.F.Graph->Exprs, [&](const Expr &E) {
    return E.Kind == ExprKind::Closure && E.N != static_cast<int64_t>(None) &&
           (Rel.bits(static_cast<FunctionId>(E.N)) & Relevance::Ends);
  });
  bool Destructor = llvm::any_of(A.F.Graph->Blocks, [&](const Block &B) {
    return llvm::any_of(B.Ops, [&](const Op &O) {
      return O.Implicit && O.Callee != None &&
             (Rel.bits(O.Callee) &
              (Relevance::Ends | (Gives ? Relevance::Unknown : 0)));
    });
  });
  const bool OnlyFails = failsOpen(A);
  llvm::erase_if(A.Left.Open, [&](Fact &Each) {
    // An exit that all paths share, including those that end the capture or
    // never begin it, is not an early exit: conditions are correlated. A
    // failure after the begin call is an early exit, which is reported at its
    // branch.
    auto *Return = Each.details<OpenReturn>();
    std::optional<unsigned> Exit = exitAt(*A.F.Graph, Each.Range);
    bool Shared = A.Left.Closed.count(Each.Range.Begin) &&
                  (Return->Branch.Begin ||
                   !CaptureModel::returnsApart(A.Left, Each.Range.Begin));
    if (Shared ||
        (OnlyFails && Exit && !A.F.Graph->Blocks[*Exit].EarlyReturn)) {
      if (!Return->Branch.Begin)
        return true;
      Each.Range = Return->Branch;
      Return->Keyword = llvm::any_of(A.F.Graph->Blocks,
                                     [&](const Block &B) {
                                       return B.Jump.Begin == Each.Range.Begin;
                                     })
                            ? "goto"
                            : "branch";
      if (Table.site(Each.Range).InMacro && !Return->ByItself)
        Each.Weakest = weaker(Each.Weakest, Evidence::ReturnInMacro);
    }
    // This concerns objects that begin or end a capture: exceptions are not
    // followed through destructors.
    bool Unwalked = Return->Unwalked;
    bool ByOther = Result.Captures[Each.Capture].Root == RootKind::Wrapper;
    if ((Unwalked || ByOther) && Destructor)
      return true;
    if (Destructor && Table.site(Each.Range).InMacro)
      Each.Weakest = weaker(Each.Weakest, Evidence::ReturnInMacro);
    return !Unwalked && !LeftOpen.count(Each.Capture);
  });
  auto IsOpen = [&](const Exit &E) {
    return E.S.Active.size() > AtEntry.size();
  };
  if (!llvm::all_of(Out, IsOpen))
    llvm::erase_if(Out, IsOpen);
  auto IsEnded = [&](CaptureId C) {
    const CaptureRecord &R = Result.Captures[C];
    if (OnlyFails && R.Home == A.F.Function &&
        Shapes.endsAfter(*A.F.Graph, R.HomeBlock))
      return true;
    for (CaptureId X = 0; X < Result.Captures.size(); ++X)
      if (!Result.Captures[X].Ends.empty() && W.sameCapture(X, C))
        return true;
    return false;
  };
  for (Fact &Each : A.Left.Open)
    if (IsEnded(Each.Capture)) {
      // Later consequences of the open capture have the same remedy.
      if (OnlyFails)
        for (Exit &E : Out)
          llvm::erase(E.S.Active, Each.Capture);
      Calls.Models.Use.Facts.record(std::move(Each));
    }
}

} // namespace cudagraph
