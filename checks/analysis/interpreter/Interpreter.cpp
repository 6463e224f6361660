//===- Interpreter.cpp - Roots and blocks ---------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fixpoint over one flow graph, and the selection of roots. The number of
// visits to a block is bounded, as is the work for a whole translation unit. A
// walk that reaches a bound is always reported as incomplete.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "analysis/domain/Keys.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

Frame Interpreter::topFrame(FunctionId F) {
  Frame Top;
  Top.Function = F;
  Top.Graph = Table.graph(F);
  Top.This = D.value(ValueKind::Init, 0, D.slot(Slot::This, F));
  Top.Allowed = Table.info(F).Allowed;
  for (unsigned I = 0; I < Top.Graph->NumParams; ++I)
    Top.Params.push_back(defaultContents(D, D.loc(LocKind::Var, I, F)));
  return Top;
}

FactSet Interpreter::run(const Root &From) {
  FunctionId F = From.Function;
  if (Table.graph(F)) {
    Result.Visited.insert(F);
    if (From.Assumed)
      runAssumed(F, *From.Assumed);
    else {
      State S;
      Calls.Models.Changes.enterRoot(F, S);
      walk(topFrame(F), std::move(S));
    }
  }
  Calls.Models.Host.conclude();
  Calls.Models.Steps.conclude();
  Calls.Models.Changes.conclude();
  Calls.Models.Graphs.conclude();
  Calls.Models.Lifetimes.conclude();
  Calls.Models.Replays.conclude();
  Calls.Models.Use.Times.finish();
  if (Result.Refuted)
    Result.refute();
  Result.Steps = W.Steps;
  Result.Work += W.Steps;
  return std::move(Result);
}

/// The capture that is assumed to contain the whole function \p F, whose graph
/// is \p G.
CaptureRecord Interpreter::assumedCapture(State &S, const FlowGraph &G,
                                          FunctionId F, RootKind Root) {
  CaptureRecord R;
  R.Home = F;
  R.Site = R.BeginCall = Table.info(F).Where;
  R.BeginIn = F;
  R.Root = Root;
  R.Origin = D.opaque(Domain::site(F, 0, 9));
  if (Root == RootKind::TorchOps) {
    // PyTorch makes a stream of its pool the current one, and captures there in
    // global mode unless another mode is requested (torch/cuda/graphs.py).
    R.Mode = catalogue::Mode::Global;
    R.Kind = catalogue::StreamKind::NonBlocking;
    R.Origin = D.value(ValueKind::Stream, Domain::site(F, 0, 9), None,
                       static_cast<unsigned>(*R.Kind), "pool");
    R.StreamName = "the current stream";
    assign(D, S, D.slot(Slot::CurrentStream), R.Origin);
  }
  for (unsigned I = 0; I < G.NumParams; ++I) {
    if (!G.Vars[I].IsStream)
      continue;
    LocId L = D.loc(LocKind::Var, I, F);
    if (Root == RootKind::TorchOps) {
      assign(D, S, L, R.Origin); // its caller passes the current stream
      break;
    }
    R.Origin = defaultContents(D, L);
    R.StreamName = G.Vars[I].Name;
    break;
  }
  return R;
}

void Interpreter::runAssumed(FunctionId F, RootKind Root) {
  ModelSet &Models = Calls.Models;
  State S;
  CaptureRecord R = assumedCapture(S, *Table.graph(F), F, Root);
  Frame Top = topFrame(F);
  S.Active.push_back(Models.Use.Facts.intern(std::move(R)));
  Models.Use.Times.begin(Top, S.Active.back());
  if (Root == RootKind::TorchOps)
    W.OperatorRoot = F;
  Exits Out = walk(Top, std::move(S));
  if (Root != RootKind::TorchOps)
    return;
  // The function must join the streams that it forks: its caller has no access
  // to them.
  Op End;
  End.Range = Table.info(F).Where;
  for (Exit &E : Out)
    if (!E.S.Failing && !E.S.Active.empty())
      Models.captureEnds(Top, End, E.S, E.S.Active.back(), nullptr);
}

/// The next block to visit if no other remains. \returns false if there is
/// none.
bool Interpreter::release(Activation &A) {
  const FlowGraph &G = *A.F.Graph;
  // Releases the entry states of loops whose bodies never returned.
  for (const std::set<unsigned> *Heads : {A.Loops, A.Working})
    for (unsigned H : *Heads)
      if (!A.In[H].empty() && !A.Iterated.count(H) &&
          A.Released.insert(H).second)
        A.Work.insert(H);
  for (unsigned H : *A.Forks)
    if (!A.In[H].empty() && !A.Counted.count(H) &&
        A.Rounds[H].Count < FullRounds && A.Released.insert(H).second)
      A.Work.insert(H);
  // Loops that wait for another thread end after it has acted.
  if (A.Work.empty() && A.In[G.Exit].empty() && !A.Forced &&
      !G.Blocks[0].NeverReturns) {
    A.Forced = true;
    for (unsigned B = 0; B < G.Blocks.size(); ++B)
      if (!A.In[B].empty() && G.Blocks[B].Cond != None)
        A.Work.insert(B);
  }
  return !A.Work.empty();
}

Exits Interpreter::walk(const Frame &Caller, State Entry) {
  Activation A;
  A.F = Caller;
  A.F.Left = &A.Left;
  const FlowGraph &G = *A.F.Graph;
  A.In.resize(G.Blocks.size());
  A.Visits.resize(G.Blocks.size(), 0);
  A.Loops = &Shapes.capturingLoops(A.F.Function, G);
  A.Working = &Shapes.workingLoops(A.F.Function, G);
  A.Forks = &Shapes.forkingLoops(A.F.Function, G);
  A.Lent = Shapes.Slots.of(A.F.Function);
  const Captures AtEntry = Entry.Active;
  A.Left.Mode = Entry.ThreadMode;
  A.In[0].push_back(std::move(Entry));
  A.Work.insert(0);
  while (!A.Work.empty() || release(A)) {
    unsigned B = *A.Work.begin();
    A.Work.erase(A.Work.begin());
    if (B == G.Exit)
      continue;
    if (++A.Visits[B] > MaxVisits || W.isSpent())
      continue;
    A.F.Block = B;
    States Current = A.In[B];
    A.F.Round = roundOf(A, B);
    countRounds(A, Current);
    for (State &S : Current)
      walkBlock(A, std::move(S));
  }
  return exitsOf(A, AtEntry);
}

void Interpreter::walkBlock(Activation &A, State S) {
  Frame &F = A.F;
  const Block &B = F.Graph->Blocks[F.Block];
  bool Failed = S.Failing; // an exception from a status check is not expected
  if (B.NeverReturns)
    S.Failing = true;
  A.OfBegin = false;
  States Now{std::move(S)};
  for (const Op &O : B.Ops) {
    const LentSlot *Slot = llvm::find_if(A.Lent, [&](const LentSlot &Each) {
      return Each.Block == F.Block && &B.Ops[Each.Index] == &O;
    });
    if (Slot == A.Lent.end())
      Slot = nullptr;
    States Next;
    for (State &Each : Now) {
      ++W.Steps;
      A.OfBegin |= passesBegin(F, O, Each);
      for (State &After : exec(F, O, std::move(Each))) {
        if (Slot)
          Calls.Models.Lifetimes.Lent.lent(
              F, After, *Slot, Calls.Values.eval(F, Slot->Offset, After));
        auto Same = llvm::find_if(Next, [&](const State &X) {
          // The caller may test the failure.
          return X.sameKey(After) &&
                 (X.Active.empty() || X.Failing == After.Failing);
        });
        if (Same == Next.end())
          Next.push_back(std::move(After));
        else
          join(D, *Same, After, Domain::site(F.Function, O.Range.Begin, 4),
               Widen::Nothing, W.Steps);
      }
    }
    Now = std::move(Next);
  }
  for (State &Each : Now) {
    if (B.Throw.Begin) {
      Op Thrown;
      Thrown.Range = B.Throw;
      Calls.Models.Captures.noteOpenReturn(
          F, Thrown, Each, {/*Unwalked=*/true, false, {}, None});
      if (!Failed)
        Calls.Models.Captures.noteThrown(F, B.Throw, Each);
    }
    // Code that a capture skips is not a failure.
    if (Shapes.isErrorExit(B) &&
        (Each.Active.empty() || !Shapes.knowsOfCapture(F.Function, F.Block)))
      Each.Failing = true;
    branch(A, Each, B);
  }
}

States Interpreter::execCall(Frame &F, const Op &O, State S) {
  const Captures Before = S.Active;
  States After = Calls.call(F, O, std::move(S));
  for (CaptureId C : Before)
    if (llvm::any_of(After, [&](const State &Each) {
          return !Each.Failing && !llvm::is_contained(Each.Active, C);
        }))
      Calls.Models.Use.Facts.noteEnded(F, O, C);
  if (!Before.empty())
    for (State &Each : After)
      if (Each.Active.empty())
        Each.Guards = FactMap();
  return After;
}

/// The location of \p O in user code: a part of a call has no location of its
/// own.
static const Op &siteOf(const Frame &F, const Op &O) {
  const std::vector<Op> &Ops = F.Graph->Blocks[F.Block].Ops;
  for (size_t I = &O - Ops.data(); I < Ops.size(); ++I)
    if (Ops[I].Range.Begin)
      return Ops[I];
  return O;
}

/// True if both members of the pair at \p L are known.
static bool hasPairMembers(const Domain &D, const State &S, LocId L) {
  return llvm::count_if(S.Mem, [&](const Memory::Item &I) {
           const LocNode N = D.at(I.Key);
           return N.Kind == LocKind::Field && N.A == L &&
                  isPairMember(D.text(N.S));
         }) == 2;
}

/// True if \p O, in \p G, may write the variable \p Place: it assigns to it, or
/// takes its address.
static bool mayWrite(const FlowGraph &G, const Op &O, ExprId Place) {
  auto IsAddress = [&](ExprId E) {
    return E != None && G.Exprs[E].Kind == ExprKind::AddrOf &&
           G.Exprs[E].A == Place;
  };
  return O.Place == Place || IsAddress(O.Value) ||
         llvm::any_of(O.Args, [&](const CallArg &A) {
           return A.Written && IsAddress(A.Value);
         });
}

/// True if a static local variable, with the constant initializer \p O of the
/// value \p V, may have another value now: an earlier call of the root, which
/// is not visible, may have written it.
static bool mayHaveChanged(const Walk &W, const Frame &F, const Op &O,
                           ValueId V) {
  return O.OnceOf == None && W.D.asInt(V) &&
         !W.isWholeProgram(F.root().Function) &&
         llvm::any_of(F.Graph->Blocks, [&](const Block &B) {
           return llvm::any_of(B.Ops, [&](const Op &Each) {
             return !Each.Once && mayWrite(*F.Graph, Each, O.Place);
           });
         });
}

/// Executes \p O, which initializes a static local variable. Unless the whole
/// program is visible, code that ran before may have changed the object: only
/// the handles that no other code replaces are known.
States Interpreter::construct(Frame &F, const Op &O, State S) {
  LocId Object =
      O.Object == None ? None : Calls.Values.evalPlace(F, O.Object, S);
  States After = execCall(F, O, std::move(S));
  if (Object == None || D.at(Object).Kind != LocKind::Global ||
      W.isWholeProgram(F.root().Function))
    return After;
  for (State &Each : After)
    Each.Mem.eraseIf([&](const Memory::Item &I) {
      if (D.root(I.Key) != Object)
        return false;
      const WriteSummary *Writes = Rel.writes(stateName(D, I.Key));
      return !isHandle(D, I.Data) || !Writes || !Writes->Writers.empty() ||
             !Writes->Resets.empty();
    });
  return After;
}

States Interpreter::exec(Frame &F, const Op &O, State S) {
  ModelSet &Models = Calls.Models;
  Evaluator &Values = Calls.Values;
  auto Eval = [&](ExprId E) { return Values.eval(F, E, S); };
  switch (O.Kind) {
  case OpKind::Assign:
  case OpKind::Modify: {
    if (isCallableType(F.Graph->Exprs[O.Place]))
      break;
    ValueId V = Values.eval(F, O.Value, S);
    LocId L = Values.evalPlace(F, O.Place, S);
    if (isTableMark(D, L)) {
      assignMark(D, S, L, V);
      break;
    }
    if (O.Once && D.at(L).Kind == LocKind::Global &&
        (S.Mem.contains(L) || mayHaveChanged(W, F, O, V)))
      break;
    Models.Changes.Equal.noteCompared(F, S, O.Value, Eval);
    Models.Host.noteWrite(F, O, S, L, V);
    Models.Steps.written(F, O, S, L, read(D, S, L), V);
    Models.Changes.written(F, O, S, L, read(D, S, L), V);
    Models.Lifetimes.stored(F, O, S, L, V);
    if (D.at(L).Kind == LocKind::Elem)
      Models.Lifetimes.recycled(F, O, S, D.at(L).A, V);
    assign(D, S, L, V);
    Models.Threads.stored(F, siteOf(F, O), S, L, V);
    break;
  }
  case OpKind::Return:
    Models.Captures.noteReturn(F, O, S);
    Models.Captures.noteOpenReturn(F, O, S, {});
    if (O.Value != None) {
      ValueId V = Values.eval(F, O.Value, S);
      Models.Changes.Equal.noteCompared(F, S, O.Value, Eval);
      // The members of a pair are more precise than its constructor arguments.
      if (const Expr &E = F.Graph->Exprs[O.Value];
          E.Kind == ExprKind::Load && D[V].Kind == ValueKind::Op)
        if (LocId L = Values.evalPlace(F, E.A, S); hasPairMembers(D, S, L))
          V = D.value(ValueKind::CopyOf, 0, L);
      assign(D, S, D.loc(LocKind::Return, 0, F.Function), V);
    }
    break;
  case OpKind::MarkerBegin: {
    ValueId Stream = Values.eval(F, O.Value, S);
    Models.Captures.markerBegin(F, O, S, Stream);
    break;
  }
  case OpKind::MarkerEnd:
    Models.Captures.markerEnd(F, O, S);
    break;
  case OpKind::EndLife: {
    LocId L = Values.evalPlace(F, O.Place, S);
    if (D.at(L).Kind == LocKind::Field) {
      S.Mem.set(L, D.integer(0)); // it is no longer an owner
      break;
    }
    Models.Lifetimes.endLife(F, S, L, O.Range);
    Models.Threads.finish(S, L);
    Models.Changes.ended(F, S, L);
    break;
  }
  case OpKind::Clear: {
    LocId L = Values.evalPlace(F, O.Place, S);
    Models.Changes.cleared(F, S, L);
    clear(D, S, L, O.Value == None ? None : Values.eval(F, O.Value, S));
    if (O.Discarded)
      Models.Lifetimes.replaced(F, O, S, L);
    break;
  }
  case OpKind::Free:
    if (isInOtherElement(F, O, S))
      break;
    if (ValueId V = Values.eval(F, O.Value, S);
        !O.Implicit || !hasDeleter(D, S, V))
      Models.Lifetimes.freed(F, O, S, V);
    break;
  case OpKind::Unparsed:
    S.passUnparsed();
    break;
  case OpKind::Call:
    // An initializer that has run does not run again.
    if (O.OnceOf != None && S.Mem.contains(Values.evalPlace(F, O.OnceOf, S)))
      break;
    if (O.Implicit && isInOtherElement(F, O, S))
      break;
    if (O.OnceOf != None)
      return construct(F, O, std::move(S));
    return execCall(F, O, std::move(S));
  }
  return {std::move(S)};
}

} // namespace cudagraph
