//===- StreamLoops.cpp - Loops over several streams -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StreamLoops.h.
//
//===----------------------------------------------------------------------===//

#include "StreamLoops.h"
#include "analysis/ir/ExprParts.h"
#include "analysis/program/CountedLoops.h"
#include "analysis/program/ElementLoops.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;
using catalogue::Entry;

static const Entry *entryOf(const Walk &W, const Op &O) {
  return O.Callee == None ? nullptr : W.Rel.entryFor(O.Callee);
}

static bool anyOp(const FlowGraph &G, const LoopRange &Loop,
                  llvm::function_ref<bool(const Op &)> Is) {
  for (unsigned B = Loop.Head; B <= Loop.Last; ++B)
    if (llvm::any_of(G.Blocks[B].Ops, Is))
      return true;
  return false;
}

static bool hasName(const Expr &E) {
  return E.Kind == ExprKind::Var || E.Kind == ExprKind::Field ||
         E.Kind == ExprKind::Global;
}

/// True if \p A and \p B have one name: that of a variable, a member of any
/// object, or a global.
static bool haveSameName(const Expr &A, const Expr &B) {
  return A.Kind == B.Kind && A.N == B.N && A.S == B.S;
}

/// Returns the variable, member, or global from which \p O, a call to \p Api,
/// reads its event; null if there is none.
static const Expr *eventPlace(const FlowGraph &G, const Op &O,
                              const Entry &Api) {
  std::optional<int> I = Api.arg("event", O.Args.size());
  const CallArg *A = I && *I >= 0 ? O.arg(*I) : nullptr;
  if (!A || A->Value == None || G.Exprs[A->Value].Kind != ExprKind::Load)
    return nullptr;
  const Expr &Place = G.Exprs[G.Exprs[A->Value].A];
  return hasName(Place) ? &Place : nullptr;
}

/// True if an operation of \p Loop may set \p Place.
static bool mayWrite(const FlowGraph &G, const LoopRange &Loop,
                     const Expr &Place) {
  auto Is = [&](ExprId E) {
    return E != None && haveSameName(G.Exprs[E], Place);
  };
  return anyOp(G, Loop, [&](const Op &O) {
    return Is(O.Place) || llvm::any_of(O.Args, [&](const CallArg &A) {
             return A.Written && A.Value != None &&
                    G.Exprs[A.Value].Kind == ExprKind::AddrOf &&
                    Is(G.Exprs[A.Value].A);
           });
  });
}

/// True if \p Loop may wait for the event at \p Recorded; null: any event that
/// the loop may record.
static bool mayWaitFor(const Walk &W, const FlowGraph &G, const LoopRange &Loop,
                       const Expr *Recorded) {
  return anyOp(G, Loop, [&](const Op &Each) {
    if (Each.Kind != OpKind::Call)
      return false;
    const Entry *Wait = entryOf(W, Each);
    if (!Wait)
      return Each.Callee == None ||
             W.Rel.bits(Each.Callee) & (Relevance::Forks | Relevance::Unknown);
    if (Wait->Does != Effect::StreamWaitEvent)
      return false;
    const Expr *Waited = eventPlace(G, Each, *Wait);
    // A variable that the loop sets may contain the recorded event.
    return !Recorded || !Waited || Recorded->Kind != Waited->Kind ||
           haveSameName(*Recorded, *Waited) || mayWrite(G, Loop, *Waited);
  });
}

bool isRecordedAgain(const Walk &W, const Frame &F, const Op &O) {
  const auto Loops = loopsAround(*F.Graph, F.Block);
  const Entry *Record = entryOf(W, O);
  return !Loops.empty() &&
         !mayWaitFor(W, *F.Graph, Loops.front(),
                     Record ? eventPlace(*F.Graph, O, *Record) : nullptr);
}

namespace {
/// The loop around an activation in which each iteration uses another stream.
struct StreamLoop {
  const Walk &W;
  const Frame *In;
  LoopRange Blocks;

  static constexpr unsigned MaxDepth = 8;

  bool hasOrder() const;
  bool hasSame(const Frame &F, ExprId E, unsigned Depth = 0) const;
};
} // namespace

/// Returns the expression of the caller of \p F that determines the object, or
/// the variable, from which \p E is read. Sets \p Target if it is the address
/// of the object.
static ExprId inCaller(const Frame &F, ExprId E, bool &Target) {
  const FlowGraph &G = *F.Graph;
  auto Is = [&](ExprKind K) { return G.Exprs[E].Kind == K; };
  while (E != None && (Is(ExprKind::Load) || Is(ExprKind::Field) ||
                       Is(ExprKind::Deref) || Is(ExprKind::AddrOf))) {
    Target |= Is(ExprKind::Deref);
    E = G.Exprs[E].A;
  }
  if (E == None || !F.CallSite)
    return None;
  if (Is(ExprKind::This)) {
    Target = false;
    return F.CallSite->Object;
  }
  if (!Is(ExprKind::Var) || G.Exprs[E].N >= G.NumParams)
    return None;
  const CallArg *A = F.CallSite->arg(G.Exprs[E].N);
  return A ? A->Value : None;
}

/// Returns the functions that \p O, a call, may call; empty if these are
/// unknown.
static std::vector<FunctionId> calleesOf(const Walk &W, const Op &O) {
  if (O.Callee == None)
    return {};
  std::vector<FunctionId> All{O.Callee};
  if (O.How == Dispatch::Virtual)
    llvm::append_range(All, W.Rel.overridersOf(O.Callee));
  return All;
}

static bool mayWait(const Walk &W, FunctionId Callee, unsigned Depth);

/// True if \p O, a call, may wait for an event.
static bool mayWait(const Walk &W, const Op &O, unsigned Depth = 0) {
  if (const Entry *E = entryOf(W, O))
    return E->Does == Effect::StreamWaitEvent;
  std::vector<FunctionId> All = calleesOf(W, O);
  return All.empty() || llvm::any_of(All, [&](FunctionId Each) {
           return mayWait(W, Each, Depth);
         });
}

static bool mayWait(const Walk &W, FunctionId Callee, unsigned Depth) {
  constexpr unsigned MaxCalls = 4;
  if (!(W.Rel.bits(Callee) & (Relevance::Forks | Relevance::Unknown)))
    return false;
  if (Depth > MaxCalls || !W.Table.hasGraph(Callee))
    return true;
  return llvm::any_of(W.Table.graph(Callee)->Blocks, [&](const Block &B) {
    return llvm::any_of(B.Ops, [&](const Op &O) {
      return O.Kind == OpKind::Call && mayWait(W, O, Depth + 1);
    });
  });
}

/// True if an iteration may wait for work of an earlier one: for an event that
/// the loop records.
bool StreamLoop::hasOrder() const {
  const FlowGraph &G = *In->Graph;
  bool Waits = false, Records = false, Ordered = false;
  anyOp(G, Blocks, [&](const Op &Each) {
    if (Each.Kind != OpKind::Call)
      return false;
    if (const Entry *E = entryOf(W, Each)) {
      Waits |= E->Does == Effect::StreamWaitEvent;
      if (E->Does == Effect::EventRecord)
        Ordered |= mayWaitFor(W, G, Blocks, eventPlace(G, Each, *E));
    } else {
      Ordered |= mayWait(W, Each);
      Records |=
          Each.Callee != None && W.Rel.bits(Each.Callee) & Relevance::Forks;
    }
    return false;
  });
  return Ordered || (Waits && Records);
}

/// True if \p Loop may call a function, directly or through others, that sets
/// the member or global \p Place.
static bool callsWriter(const Walk &W, const FlowGraph &G,
                        const LoopRange &Loop, const Expr &Place) {
  constexpr size_t MaxFunctions = 64;
  const WriteSummary *Writes = W.Rel.writes(Place.S);
  if (!Writes)
    return false;
  std::vector<FunctionId> Writers(Writes->Writers);
  for (const auto *Changes : {&Writes->Setters, &Writes->Steppers})
    for (const WriteSummary::Change &Each : *Changes)
      Writers.push_back(Each.In);
  std::vector<FunctionId> Called;
  auto Add = [&](const Op &O) {
    if (O.Kind == OpKind::Call)
      for (FunctionId Each : calleesOf(W, O))
        if (!llvm::is_contained(Called, Each))
          Called.push_back(Each);
    return false;
  };
  anyOp(G, Loop, Add);
  for (size_t I = 0; I < Called.size(); ++I) {
    FunctionId Each = Called[I];
    if (Called.size() > MaxFunctions || llvm::is_contained(Writers, Each))
      return true;
    if (W.Table.hasGraph(Each))
      for (const Block &B : W.Table.graph(Each)->Blocks)
        llvm::for_each(B.Ops, Add);
  }
  return false;
}

/// True if each iteration has the same value or place \p E, an expression of
/// \p F.
bool StreamLoop::hasSame(const Frame &F, ExprId E, unsigned Depth) const {
  if (E == None || Depth > MaxDepth)
    return false;
  const FlowGraph &G = *F.Graph;
  const Expr &X = G.Exprs[E];
  auto MayChange = [&](const Expr &Part) {
    return (Part.Kind == ExprKind::Field || Part.Kind == ExprKind::Global) &&
           callsWriter(W, *In->Graph, Blocks, Part);
  };
  if (MayChange(X) || (&F == In && hasName(X) && mayWrite(G, Blocks, X)))
    return false;
  switch (X.Kind) {
  case ExprKind::Int:
  case ExprKind::Global:
    return true;
  case ExprKind::Load:
  case ExprKind::Field:
  case ExprKind::Deref:
  case ExprKind::AddrOf:
    return hasSame(F, X.A, Depth + 1);
  case ExprKind::This:
  case ExprKind::Var: {
    bool Target = false;
    return &F == In ||
           (F.Parent && hasSame(*F.Parent, inCaller(F, E, Target), Depth + 1));
  }
  case ExprKind::Result:
    // An accessor.
    return llvm::any_of(G.Blocks, [&](const Block &B) {
      return llvm::any_of(B.Ops, [&](const Op &O) {
        if (O.Kind != OpKind::Call || O.ResultIndex != X.N ||
            O.Callee == None || !O.Args.empty() || !W.Table.hasGraph(O.Callee))
          return false;
        const FlowGraph &Body = *W.Table.graph(O.Callee);
        return llvm::all_of(
                   Body.Blocks,
                   [&](const Block &Inner) {
                     return llvm::all_of(Inner.Ops, [&](const Op &Each) {
                       return Each.Kind == OpKind::Return &&
                              !anyPart(Body, Each.Value, MayChange);
                     });
                   }) &&
               hasSame(F, O.Object, Depth + 1);
      });
    });
  default:
    return false;
  }
}

/// Returns the stream on which \p O enqueues work.
static ExprId streamOf(const Op &O) {
  constexpr size_t InConfig = 3;
  if (O.Config.size() > InConfig)
    return O.Config[InConfig].Value;
  auto Arg = llvm::find_if(O.Args, [](const CallArg &A) { return A.IsStream; });
  return Arg == O.Args.end() ? None : Arg->Value;
}

/// Returns the activation, \p F or a caller, with a loop that visits the
/// element in which \p E is, or from which it is read; null if there is none.
static const Frame *visitorOf(const Frame &F, ExprId E) {
  bool Target = false;
  for (const Frame *A = &F; A && E != None;
       E = inCaller(*A, E, Target), A = A->Parent)
    if (isOfVisitedElement(*A->Graph, A->Block, E, Target))
      return A;
  return nullptr;
}

bool sharesMemory(const Walk &W, const Frame &F, const Op &O, ExprId Address,
                  bool One) {
  const Frame *In = visitorOf(F, streamOf(O));
  if (!In)
    return false;
  StreamLoop Loop{W, In, loopsAround(*In->Graph, In->Block).front()};
  return !Loop.hasOrder() &&
         (Loop.hasSame(F, Address) || (One && visitorOf(F, Address) == In));
}

} // namespace cudagraph
