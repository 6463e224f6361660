//===- Builtin.cpp - The embedded data ------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record becomes an entry on its first lookup, because a translation unit
// calls only a few dozen of the known functions. If two threads build the same
// entry, one of the two is kept.
//
//===----------------------------------------------------------------------===//

#include "Embedded.h"
#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>

namespace cudagraph::catalogue {

namespace embedded {
#include "EmbeddedCatalogue.inc"
} // namespace embedded

using namespace embedded;

/// Entries built so far, parallel to Records. They live as long as the process.
static std::atomic<const Entry *> Built[std::size(Records)];

static Cell makeCell(int Encoded) {
  if (Encoded > 0)
    return {Cell::Error, Encoded % Survives, Encoded > Survives};
  return {static_cast<Cell::Kind>(-Encoded), 0, false};
}

static std::vector<OutcomeRow> makeRows(Range R) {
  std::vector<OutcomeRow> Result;
  Result.reserve(R.End - R.Begin);
  for (unsigned I = R.Begin; I != R.End; ++I) {
    OutcomeRow &Out = Result.emplace_back();
    for (int Bit = 0; Bit != 8; ++Bit)
      if (Rows[I].Streams & (1U << Bit))
        Out.Streams.push_back(static_cast<StreamRelation>(Bit));
    for (int Bit = 0; Bit != 32; ++Bit)
      if (Rows[I].When & (1U << Bit))
        Out.When.push_back(static_cast<Condition>(Bit));
    if (Rows[I].Capturing >= 0)
      Out.Capturing = static_cast<StreamKind>(Rows[I].Capturing);
    for (int M = 0; M != 3; ++M)
      Out.ByMode[M] = makeCell(Rows[I].ByMode[M]);
  }
  return Result;
}

static std::vector<Evidence> makeSources(Range R) {
  std::vector<Evidence> Result;
  Result.reserve(R.End - R.Begin);
  for (unsigned I = R.Begin; I != R.End; ++I)
    Result.push_back({Sources[I].Kind, Sources[I].Text});
  return Result;
}

static ActionText makeAction(size_t Index) {
  const Action &A = Actions[Index];
  return {A.Does, A.Event, A.EventNoun, A.Stream, A.StreamLink};
}

static const Entry *entryAt(size_t Index) {
  if (const Entry *E = Built[Index].load(std::memory_order_acquire))
    return E;
  const Record &R = Records[Index];
  auto E = std::make_unique<Entry>();
  E->Name = R.Name;
  E->Library = R.Library;
  E->Does = R.Does;
  for (unsigned I = R.Args.Begin; I != R.Args.End; ++I)
    E->Args.emplace(Args[I].Role, Args[I].Position);
  E->LastRole = R.LastRole;
  E->Outcomes = makeRows(R.Rows);
  E->Sources = makeSources(R.Sources);
  E->ActionWords = makeAction(R.Action);
  E->Action = E->ActionWords.text();
  E->Advice = R.Advice;
  E->Direction = R.Direction;
  E->Returns = R.Returns;
  E->Since = R.Since;
  E->SinceText = R.SinceText;
  E->Traits = R.Traits;
  const Entry *Expected = nullptr;
  if (Built[Index].compare_exchange_strong(Expected, E.get(),
                                           std::memory_order_acq_rel))
    return E.release();
  return Expected;
}

const Entry *builtinEntry(std::string_view Name) {
  const Record *End = std::end(Records);
  const Record *It = std::lower_bound(
      std::begin(Records), End, Name,
      [](const Record &R, std::string_view N) { return R.Name < N; });
  if (It == End || It->Name != Name)
    return nullptr;
  return entryAt(It - Records);
}

std::vector<const Entry *> builtinEntries() {
  std::vector<const Entry *> Result;
  Result.reserve(std::size(Records));
  for (size_t I = 0; I != std::size(Records); ++I)
    Result.push_back(entryAt(I));
  return Result;
}

const RoleTable &builtinNames() {
  static const RoleTable Result = [] {
    RoleTable Table;
    for (const Name &Each : embedded::Names) {
      NamedRole Item;
      Item.Name = Each.Text;
      Item.Is = Each.Is;
      if (Each.HasValue)
        Item.Value = Each.Value;
      Item.As = Each.As;
      for (unsigned I = Each.Spelled.Begin; I != Each.Spelled.End; ++I)
        Item.Spelled.push_back(Words[I].Text);
      Item.Action = Each.Action;
      Item.Advice = Each.Advice;
      Item.Sources = makeSources(Each.Sources);
      Item.Library = Each.Library;
      Table.add(std::move(Item));
    }
    return Table;
  }();
  return Result;
}

const ProfileMap &builtinProfiles() {
  static const ProfileMap Result = [] {
    ProfileMap Map;
    for (const NamedProfile &P : Profiles)
      Map[P.Name] = {makeRows(P.Rows), makeSources(P.Sources)};
    return Map;
  }();
  return Result;
}

} // namespace cudagraph::catalogue
