//===- CaptureKeys.cpp - State that says whether there is a graph ---------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Members and globals that decide about captures: what a function asks for
// before it begins one, what it sets when it gives a graph up, and where the
// program records what captures.
//
//===----------------------------------------------------------------------===//

#include "Relevance.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <set>

namespace cudagraph {

using catalogue::Effect;

/// Blocks of a function that counts as an accessor.
static constexpr unsigned MaxAccessor = 6;

class Relevance::Keys {
public:
  explicit Keys(Relevance &R) : R(R) {}

  void run() {
    for (FunctionId F : R.Scanned)
      if (R.bits(F) & Begins)
        noteAsked(F);
    notePassed();
    noteDrops();
    noteRecords();
  }

private:
  void noteAsked(FunctionId F);
  void noteIndexes(FunctionId F);
  void notePassed();
  void take(FunctionId F, ExprId Id);
  void noteAccessor(const FlowGraph &G, int64_t Index, unsigned Depth = 0);
  void noteDrops();
  void noteRecords();
  std::string howItChanges(const FlowGraph &G, const Op &O) const;

  Relevance &R;
  /// Parameters that are keys, or that keys are made from, by function; those
  /// of which the callers have not been looked at.
  std::set<std::pair<FunctionId, unsigned>> KeyParams;
  std::vector<std::pair<FunctionId, unsigned>> NewParams;
};

void Relevance::scanKeys() { Keys(*this).run(); }

/// The members and globals that the call \p Index of \p G returns are keys, if
/// it is one of an accessor; \p Depth: how many accessors ask it.
void Relevance::Keys::noteAccessor(const FlowGraph &G, int64_t Index,
                                   unsigned Depth) {
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops) {
      if (O.Kind != OpKind::Call || O.ResultIndex != Index || O.Callee == None)
        continue;
      const FlowGraph *Body = R.Table.graph(O.Callee);
      // One that sets something answers another question each time.
      size_t Most = R.bits(O.Callee) & Defines ? 4 : MaxAccessor;
      if (!Body || Body->Blocks.size() > Most ||
          R.bits(O.Callee) & (Works | Opens))
        return;
      for (const Expr &E : Body->Exprs) {
        if (E.Kind == ExprKind::Field || E.Kind == ExprKind::Global)
          R.Writes[E.S].IsKey = true;
        if (E.Kind == ExprKind::Result && Depth < 2)
          noteAccessor(*Body, E.N, Depth + 1);
      }
      return;
    }
}

/// The variable or temporary that the place \p Id of \p G is, or is a part of;
/// None if it is neither.
static ExprId baseOf(const FlowGraph &G, ExprId Id) {
  while (Id != None && (G.Exprs[Id].Kind == ExprKind::Field ||
                        G.Exprs[Id].Kind == ExprKind::Elem))
    Id = G.Exprs[Id].A;
  bool Named = Id != None && (G.Exprs[Id].Kind == ExprKind::Var ||
                              G.Exprs[Id].Kind == ExprKind::Temp);
  return Named ? Id : None;
}

/// What \p Id, in \p F, is made from is a key: members and globals, what local
/// objects were made from, and what functions that make keys were given.
void Relevance::Keys::take(FunctionId F, ExprId Key) {
  const FlowGraph &G = *R.Table.graph(F);
  llvm::SmallVector<ExprId, 16> Work{Key};
  llvm::DenseSet<ExprId> Seen;
  auto Push = [&](const Op &O) {
    for (const CallArg &A : O.Args)
      Work.push_back(A.Value);
  };
  while (!Work.empty() && Seen.size() < 256) {
    ExprId Id = Work.pop_back_val();
    if (Id == None || !Seen.insert(Id).second)
      continue;
    const Expr &E = G.Exprs[Id];
    Work.append({E.A, E.B, E.C});
    if (E.Kind == ExprKind::Field || E.Kind == ExprKind::Global)
      R.Writes[E.S].IsKey = true;
    if (E.Kind == ExprKind::Var && E.N < G.NumParams &&
        KeyParams.insert({F, static_cast<unsigned>(E.N)}).second)
      NewParams.push_back({F, static_cast<unsigned>(E.N)});
    if (E.Kind == ExprKind::Result)
      noteAccessor(G, E.N);
    bool Local = E.Kind == ExprKind::Var || E.Kind == ExprKind::Temp;
    for (const Block &B : G.Blocks)
      for (const Op &O : B.Ops) {
        if (Local && (O.Kind == OpKind::Assign || O.Kind == OpKind::Modify) &&
            baseOf(G, O.Place) == Id) {
          Work.push_back(O.Value);
          if (G.Exprs[O.Place].Kind == ExprKind::Field)
            R.Writes[G.Exprs[O.Place].S].IsKey = true;
        }
        if (O.Kind != OpKind::Call || O.Callee == None ||
            R.entryFor(O.Callee) || R.bits(O.Callee) & (Works | Opens))
          continue;
        // A call that makes it, and one of a library that adds to it.
        bool Makes = E.Kind == ExprKind::Result && O.ResultIndex == E.N;
        const FunctionInfo &Info = R.Table.info(O.Callee);
        if (Makes || (Local && O.Object != None && baseOf(G, O.Object) == Id &&
                      (Info.IsConstructor || Info.IsSystem)))
          Push(O);
        if (Makes && Info.IsSystem && O.Object != None)
          Work.push_back(O.Object);
      }
  }
}

/// Where a parameter is a key, what callers pass is one.
void Relevance::Keys::notePassed() {
  while (!NewParams.empty()) {
    auto [Callee, Param] = NewParams.back();
    NewParams.pop_back();
    for (FunctionId F : R.callersOf(Callee)) {
      const FlowGraph *G = R.Table.graph(F);
      if (!G)
        continue;
      for (const Block &B : G->Blocks)
        for (const Op &O : B.Ops)
          if (O.Kind == OpKind::Call && O.Callee == Callee &&
              Param < O.Args.size())
            take(F, O.Args[Param].Value);
    }
  }
}

/// True for operators that compare a key with that of a graph.
static bool isComparison(llvm::StringRef Name) {
  return Name.ends_with("==") || Name.ends_with("!=");
}

/// True if \p Id, of \p G, is an iterator of a range-based `for`: its
/// comparison says what is there, not what was there before.
static bool isOfRange(const FlowGraph &G, ExprId Id) {
  if (Id == None)
    return false;
  const Expr &E = G.Exprs[Id];
  if (E.Kind == ExprKind::Load || E.Kind == ExprKind::AddrOf)
    return isOfRange(G, E.A);
  return E.Kind == ExprKind::Var && static_cast<size_t>(E.N) < G.Vars.size() &&
         llvm::StringRef(G.Vars[E.N].Name).starts_with("__begin");
}

/// Members and globals that a function asks for before it begins a capture:
/// what is a key of the graph, or says whether there is one.
void Relevance::Keys::noteAsked(FunctionId F) {
  const FlowGraph &G = *R.Table.graph(F);
  llvm::DenseSet<ExprId> Seen;
  auto All = [&](auto &&Self, ExprId Id) -> void {
    if (Id == None || !Seen.insert(Id).second)
      return;
    const Expr &E = G.Exprs[Id];
    if (E.Kind == ExprKind::Field || E.Kind == ExprKind::Global)
      R.Writes[E.S].IsKey = true;
    if (E.Kind == ExprKind::Result)
      noteAccessor(G, E.N);
    for (ExprId Part : {E.A, E.B, E.C})
      Self(Self, Part);
  };
  auto Tested = [&](auto &&Self, ExprId Id) -> void {
    if (Id == None)
      return;
    const Expr &E = G.Exprs[Id];
    if (E.Kind == ExprKind::Op &&
        (E.S == "!" || E.S == "bool" || E.S == "&&" || E.S == "||")) {
      Self(Self, E.A);
      Self(Self, E.B);
    } else if (E.Kind != ExprKind::Op || E.S == "==" || E.S == "!=") {
      if (E.Kind == ExprKind::Op && isOfRange(G, E.A))
        return;
      All(All, Id);
      // What is compared with what was there before.
      if (E.Kind == ExprKind::Op && G.Exprs[E.A].Kind != ExprKind::Int &&
          G.Exprs[E.B].Kind != ExprKind::Int)
        take(F, Id);
    }
  };
  // An element that is looked up before, by whatever index.
  auto Indexed = [&](auto &&Self, ExprId Id) -> void {
    if (Id == None)
      return;
    const Expr &E = G.Exprs[Id];
    if (E.Kind == ExprKind::Elem)
      take(F, E.B);
    for (ExprId Part : {E.A, E.B, E.C})
      Self(Self, Part);
  };
  // What is asked after the begin decides about no graph.
  bool Begun = false;
  for (const Block &B : G.Blocks) {
    for (const Op &O : B.Ops) {
      if (O.Kind == OpKind::Assign) {
        Indexed(Indexed, O.Place);
        Indexed(Indexed, O.Value);
      }
      if (O.Kind != OpKind::Call || O.Callee == None)
        continue;
      const catalogue::Entry *Begin = R.entryFor(O.Callee);
      Begun |= Begin ? Begin->Does == Effect::CaptureBegin
                     : R.Table.graph(O.Callee) && (R.bits(O.Callee) & Begins);
      const FunctionInfo &Info = R.Table.info(O.Callee);
      if (Begun)
        break;
      if (isComparison(Info.Name) &&
          (isOfRange(G, O.Object) ||
           (!O.Args.empty() && isOfRange(G, O.Args[0].Value))))
        continue;
      bool Compares = Info.IsSystem || isComparison(Info.Name);
      if ((Info.IsSystem && O.Object != None && !Info.IsConstructor) ||
          (Info.ReturnsFlag && !R.entryFor(O.Callee) &&
           !(R.bits(O.Callee) & (Works | Opens))))
        for (const CallArg &A : O.Args)
          Compares ? take(F, A.Value) : All(All, A.Value);
      if (isComparison(Info.Name) && O.Object != None)
        take(F, O.Object);
    }
    if (Begun)
      break;
    Tested(Tested, B.Cond);
  }
  noteIndexes(F);
}

/// The indexes of elements are keys: there may be a graph for each. Not those
/// of elements that captured work is given.
void Relevance::Keys::noteIndexes(FunctionId F) {
  const FlowGraph &G = *R.Table.graph(F);
  llvm::DenseSet<ExprId> Seen;
  auto Visit = [&](auto &&Self, ExprId Id, bool InIndex) -> void {
    if (Id == None || (!InIndex && !Seen.insert(Id).second))
      return;
    const Expr &E = G.Exprs[Id];
    if (InIndex && (E.Kind == ExprKind::Field || E.Kind == ExprKind::Global))
      R.Writes[E.S].IsKey = true;
    if (InIndex && E.Kind == ExprKind::Result)
      noteAccessor(G, E.N);
    Self(Self, E.A, InIndex);
    Self(Self, E.B, InIndex || E.Kind == ExprKind::Elem);
    Self(Self, E.C, InIndex);
  };
  bool Begun = false;
  for (const Block &B : G.Blocks) {
    for (const Op &O : B.Ops) {
      bool Called = O.Kind == OpKind::Call && O.Callee != None;
      const catalogue::Entry *E = Called ? R.entryFor(O.Callee) : nullptr;
      bool Works =
          O.Kind == OpKind::Call &&
          (O.How == Dispatch::Kernel ||
           (E ? becomesNode(E->Does)
              : Called && (R.bits(O.Callee) & (Relevance::Works | Opens)) ==
                              Relevance::Works));
      Visit(Visit, O.Place, false);
      if (!Begun || (O.Kind != OpKind::Assign && O.Kind != OpKind::Modify))
        Visit(Visit, O.Value, false);
      if (!Begun || !Works) {
        Visit(Visit, O.Object, false);
        for (const CallArg &A : O.Args)
          Visit(Visit, A.Value, false);
      }
      Begun |=
          E ? E->Does == Effect::CaptureBegin
            : Called && R.Table.graph(O.Callee) && (R.bits(O.Callee) & Begins);
    }
    if (!Begun)
      Visit(Visit, B.Cond, false);
  }
}

/// What \p O does to the place that it changes, in a word.
std::string Relevance::Keys::howItChanges(const FlowGraph &G,
                                          const Op &O) const {
  if (O.Kind == OpKind::Call)
    return R.Table.info(O.Callee).Name;
  const Expr &Value = G.Exprs[O.Value];
  if (O.Kind == OpKind::Modify)
    return Value.S;
  return Value.Kind == ExprKind::Int ? std::to_string(Value.N) : "=";
}

/// What functions change that begin captures, and functions that end them:
/// flags, counts and lists of what captures.
void Relevance::Keys::noteRecords() {
  enum : uint8_t { AtBegin = 1, AtEnd = 2 };
  llvm::StringMap<uint8_t> Changed;
  for (FunctionId F : R.Scanned) {
    uint16_t Both = R.bits(F) & (Begins | Ends);
    if (!Both)
      continue;
    const FlowGraph &G = *R.Table.graph(F);
    // Of a function that does both: what it does before the end, it undoes.
    bool Ended = false;
    std::map<std::string, std::set<std::string>> Before;
    for (const Block &B : G.Blocks)
      for (const Op &O : B.Ops) {
        const std::string *Key = nullptr;
        if (O.Kind == OpKind::Assign || O.Kind == OpKind::Modify) {
          Key = writeKey(G, O.Place);
        } else if (O.Kind == OpKind::Call && O.Object != None &&
                   O.Callee != None) {
          const catalogue::Entry *E = R.entryFor(O.Callee);
          const FunctionInfo &Info = R.Table.info(O.Callee);
          // What is called for no result changes the object.
          if (E ? E->Does == Effect::HostMutate
                : Info.IsSystem && !Info.IsConstructor && !Info.IsDestructor &&
                      (O.Discarded ||
                       llvm::StringRef(Info.Name).ends_with("::operator=")))
            Key = writeKey(G, O.Object);
        }
        if (O.Kind == OpKind::Call && O.Callee != None) {
          const catalogue::Entry *E = R.entryFor(O.Callee);
          Ended |= E ? E->Does == Effect::CaptureEnd
                     : (R.bits(O.Callee) & (Begins | Ends)) == Ends;
        }
        if (!Key || isSynthetic(*Key))
          continue;
        if (Both != (Begins | Ends))
          Changed[*Key] |= Both == Begins ? AtBegin : AtEnd;
        else if (!Ended)
          Before[*Key].insert(howItChanges(G, O));
        else if (auto It = Before.find(*Key);
                 It != Before.end() && !It->second.count(howItChanges(G, O)))
          Changed[*Key] |= AtBegin | AtEnd;
      }
  }
  for (const auto &Each : Changed)
    if (Each.getValue() == (AtBegin | AtEnd)) {
      R.Writes[Each.getKey()].IsRecord = true;
      if (auto It = R.NameIds.find(Each.getKey()); It != R.NameIds.end())
        R.Records.set(It->second);
    }
}

/// Who gives up what says whether there is a graph drops the graph.
void Relevance::Keys::noteDrops() {
  for (FunctionId F : R.Scanned) {
    if (R.Table.info(F).IsConstructor || R.bits(F) & Begins)
      continue;
    const FlowGraph &G = *R.Table.graph(F);
    bool Says = llvm::any_of(G.Blocks, [&](const Block &B) {
      return llvm::any_of(B.Ops, [&](const Op &O) {
        bool Sets = (O.Kind == OpKind::Assign && O.ConstValue) ||
                    O.Kind == OpKind::Modify; // a generation
        const std::string *Key = Sets ? writeKey(G, O.Place) : nullptr;
        const WriteSummary *W = Key ? R.writes(*Key) : nullptr;
        return W && W->IsKey;
      });
    });
    if (!Says)
      continue;
    R.Of[F] |= Drops | Tells;
    for (FunctionId Caller : R.Callers[F])
      R.Of[Caller] |= Drops | (R.bits(Caller) & Begins ? 0 : Tells);
  }
}

} // namespace cudagraph
