//===- CaptureRecords.cpp - The program's records of captures -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Members and globals that record captures: flags, counts, and lists that
// change when a capture begins and are restored when it ends. This file also
// finds functions that drop a graph through the record of its existence.
//
//===----------------------------------------------------------------------===//

#include "Relevance.h"
#include "analysis/ir/OptionalFlag.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <set>

namespace cudagraph {

using catalogue::Effect;

class Relevance::Bookkeeping {
public:
  explicit Bookkeeping(Relevance &R) : R(R) {}

  void run() {
    noteDrops();
    noteRecords();
  }

private:
  void noteDrops();
  void noteRecords();
  std::string howItChanges(const FlowGraph &G, const Op &O) const;

  Relevance &R;
};

void Relevance::scanBookkeeping() { Bookkeeping(*this).run(); }

/// The name for the change that \p O makes.
std::string Relevance::Bookkeeping::howItChanges(const FlowGraph &G,
                                                 const Op &O) const {
  if (O.Kind == OpKind::Call)
    return R.Table.info(O.Callee).Name;
  const Expr &Value = G.Exprs[O.Value];
  if (O.Kind == OpKind::Modify)
    return Value.S;
  return Value.Kind == ExprKind::Int ? std::to_string(Value.N) : "=";
}

/// Records the changes of functions that begin captures, and of functions that
/// end them: flags, counts, and lists of captures.
void Relevance::Bookkeeping::noteRecords() {
  enum : uint8_t { AtBegin = 1, AtEnd = 2 };
  llvm::StringMap<uint8_t> Changed;
  for (FunctionId F : R.Scanned) {
    uint16_t Both = R.bits(F) & (Begins | Ends);
    if (!Both)
      continue;
    const FlowGraph &G = *R.Table.graph(F);
    // For a function that does both: changes before the end are undone.
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
          // A call without a result changes the object.
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

/// The member or global that is set at \p Place of \p G: for the flag of an
/// optional, the optional.
static const std::string *recordIn(const FlowGraph &G, ExprId Place) {
  const Expr &E = G.Exprs[Place];
  bool Engaged = E.Kind == ExprKind::Field && E.S == EngagedFlag;
  return writeKey(G, Engaged ? E.A : Place);
}

/// Finds code that resets the record of a graph: it drops the graph.
void Relevance::Bookkeeping::noteDrops() {
  for (FunctionId F : R.Scanned) {
    if (R.Table.info(F).IsConstructor || R.bits(F) & Begins)
      continue;
    const FlowGraph &G = *R.Table.graph(F);
    // The end of a whole object concerns no other object.
    bool Ends = R.Table.info(F).IsDestructor, NewKey = false;
    bool Sentence = llvm::any_of(G.Blocks, [&](const Block &B) {
      return llvm::any_of(B.Ops, [&](const Op &O) {
        // An owner or an optional is emptied.
        bool Empties =
            O.Kind == OpKind::Assign && G.Exprs[O.Value].Kind == ExprKind::Int;
        bool Sets = (O.Kind == OpKind::Assign && O.ConstValue) || Empties ||
                    O.Kind == OpKind::Modify; // a generation
        const std::string *Key = Sets ? recordIn(G, O.Place) : nullptr;
        if (O.Kind == OpKind::Assign && !O.ConstValue && !Empties)
          if (const std::string *Name = writeKey(G, O.Place))
            if (const WriteSummary *W = R.writes(*Name))
              NewKey |= W->IsKey;
        // A table of graphs is emptied.
        if (O.Kind == OpKind::Call && O.Callee != None && O.Object != None) {
          if (!Ends && R.Table.info(O.Callee).IsDestructor &&
              R.bits(O.Callee) & Drops && writeKey(G, O.Object))
            return true;
          if (const catalogue::Entry *E = R.entryFor(O.Callee);
              E && E->Does == Effect::HostMutate && !E->arg("adds"))
            Key = writeKey(G, O.Object);
        }
        const WriteSummary *W = Key ? R.writes(*Key) : nullptr;
        return W && W->IsKey;
      });
    });
    if (NewKey)
      R.Of[F] |= SetsKey;
    if (!Sentence)
      continue;
    R.Of[F] |= Drops | SetsRecord;
    for (FunctionId Caller : R.Callers[F])
      R.Of[Caller] |= Drops | (R.bits(Caller) & Begins ? 0 : SetsRecord);
  }
}

} // namespace cudagraph
