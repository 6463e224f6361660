//===- Relevance.cpp - Functions that are worth entering ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans each function once; then bits flow from callees to callers.
//
//===----------------------------------------------------------------------===//

#include "Relevance.h"
#include "Limits.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/xxhash.h"

namespace cudagraph {

using catalogue::Effect;

static uint64_t mix(uint64_t A, uint64_t B) {
  uint64_t Both[] = {A, B};
  return llvm::xxh3_64bits(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(Both), sizeof Both));
}

/// Hashes \p Parts, in any order.
static uint64_t hashOf(std::vector<uint64_t> &Parts) {
  llvm::sort(Parts);
  Parts.erase(llvm::unique(Parts), Parts.end());
  return llvm::xxh3_64bits(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(Parts.data()),
                     Parts.size() * sizeof(uint64_t)));
}

static const catalogue::Entry *lookUp(const FunctionInfo &F,
                                      const catalogue::Catalogue &C) {
  // The effect of `<<` depends on its operand, and that of `[]` on the index.
  const catalogue::Entry *E = nullptr;
  if (!F.LastParam.empty() &&
      (llvm::StringRef(F.Name).ends_with("operator<<") ||
       llvm::StringRef(F.Name).ends_with("operator[]")))
    E = C.lookup(F.Name + "(" + F.LastParam + ")");
  if (!E)
    E = C.lookup(F.Name);
  if (E && F.HasBody && !F.IsSystem && E->Reason.empty())
    return nullptr;
  return E;
}

const catalogue::Entry *Relevance::entryFor(FunctionId F) const {
  if (F >= Entries.size())
    Entries.resize(Table.size());
  if (!Entries[F])
    Entries[F] = lookUp(Table.info(F), Catalogue);
  return *Entries[F];
}

static std::string_view ownName(std::string_view Name) {
  return Name.substr(Name.rfind(':') + 1);
}

catalogue::RoleSet Relevance::rolesOf(FunctionId F) const {
  using namespace catalogue;
  if (F >= Roles.size())
    Roles.resize(Table.size());
  if (Roles[F])
    return *Roles[F];
  const FunctionInfo &Info = Table.info(F);
  std::string_view Own = ownName(Info.Name);
  RoleSet Result = Catalogue.roles(NameKind::Function, Info.Name);
  Result |= Catalogue.roles(NameKind::OwnName, Own);
  if (!Info.Class.empty())
    Result |= Catalogue.roles(NameKind::Type, Info.Class);
  if (Catalogue.is(Role::Construction, Own))
    Result.add(Role::Construction);
  return Roles[F].emplace(Result);
}

catalogue::RoleSet Relevance::rolesOf(const catalogue::Entry &E) const {
  using namespace catalogue;
  auto [It, New] = EntryRoles.try_emplace(&E);
  if (New) {
    It->second = Catalogue.roles(NameKind::Function, E.Name);
    It->second |= Catalogue.roles(NameKind::OwnName, ownName(E.Name));
  }
  return It->second;
}

const std::vector<FunctionId> &Relevance::callersOf(FunctionId F) const {
  static const std::vector<FunctionId> Empty;
  return F < Callers.size() ? Callers[F] : Empty;
}

bool Relevance::reachesMany(FunctionId F) const {
  auto [It, New] = Many.try_emplace(F, false);
  if (!New)
    return It->second;
  llvm::DenseSet<FunctionId> Seen{F};
  std::vector<FunctionId> Work{F};
  while (!Work.empty() && Seen.size() <= ManyCallees) {
    FunctionId Next = Work.back();
    Work.pop_back();
    if (Next < Callees.size())
      for (FunctionId C : Callees[Next])
        if (Table.hasGraph(C) && Seen.insert(C).second)
          Work.push_back(C);
  }
  return Many[F] = Seen.size() > ManyCallees;
}

uint64_t Relevance::hashOf(const WriteSummary &W) const {
  uint64_t Result = W.HandleMade << 6 | W.HandleGiven << 7 |
                    (W.HandleMade && AnyHandleGiven && W.HandleLeaves) << 8 |
                    W.CreatedBlocking | W.CreatedNonBlocking << 1 |
                    W.CreatedUnknown << 2 | W.Null << 3 | W.Other << 4 |
                    W.ReadModifyWrite << 5 | W.TakesTurns << 9 | W.Shown << 10;
  for (const std::string &Stream : W.HandleStreams)
    Result = mix(Result, llvm::xxh3_64bits(Stream));
  for (FunctionId C : W.Callables) // in the order of their targets
    Result = mix(Result, Table.stableId(C));
  Result =
      mix(Result, W.IsKey | W.Updated << 3 | W.DeviceCopy.has_value() << 1 |
                      W.DeviceTarget.has_value() << 2 | W.IsRecord << 4 |
                      W.SizeRecorded << 5);
  for (const auto *List : {&W.Setters, &W.Growers, &W.Parts})
    for (const WriteSummary::Change &C : *List)
      Result =
          mix(Result, Table.stableId(C.In) ^ llvm::xxh3_64bits(C.Part) ^
                          (keepsGraphs(C.In) | C.Stays << 1 | C.Pooled << 2));
  Result = mix(Result, W.Generator.value_or(0));
  for (const std::vector<FunctionId> *List : {&W.Readers, &W.Resets})
    for (FunctionId R : *List)
      Result = mix(Result, Table.stableId(R));
  // See Vetting: the tests on which these functions set it.
  for (FunctionId Setter : W.IsKey ? W.Writers : std::vector<FunctionId>())
    for (FunctionId Callee : calleesOf(Setter)) {
      Result += Table.stableId(Setter) ^ Table.stableId(Callee);
      for (FunctionId Next : calleesOf(Callee))
        Result += Table.stableId(Next);
    }
  for (const WriteSummary::Use &U : W.Calls)
    Result = mix(Result, Table.stableId(U.In) ^ Table.stableId(U.Callee) ^
                             keepsGraphs(U.In));
  return Result;
}

/// Hashes each component of the program together with the components that it
/// reaches: by a call, by an override, or through a stored callable.
void Relevance::hashComponents() const {
  std::vector<std::optional<uint64_t>> OfName(NameTexts.size());
  std::vector<std::vector<FunctionId>> Reached = Callees;
  Reached.resize(Table.size());
  std::vector<uint64_t> Own(Table.size());
  for (FunctionId F = 0; F < Reached.size(); ++F) {
    // Source code that does not parse may contain the end of a capture.
    bool Errors = Table.units()[Table.unitOf(F)].Errors != 0;
    std::vector<uint64_t> Parts{Table.stableId(F) ^ Errors};
    if (F < Seen.size() && Seen[F]) // others were never decoded
      llvm::append_range(Reached[F], Table.info(F).Overrides);
    if (F < OwnNames.size())
      for (unsigned Name : OwnNames[F])
        if (const WriteSummary *W = writes(NameTexts[Name])) {
          if (!OfName[Name])
            OfName[Name] = mix(llvm::xxh3_64bits(NameTexts[Name]), hashOf(*W));
          Parts.push_back(*OfName[Name]);
          llvm::append_range(Reached[F], W->Callables);
        }
    if (F < OwnNames.size())
      for (unsigned Name : OwnNames[F])
        if (const JobQueue *Q = Jobs->find(NameTexts[Name])) {
          Parts.push_back(
              mix(llvm::xxh3_64bits(NameTexts[Name]), 1 + Q->Shared));
          llvm::append_range(Reached[F], Q->Jobs);
        }
    Own[F] = ::cudagraph::hashOf(Parts);
  }
  Components Order(Reached);
  ReachHashes.resize(Table.size());
  for (unsigned Index = 0; Index < Order.size(); ++Index) {
    std::vector<uint64_t> Parts;
    for (FunctionId F : Order.members(Index)) {
      if (F >= Own.size())
        continue;
      Parts.push_back(Own[F]);
      for (FunctionId To : Reached[F])
        if (Order.of(To) != Index && To < ReachHashes.size())
          Parts.push_back(ReachHashes[To]);
    }
    uint64_t Hash = ::cudagraph::hashOf(Parts);
    for (FunctionId F : Order.members(Index))
      if (F < ReachHashes.size())
        ReachHashes[F] = Hash;
  }
}

uint64_t Relevance::reachHash(FunctionId Root) const {
  if (ReachHashes.empty())
    hashComponents();
  // Functions with larger numbers have no body that is used.
  uint64_t Reached = Root < ReachHashes.size() ? ReachHashes[Root] : 0;
  return mix(Table.stableId(Root), Reached);
}

bool Relevance::mentions(FunctionId F, llvm::StringRef Name) const {
  if (F >= Names.size())
    return true;
  auto It = NameIds.find(Name);
  return It != NameIds.end() && Names[F].test(It->second);
}

bool Relevance::mentionsRecord(FunctionId F) const {
  return !Records.empty() && F < Names.size() && Names[F].intersects(Records);
}

uint64_t Relevance::likeness(FunctionId F) const {
  if (!Alike)
    Alike = std::make_unique<Likeness>(
        Table, Scanned, [&](FunctionId Each) { return entryFor(Each); });
  return Alike->of(F);
}

const WriteSummary *Relevance::writes(llvm::StringRef Name) const {
  auto It = Writes.find(Name);
  return It == Writes.end() ? nullptr : &It->second;
}

/// Records the stored functions; initializers themselves are never called.
void Relevance::scanInitializers(FunctionId F, std::vector<FunctionId> &Work) {
  const FlowGraph &G = *Table.graph(F);
  Tables.begin();
  for (const Op &O : G.Blocks.front().Ops) {
    if (G.Exprs[O.Value].Kind != ExprKind::Function)
      continue;
    const std::string *Key = writeKey(G, O.Place);
    auto Stored = static_cast<FunctionId>(G.Exprs[O.Value].N);
    Work.push_back(Stored);
    if (!Key)
      continue;
    WriteSummary &W = Writes[*Key];
    if (!llvm::is_contained(W.Callables, Stored))
      W.Callables.push_back(Stored);
    Tables.note(G, O.Place, *Key, Stored);
  }
}

/// Collects the effects of functions that call each other; the components that
/// they call are complete.
void Relevance::gatherComponent(unsigned Index) {
  llvm::ArrayRef<FunctionId> Members = Recursion.members(Index);
  // A function that never returns has no effect on its callers: its error
  // report does not matter.
  auto Gives = [&](FunctionId F) {
    return !Table.info(F).NoReturn || Of[F] & Opens;
  };
  // A function that only passes a callable to other code does not end the
  // captures that the callable ends.
  auto Gather = [&](FunctionId From, FunctionId Caller) {
    uint16_t Given =
        Direct.count({Caller, From}) ? Of[From] : Of[From] & ~(Ends | Begins);
    Given &= ~(SetsRecord | SetsKey);
    // The effects of a job in another thread do not happen here.
    if (Jobs->isPosted(Caller, From) && !Direct.count({Caller, From}))
      Given &= ~Works;
    // The end of an object is not a function's reaction to a change, unless it
    // is explicit: `graph_.reset()`. The lifetimes of its parts end for the
    // same reason.
    if (Table.info(From).IsDestructor && !Table.info(Caller).IsDestructor &&
        !Ended.count({Caller, From}))
      Given &= ~Drops;
    bool More = (Of[Caller] | Given) != Of[Caller];
    Of[Caller] |= Given;
    return More;
  };
  for (FunctionId F : Members)
    if (F < Callees.size())
      for (FunctionId C : Callees[F])
        if (Recursion.of(C) != Index && Seen[C] && Gives(C)) {
          Gather(C, F);
          Names[F] |= Names[C];
        }
  if (Members.size() == 1)
    return;
  // Usually, all members of a component mention what one of them mentions.
  llvm::SparseBitVector<> All;
  bool Alike = llvm::all_of(Members, Gives);
  if (Alike)
    for (FunctionId F : Members)
      All |= Names[F];
  std::vector<FunctionId> Changed(Members.begin(), Members.end());
  while (!Changed.empty()) {
    FunctionId F = Changed.back();
    Changed.pop_back();
    if (!Gives(F))
      continue;
    for (FunctionId Caller : Callers[F]) {
      if (Recursion.of(Caller) != Index)
        continue;
      bool More = Gather(F, Caller);
      if (!Alike)
        More |= Names[Caller] |= Names[F];
      if (More)
        Changed.push_back(Caller);
    }
  }
  if (Alike)
    for (FunctionId F : Members)
      Names[F] = All;
}

Relevance::Relevance(Program &Table, const catalogue::Catalogue &Catalogue)
    : Jobs(std::make_unique<JobQueues>(*this)), Table(Table),
      Catalogue(Catalogue) {
  std::vector<FunctionId> Work;
  for (FunctionId F : Table.initializers())
    scanInitializers(F, Work);
  Work.insert(Work.end(), Table.collected().rbegin(), Table.collected().rend());
  do {
    scanAll(Work);
    Jobs->flow();
    connectStored(Work);
  } while (!Work.empty());
  Callers.resize(std::max<size_t>(Callers.size(), Table.size()));
  HandleStreams(*this).resolve();
  resolveReaders();
  Of.resize(std::max<size_t>(Of.size(), Table.size()));
  Callers.resize(std::max<size_t>(Callers.size(), Table.size()));
  Names.resize(Of.size());
  Jobs->resolve();
  Recursion = Components(Callees);
  for (unsigned Index = 0; Index < Recursion.size(); ++Index)
    gatherComponent(Index);
  for (const auto &[F, Name] : SizesStored)
    Writes[Name].SizeRecorded |= (bits(F) & Begins) != 0;
  for (const auto &Each : Writes)
    StoredCallables.insert(Each.second.Callables.begin(),
                           Each.second.Callables.end());
  scanKeys();
  scanBookkeeping();
  scanRoom();
}

/// Scans the functions of \p Work, and those that they reach.
void Relevance::scanAll(std::vector<FunctionId> &Work) {
  while (!Work.empty()) {
    FunctionId F = Work.back();
    Work.pop_back();
    if (F >= Seen.size()) {
      Seen.resize(F + 1);
      Of.resize(F + 1);
      Callees.resize(F + 1);
      Names.resize(F + 1);
      OwnNames.resize(F + 1);
    }
    if (Seen[F])
      continue;
    Seen[F] = true;
    Table.freeGraphs(MostGraphBytes);
    if (const FlowGraph *G = Table.graph(F)) {
      scan(F, *G, Work);
      Jobs->scan(F, *G);
      Scanned.push_back(F);
    }
  }
}

void Relevance::connect(FunctionId Caller, FunctionId Callee, bool Calls) {
  if (Callee >= Callers.size())
    Callers.resize(Callee + 1);
  if (Calls)
    Direct.insert({Caller, Callee});
  if (Edges.insert({Caller, Callee}).second) {
    Callers[Callee].push_back(Caller);
    Callees[Caller].push_back(Callee);
  }
}

/// A call through a member or global may reach any function that is stored
/// there. Adds the functions that were not scanned to \p Work.
void Relevance::connectStored(std::vector<FunctionId> &Work) {
  for (const auto &[Caller, Name] : Through)
    if (const WriteSummary *W = writes(Name))
      for (FunctionId Callee : W->Callables) {
        if (!Edges.count({Caller, Callee}))
          StoredOnly.insert({Caller, Callee});
        connect(Caller, Callee, /*Calls=*/true);
        if (Callee >= Seen.size() || !Seen[Callee])
          Work.push_back(Callee);
      }
}

} // namespace cudagraph
