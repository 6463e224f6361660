//===- RelevanceState.cpp - What happens to state between replays ---------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of each member and global: who sets it, who frees and replaces what it points
// to, where the device writes it, and whether functions that capture ask for it
// first. And of each function: whether graphs go on unchanged when it has run.
//
//===----------------------------------------------------------------------===//

#include "Relevance.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <set>

namespace cudagraph {

using catalogue::Effect;

/// The name under which writes to \p Place are gathered: the last member, or
/// the global itself.
const std::string *writeKey(const FlowGraph &G, ExprId Place) {
  const Expr &E = G.Exprs[Place];
  if (E.Kind == ExprKind::Field || E.Kind == ExprKind::Global)
    return &E.S;
  if (E.Kind == ExprKind::Elem)
    return writeKey(G, E.A);
  return nullptr;
}

bool Relevance::isConstruction(FunctionId F) const {
  const FunctionInfo &Info = Table.info(F);
  return Info.IsConstructor || Info.IsDestructor ||
         rolesOf(F).has(catalogue::Role::Construction);
}

bool Relevance::keepsGraphs(FunctionId F) const {
  if (isConstruction(F) || bits(F) & (Begins | Drops))
    return false;
  const std::vector<FunctionId> &All = callersOf(F);
  return All.empty() || llvm::any_of(All, [&](FunctionId C) {
           return !isConstruction(C) && !(bits(C) & Drops);
         });
}

/// The member or global that \p E, an argument, is the address of; Through: or
/// that holds the address.
const std::string *namedBy(const FlowGraph &G, ExprId E, bool &Through) {
  const Expr &X = G.Exprs[E];
  Through = X.Kind == ExprKind::Load;
  if (X.Kind == ExprKind::Load)
    return writeKey(G, X.A);
  if (X.Kind != ExprKind::AddrOf)
    return nullptr;
  if (G.Exprs[X.A].Kind == ExprKind::PtrElem) {
    bool Inner = false;
    const std::string *Key = namedBy(G, G.Exprs[X.A].A, Inner);
    Through = true;
    return Key;
  }
  return writeKey(G, X.A);
}

/// What a call does to the memory that members and globals hold.
void Relevance::noteChange(FunctionId F, const FlowGraph &G, const Op &O) {
  bool Through = false;
  if (O.Object != None && O.Callee != None)
    if (const std::string *Key = writeKey(G, O.Object)) {
      Writes[*Key].Calls.push_back({F, O.Callee, O.Range});
    }
  const catalogue::Entry *E = O.Callee == None ? nullptr : entryFor(O.Callee);
  if (!E)
    return;
  auto Arg = [&](const char *Role) -> ExprId {
    std::optional<int> I = E->arg(Role, O.Args.size());
    if (I && *I < 0)
      return O.Object;
    return I && static_cast<size_t>(*I) < O.Args.size() ? O.Args[*I].Value
                                                        : None;
  };
  // An address for the device of memory that the host sees, too.
  if (ExprId Of = Arg("ptr");
      Of != None && E->Does == Effect::Neutral && Arg("out") != None)
    if (const std::string *Key = namedBy(G, Of, Through); Key && Through)
      Writes[*Key].DeviceTarget = {F, O.Range};
  if (ExprId Out = Arg("shared"); Out != None)
    if (const std::string *Key = namedBy(G, Out, Through); Key && !Through)
      Writes[*Key].DeviceTarget = {F, O.Range};
  if (E->Does == Effect::CopyAsync || E->Does == Effect::CopySync) {
    ExprId Kind = Arg("kind"), Dst = Arg("dst");
    bool ToHost =
        E->Direction == "d2h" ||
        (Kind != None && G.Exprs[Kind].Kind == ExprKind::Int &&
         Catalogue.isValue(catalogue::Role::CopiesToHost, G.Exprs[Kind].N));
    if (ToHost && Dst != None)
      if (const std::string *Key = namedBy(G, Dst, Through)) {
        WriteSummary &W = Writes[*Key];
        (Through ? W.DeviceTarget : W.DeviceCopy) = {F, O.Range};
      }
  }
  if (ExprId Kind = Arg("kind"); Kind != None &&
                                 E->Does == Effect::LibraryHandle &&
                                 G.Exprs[Kind].Kind == ExprKind::Int)
    if (const std::string *Key = namedBy(G, Arg("out"), Through);
        Key && !Through)
      Writes[*Key].Generator = G.Exprs[Kind].N;
  ExprId Container = Arg("storage");
  const std::string *Key = Container == None ? nullptr : writeKey(G, Container);
  if (Key && Arg("room") != None)
    Writes[*Key].Reservers.push_back(F);
  else if (Key)
    Writes[*Key].Growers.push_back({F, O.Range,
                                    !E->has(catalogue::Trait::Replaces),
                                    E->has(catalogue::Trait::Replaces)});
}

/// What is added to a container for which room was made, by the same function
/// or at its construction, stays where it is.
void Relevance::scanRoom() {
  for (auto &Each : Writes) {
    WriteSummary &W = Each.second;
    bool Always = llvm::any_of(W.Reservers,
                               [&](FunctionId F) { return isConstruction(F); });
    for (WriteSummary::Change &C : W.Growers)
      C.Stays =
          C.Elsewhere && (Always || llvm::is_contained(W.Reservers, C.In));
  }
}

/// The members and globals that the call \p Index of \p G returns are keys, if
/// it is one of an accessor.
void Relevance::scanAccessor(const FlowGraph &G, int64_t Index) {
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops) {
      if (O.Kind != OpKind::Call || O.ResultIndex != Index || O.Callee == None)
        continue;
      const FlowGraph *Body = Table.graph(O.Callee);
      if (!Body || Body->Blocks.size() > 4 || bits(O.Callee) & (Works | Opens))
        return;
      for (const Expr &E : Body->Exprs)
        if (E.Kind == ExprKind::Field || E.Kind == ExprKind::Global)
          Writes[E.S].IsKey = true;
      return;
    }
}

/// Members and globals that a function asks for before it begins a capture:
/// what is a key of the graph, or says whether there is one.
void Relevance::scanKeys(FunctionId F) {
  const FlowGraph &G = *Table.graph(F);
  llvm::DenseSet<ExprId> Seen;
  auto All = [&](auto &&Self, ExprId Id) -> void {
    if (Id == None || !Seen.insert(Id).second)
      return;
    const Expr &E = G.Exprs[Id];
    if (E.Kind == ExprKind::Field || E.Kind == ExprKind::Global)
      Writes[E.S].IsKey = true;
    if (E.Kind == ExprKind::Result)
      scanAccessor(G, E.N);
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
      All(All, Id);
    }
  };
  // What is asked after the begin decides about no graph.
  bool Begun = false;
  for (const Block &B : G.Blocks) {
    for (const Op &O : B.Ops) {
      if (O.Kind != OpKind::Call || O.Callee == None)
        continue;
      const catalogue::Entry *Begin = entryFor(O.Callee);
      Begun |= Begin ? Begin->Does == Effect::CaptureBegin
                     : Table.graph(O.Callee) && (bits(O.Callee) & Begins);
      const FunctionInfo &Info = Table.info(O.Callee);
      if (Begun)
        break;
      if ((Info.IsSystem && O.Object != None && !Info.IsConstructor) ||
          (Info.ReturnsFlag && !entryFor(O.Callee) &&
           !(bits(O.Callee) & (Works | Opens))))
        for (const CallArg &A : O.Args)
          All(All, A.Value);
    }
    if (Begun)
      break;
    Tested(Tested, B.Cond);
  }
  for (const Expr &E : G.Exprs)
    if (E.Kind == ExprKind::Elem)
      All(All, E.B);
}

/// What \p O does to the place that it changes, in a word.
std::string Relevance::howItChanges(const FlowGraph &G, const Op &O) const {
  if (O.Kind == OpKind::Call)
    return Table.info(O.Callee).Name;
  const Expr &Value = G.Exprs[O.Value];
  if (O.Kind == OpKind::Modify)
    return Value.S;
  return Value.Kind == ExprKind::Int ? std::to_string(Value.N) : "=";
}

/// What functions change that begin captures, and functions that end them:
/// flags, counts and lists of what captures.
void Relevance::scanRecords() {
  enum : uint8_t { AtBegin = 1, AtEnd = 2 };
  llvm::StringMap<uint8_t> Changed;
  for (FunctionId F : Scanned) {
    uint16_t Both = bits(F) & (Begins | Ends);
    if (!Both)
      continue;
    const FlowGraph &G = *Table.graph(F);
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
          const catalogue::Entry *E = entryFor(O.Callee);
          const FunctionInfo &Info = Table.info(O.Callee);
          // What is called for no result changes the object.
          if (E ? E->Does == Effect::HostMutate
                : Info.IsSystem && !Info.IsConstructor && !Info.IsDestructor &&
                      (O.Discarded ||
                       llvm::StringRef(Info.Name).ends_with("::operator=")))
            Key = writeKey(G, O.Object);
        }
        if (O.Kind == OpKind::Call && O.Callee != None) {
          const catalogue::Entry *E = entryFor(O.Callee);
          Ended |= E ? E->Does == Effect::CaptureEnd
                     : (bits(O.Callee) & (Begins | Ends)) == Ends;
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
      Writes[Each.getKey()].IsRecord = true;
      if (auto It = NameIds.find(Each.getKey()); It != NameIds.end())
        Records.set(It->second);
    }
}

/// Who gives up what says whether there is a graph drops the graph.
void Relevance::scanDrops() {
  for (FunctionId F : Scanned) {
    if (Table.info(F).IsConstructor || bits(F) & Begins)
      continue;
    const FlowGraph &G = *Table.graph(F);
    bool Says = llvm::any_of(G.Blocks, [&](const Block &B) {
      return llvm::any_of(B.Ops, [&](const Op &O) {
        bool Sets = (O.Kind == OpKind::Assign && O.ConstValue) ||
                    O.Kind == OpKind::Modify; // a generation
        const std::string *Key = Sets ? writeKey(G, O.Place) : nullptr;
        const WriteSummary *W = Key ? writes(*Key) : nullptr;
        return W && W->IsKey;
      });
    });
    if (!Says)
      continue;
    Of[F] |= Drops | Tells;
    for (FunctionId Caller : Callers[F])
      Of[Caller] |= Drops | (bits(Caller) & Begins ? 0 : Tells);
  }
}

} // namespace cudagraph
