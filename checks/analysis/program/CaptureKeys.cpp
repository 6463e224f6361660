//===- CaptureKeys.cpp - State that records whether there is a graph ------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Members and globals that determine captures: those in the conditions that a
// function tests before it begins one.
//
//===----------------------------------------------------------------------===//

#include "CaptureKeys.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace cudagraph {

using catalogue::Effect;

void Relevance::scanKeys() { Keys(*this).run(); }

/// Marks the members and globals that the call \p Index of \p G returns as
/// keys, if it calls an accessor; \p Depth: the number of nested accessors.
void Relevance::Keys::noteAccessor(const FlowGraph &G, int64_t Index,
                                   unsigned Depth) {
  const Op *Call = nullptr;
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Call && O.ResultIndex == Index && O.Callee != None)
        Call = &O;
  if (!Call)
    return;
  std::vector<FunctionId> Callees{Call->Callee};
  if (Call->How == Dispatch::Virtual)
    llvm::append_range(Callees, R.Table.info(Call->Callee).Overrides);
  for (FunctionId Callee : Callees) {
    const FlowGraph *Body = R.Table.graph(Callee);
    // A function that sets state may return a different result each time.
    size_t Most = R.bits(Callee) & Defines ? 4 : MaxAccessor;
    if (!Body || R.bits(Callee) & (Works | Opens))
      continue;
    if (Body->Blocks.size() > Most) {
      noteComputed(Callee);
      noteRemembered(Callee);
      continue;
    }
    for (const Expr &E : Body->Exprs) {
      if (E.Kind == ExprKind::Field || E.Kind == ExprKind::Global)
        R.Writes[E.S].IsKey = true;
      if (E.Kind == ExprKind::Result && Depth < 2)
        noteAccessor(*Body, E.N, Depth + 1);
    }
  }
}

/// If \p F sets nothing, marks its result, its inputs, and, for a predicate,
/// its conditions as keys.
void Relevance::Keys::noteComputed(FunctionId F) {
  const FlowGraph &G = *R.Table.graph(F);
  if (R.bits(F) & Defines || G.Blocks.size() > MaxAsked ||
      !Computed.insert(F).second)
    return;
  for (const Block &B : G.Blocks) {
    if (R.Table.info(F).ReturnsFlag)
      noteTested(F, B.Cond);
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Return && O.Value != None)
        take(F, O.Value);
  }
}

/// If the result of \p F depends only on its parameters, marks the parts of
/// them that determine it as keys. \returns false if it is unknown which parts
/// do.
bool Relevance::Keys::noteReturned(FunctionId F) {
  const FunctionInfo &Info = R.Table.info(F);
  const FlowGraph *G = R.Table.graph(F);
  if (!G || Info.IsSystem || Info.IsConstructor || R.bits(F) & Defines ||
      G->Blocks.size() > MaxAsked)
    return false;
  // A callee may write to a local variable.
  for (const Block &B : G->Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Call &&
          llvm::any_of(O.Args, [](const CallArg &A) { return A.Written; }))
        return false;
  if (!Returned.insert(F).second)
    return true;
  for (const Block &B : G->Blocks) {
    take(F, B.Cond);
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Return && O.Value != None)
        take(F, O.Value);
  }
  return true;
}

/// True if \p Place, in \p G, is the member \p Part, contains it, or may be a
/// part of it.
static bool mayBePart(const FlowGraph &G, ExprId Place, llvm::StringRef Part) {
  bool Named = false;
  for (; Place != None; Place = G.Exprs[Place].A) {
    const Expr &E = G.Exprs[Place];
    if (E.Kind != ExprKind::Field && E.Kind != ExprKind::Elem)
      break;
    Named |= E.Kind == ExprKind::Field && !isSynthetic(E.S);
    if (E.Kind == ExprKind::Field && E.S == Part)
      return true;
  }
  return !Named || Part.empty();
}

/// Marks the inputs of \p Key, in \p F, as keys: members and globals, the
/// inputs of local objects, and the arguments of functions that compute keys.
/// If \p Part is not empty, only this member of \p Key is a key.
void Relevance::Keys::take(FunctionId F, ExprId Key, llvm::StringRef Part) {
  const FlowGraph &G = *R.Table.graph(F);
  llvm::SmallVector<std::pair<ExprId, llvm::StringRef>, 16> Work{{Key, Part}};
  std::set<std::pair<ExprId, llvm::StringRef>> Seen;
  while (!Work.empty() && Seen.size() < 256) {
    auto [Id, Of] = Work.pop_back_val();
    if (Id == None || !Seen.insert({Id, Of}).second)
      continue;
    const Expr &E = G.Exprs[Id];
    // Only a part of the object is the key.
    bool Member = E.Kind == ExprKind::Field && Of.empty() && !isSynthetic(E.S);
    for (ExprId Each : {E.A, E.B, E.C})
      Work.push_back({Each, Member ? llvm::StringRef(E.S) : Of});
    if (E.Kind == ExprKind::Field || E.Kind == ExprKind::Global)
      R.Writes[E.S].IsKey = true;
    if (E.Kind == ExprKind::Var && Of.empty())
      R.KeyVars[{F, static_cast<unsigned>(E.N)}] = KeyKind::Key;
    if (E.Kind == ExprKind::Var && E.N < G.NumParams &&
        KeyParams.insert({F, static_cast<unsigned>(E.N), Of}).second)
      NewParams.push_back({F, static_cast<unsigned>(E.N), Of});
    if (E.Kind == ExprKind::Result)
      noteAccessor(G, E.N);
    bool Local = E.Kind == ExprKind::Var || E.Kind == ExprKind::Temp;
    for (const Block &B : G.Blocks)
      for (const Op &O : B.Ops) {
        if (Local && (O.Kind == OpKind::Assign || O.Kind == OpKind::Modify) &&
            variableOf(G, O.Place) == Id && mayBePart(G, O.Place, Of)) {
          bool Whole = G.Exprs[O.Place].Kind != ExprKind::Field;
          Work.push_back({O.Value, Whole ? Of : llvm::StringRef()});
          if (!Whole)
            R.Writes[G.Exprs[O.Place].S].IsKey = true;
        }
        if (O.Kind != OpKind::Call || O.Callee == None ||
            R.entryFor(O.Callee) || R.bits(O.Callee) & (Works | Opens))
          continue;
        // Calls that create the object, and library calls that add to it.
        bool Makes = E.Kind == ExprKind::Result && O.ResultIndex == E.N;
        const FunctionInfo &Info = R.Table.info(O.Callee);
        if (Makes && noteReturned(O.Callee))
          continue;
        if (Makes ||
            (Local && O.Object != None && variableOf(G, O.Object) == Id &&
             (Info.IsConstructor || Info.IsSystem)))
          for (const CallArg &A : O.Args)
            Work.push_back({A.Value, Of});
        if (Makes && Info.IsSystem && O.Object != None)
          Work.push_back({O.Object, Of});
      }
  }
}

/// Marks the arguments of callers as keys if the parameter is a key.
void Relevance::Keys::notePassed() {
  while (!NewParams.empty()) {
    auto [Callee, Param, Part] = NewParams.back();
    NewParams.pop_back();
    for (FunctionId F : R.callersOf(Callee)) {
      const FlowGraph *G = R.Table.graph(F);
      if (!G)
        continue;
      for (const Block &B : G->Blocks)
        for (const Op &O : B.Ops)
          if (O.Kind == OpKind::Call && O.Callee != None &&
              Param < O.Args.size() &&
              (O.Callee == Callee ||
               (O.How == Dispatch::Virtual &&
                llvm::is_contained(R.Table.info(O.Callee).Overrides, Callee))))
            take(F, O.Args[Param].Value, Part);
    }
  }
}

/// Marks each member and global as a key if \p Id in \p F names it, directly or
/// through accessors.
void Relevance::Keys::noteNamed(FunctionId F, ExprId Id) {
  if (Id == None || !Named.insert({F, Id}).second)
    return;
  const FlowGraph &G = *R.Table.graph(F);
  const Expr &E = G.Exprs[Id];
  if (E.Kind == ExprKind::Field || E.Kind == ExprKind::Global)
    R.Writes[E.S].IsKey = true;
  if (E.Kind == ExprKind::Result)
    noteAccessor(G, E.N);
  for (ExprId Part : {E.A, E.B, E.C})
    noteNamed(F, Part);
}

/// True for a member or a global.
static bool isState(const Expr &E) {
  return E.Kind == ExprKind::Field || E.Kind == ExprKind::Global;
}

/// Finds the members and globals that functions set to the contents of others.
void Relevance::Keys::noteCopies() {
  for (FunctionId F : R.Scanned) {
    const FlowGraph &G = *R.Table.graph(F);
    for (const Block &B : G.Blocks)
      for (const Op &O : B.Ops) {
        if (O.Kind != OpKind::Assign || O.Value == None ||
            G.Exprs[O.Value].Kind != ExprKind::Load)
          continue;
        const Expr &From = G.Exprs[G.Exprs[O.Value].A], &To = G.Exprs[O.Place];
        if (isState(From) && isState(To))
          Copies.insert({From.S, To.S});
      }
  }
}

/// Marks the state that a condition of \p G compares with a copy of it: the
/// operands \p A and \p B, or the objects of which they are the same member.
void Relevance::Keys::noteCompared(const FlowGraph &G, ExprId A, ExprId B) {
  llvm::SmallVector<llvm::StringRef, 4> Members;
  auto IsLoad = [&](ExprId Id) { return G.Exprs[Id].Kind == ExprKind::Load; };
  if (A == None || B == None || !IsLoad(A) || !IsLoad(B))
    return;
  A = G.Exprs[A].A, B = G.Exprs[B].A;
  while (isState(G.Exprs[A]) && isState(G.Exprs[B])) {
    const Expr &X = G.Exprs[A], &Y = G.Exprs[B];
    for (auto [From, To] : {std::pair(&X, &Y), std::pair(&Y, &X)})
      if (Copies.count({From->S, To->S})) {
        Members.push_back(From->S);
        for (llvm::StringRef Name : Members)
          R.Writes[Name].IsCompared = true;
        return;
      }
    if (X.Kind != ExprKind::Field || Y.Kind != ExprKind::Field || X.S != Y.S)
      return;
    Members.push_back(X.S);
    A = X.A, B = Y.A;
  }
}

/// Marks each operand as a key if the condition \p Id in \p F compares it or
/// tests it as a flag.
void Relevance::Keys::noteTested(FunctionId F, ExprId Id) {
  if (Id == None || !Tested.insert({F, Id}).second)
    return;
  const FlowGraph &G = *R.Table.graph(F);
  const Expr &E = G.Exprs[Id];
  // A local flag contains the result of a test.
  if (E.Kind == ExprKind::Load && G.Exprs[E.A].Kind == ExprKind::Var &&
      G.Exprs[E.A].N >= G.NumParams && Flags++ < MaxFlags)
    for (const Block &B : G.Blocks)
      for (const Op &O : B.Ops)
        if (O.Kind == OpKind::Assign && O.Place == E.A)
          noteTested(F, O.Value);
  if (E.Kind == ExprKind::Op &&
      (E.S == "!" || E.S == "bool" || E.S == "&&" || E.S == "||")) {
    noteTested(F, E.A);
    noteTested(F, E.B);
  } else if (E.Kind != ExprKind::Op || E.S == "==" || E.S == "!=") {
    if (E.Kind == ExprKind::Op && isOfRange(G, E.A))
      return;
    noteNamed(F, Id);
    if (E.Kind == ExprKind::Op)
      noteCompared(G, E.A, E.B);
    // A flag that the caller passes.
    if (E.Kind == ExprKind::Load && G.Exprs[E.A].Kind == ExprKind::Var &&
        G.Exprs[E.A].N < G.NumParams)
      take(F, Id);
    // Values that are compared with the earlier contents.
    if (E.Kind == ExprKind::Op && G.Exprs[E.A].Kind != ExprKind::Int &&
        G.Exprs[E.B].Kind != ExprKind::Int)
      take(F, Id);
  }
}

/// True if a path that begins no capture leads to block \p At of \p G, and one
/// of its branches leads to a call that begins one, or that updates or drops a
/// graph. Blocks are numbered in reverse post-order; paths that repeat a loop
/// do not count.
bool Relevance::Keys::isBetween(const FlowGraph &G, unsigned At) const {
  auto Calls = [&](unsigned B, auto Is) {
    return llvm::any_of(G.Blocks[B].Ops, [&](const Op &O) {
      return O.Kind == OpKind::Call && O.Callee != None && Is(O);
    });
  };
  auto BeginsOne = [&](const Op &O) { return R.begins(O); };
  auto Replaces = [&](const Op &O) {
    return R.begins(O) || R.bits(O.Callee) & Drops;
  };
  if (G.Blocks[At].Succs.size() < 2 || Calls(At, BeginsOne))
    return false;
  llvm::BitVector Before(G.Blocks.size()), After(G.Blocks.size());
  Before.set(0);
  After.set(At);
  bool Leads = false;
  for (unsigned B = 0; B < G.Blocks.size(); ++B) {
    Leads |= B != At && After.test(B) && Calls(B, Replaces);
    const bool Passes = Before.test(B) && !Calls(B, BeginsOne);
    for (const Edge &E : G.Blocks[B].Succs) {
      if (E.To <= B)
        continue;
      if (Passes)
        Before.set(E.To);
      if (After.test(B))
        After.set(E.To);
    }
  }
  return Leads && Before.test(At);
}

/// Marks the members and globals that \p F tests before it begins a capture:
/// each is a key of the graph, or a record of whether there is one.
void Relevance::Keys::noteAsked(FunctionId F) {
  const FlowGraph &G = *R.Table.graph(F);
  Flags = 0;
  // An element that is looked up before the capture, with any index.
  auto Indexed = [&](auto &&Self, ExprId Id) -> void {
    if (Id == None)
      return;
    const Expr &E = G.Exprs[Id];
    if (E.Kind == ExprKind::Elem)
      take(F, E.B);
    for (ExprId Part : {E.A, E.B, E.C})
      Self(Self, Part);
  };
  // A condition after the begin call does not determine a graph, unless it is
  // an alternative, as in `if (!exec) record(); else if (n != old) update();`.
  bool Begun = false, Passed = false;
  for (unsigned I = 0; I < G.Blocks.size(); ++I) {
    const Block &B = G.Blocks[I];
    Passed |= std::exchange(Begun, false);
    if (Passed && !isBetween(G, I))
      continue;
    for (const Op &O : B.Ops) {
      if (O.Kind == OpKind::Assign) {
        Indexed(Indexed, O.Place);
        Indexed(Indexed, O.Value);
      }
      if (O.Kind != OpKind::Call || O.Callee == None)
        continue;
      Begun |= R.begins(O);
      const FunctionInfo &Info = R.Table.info(O.Callee);
      if (Begun)
        break;
      if (isComparison(Info.Name) &&
          (isOfRange(G, O.Object) ||
           (!O.Args.empty() && isOfRange(G, O.Args[0].Value))))
        continue;
      bool Compares = Info.IsSystem || isComparison(Info.Name);
      if (!R.entryFor(O.Callee) && !(R.bits(O.Callee) & (Works | Opens)) &&
          O.ResultIndex != None)
        for (const CallArg &A : O.Args)
          for (unsigned Var : variablesIn(G, A.Value)) {
            KeyKind &Known = R.KeyVars[{F, Var}];
            Known = std::max(Known, KeyKind::Perhaps);
          }
      if (fills(R, O))
        continue;
      if ((Info.IsSystem && O.Object != None && !Info.IsConstructor) ||
          (Info.ReturnsFlag && !R.entryFor(O.Callee) &&
           !(R.bits(O.Callee) & (Works | Opens))))
        for (const CallArg &A : O.Args)
          Compares ? take(F, A.Value) : noteNamed(F, A.Value);
      if (isComparison(Info.Name) && O.Object != None)
        take(F, O.Object);
    }
    if (Begun)
      continue;
    if (!onlyComputes(G, B) && !skipsLaunch(G, B) && !onlyPrepares(F, B))
      noteTested(F, B.Cond);
  }
  noteIndexes(F);
  noteTables(F);
}

} // namespace cudagraph
