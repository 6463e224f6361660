//===- Catalogue.cpp - Lookup ---------------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A catalogue is a thin layer of users' entries over the embedded ones.
//
//===----------------------------------------------------------------------===//

#include "Catalogue.h"
#include "Embedded.h"
#include "support/InputFile.h"
#include <algorithm>
#include <iterator>
#include <utility>

namespace cudagraph::catalogue {

std::optional<int> Entry::arg(std::string_view Role) const {
  auto It = Args.find(Role);
  if (It == Args.end())
    return std::nullopt;
  return It->second;
}

std::optional<int> Entry::arg(std::string_view Role, unsigned NumArgs) const {
  std::optional<int> Position = arg(Role);
  if (!Position || *Position == ImplicitObject)
    return Position;
  if (Role == LastRole)
    Position = static_cast<int>(NumArgs) - 1;
  if (*Position < 0 || *Position >= static_cast<int>(NumArgs))
    return std::nullopt;
  return Position;
}

std::string_view inWords(Condition C, const Entry &E) {
  // A new seed matters only to a generator.
  if (C == Condition::FirstUse && E.has(Trait::Draws))
    return "the call is the first use, or the first after a new seed";
  static constexpr std::string_view Words[] = {
#define CONDITION(NAME, SPELLING, TEXT, OTHERWISE) TEXT,
#include "Conditions.def"
  };
  return Words[static_cast<unsigned>(C)];
}

std::string_view otherwise(Condition C) {
  static constexpr std::string_view Words[] = {
#define CONDITION(NAME, SPELLING, TEXT, OTHERWISE) OTHERWISE,
#include "Conditions.def"
  };
  return Words[static_cast<unsigned>(C)];
}

bool OutcomeRow::covers(StreamRelation Stream, StreamKind Kind) const {
  return (Streams.empty() ||
          std::find(Streams.begin(), Streams.end(), Stream) != Streams.end()) &&
         (!Capturing || *Capturing == Kind);
}

void Entry::rows(StreamRelation Stream, StreamKind Capturing,
                 const std::function<std::optional<bool>(Condition)> &Holds,
                 std::vector<const OutcomeRow *> &Result) const {
  for (const OutcomeRow &Row : Outcomes) {
    if (!Row.covers(Stream, Capturing))
      continue;
    bool Excluded = false, Certain = true;
    for (Condition C : Row.When) {
      std::optional<bool> Now = Holds(C);
      Excluded |= Now == false;
      Certain &= Now == true;
    }
    if (Excluded)
      continue;
    Result.push_back(&Row);
    if (Certain)
      return;
  }
}

std::optional<Cell> Entry::outcome(StreamRelation Stream, StreamKind Capturing,
                                   Mode M) const {
  for (const OutcomeRow &Row : Outcomes)
    if (Row.When.empty() && Row.covers(Stream, Capturing))
      return Row.ByMode[static_cast<int>(M)];
  return std::nullopt;
}

const Catalogue &Catalogue::builtin() {
  static const Catalogue Builtin = [] {
    Catalogue C;
    C.WithBuiltin = true;
    return C;
  }();
  return Builtin;
}

const Entry *Catalogue::lookup(std::string_view QualifiedName) const {
  std::string Name = canonicalName(QualifiedName);
  auto Find = [&](const std::string &Each) -> const Entry * {
    if (auto It = ByName.find(Each); It != ByName.end())
      return &It->second;
    return WithBuiltin ? builtinEntry(Each) : nullptr;
  };
  if (const Entry *E = Find(Name))
    return E;
  std::string Operator = operatorName(Name);
  return Operator.empty() ? nullptr : Find(Operator);
}

RoleSet Catalogue::roles(NameKind Kind, std::string_view Name,
                         const std::function<std::string()> &Spell) const {
  RoleSet Result;
  auto Spelling = [&]() -> std::string { return Spell ? Spell() : ""; };
  if (OwnNames)
    OwnNames->find(Kind, Name, Spelling, Result);
  if (WithBuiltin)
    builtinNames().find(Kind, Name, Spelling, Result);
  return Result;
}

std::vector<const NamedRole *> Catalogue::names(Role R) const {
  std::vector<const NamedRole *> Result;
  if (OwnNames)
    Result = OwnNames->withRole(R);
  if (WithBuiltin)
    for (const NamedRole *Each : builtinNames().withRole(R))
      Result.push_back(Each);
  return Result;
}

bool Catalogue::is(Role R, std::string_view Name) const {
  return kindOf(R) == NameKind::Heuristic ? part(R, Name).has_value()
                                          : roles(kindOf(R), Name).has(R);
}

std::vector<int64_t> Catalogue::values(Role R) const {
  std::vector<int64_t> Result;
  for (const NamedRole *Each : names(R))
    Result.push_back(Each->Value.value_or(0));
  return Result;
}

bool Catalogue::isValue(Role R, std::optional<int64_t> Value) const {
  return Value && ((OwnNames && OwnNames->hasValue(R, *Value)) ||
                   (WithBuiltin && builtinNames().hasValue(R, *Value)));
}

std::string_view Catalogue::as(Role R, std::string_view Name,
                               std::string_view Spelling) const {
  for (const NamedRole *Each : names(R))
    if (matches(Each->Name, Name) &&
        (Each->Spelled.empty() || RoleTable::holdsOne(Each->Spelled, Spelling)))
      return Each->As;
  return {};
}

std::optional<std::string_view> Catalogue::part(Role R,
                                                std::string_view Name) const {
  std::string_view Part;
  if (kindOf(R) != NameKind::Heuristic) {
    for (const NamedRole *Each : names(R))
      if (matches(Each->Name, Name, &Part))
        return Part;
    return std::nullopt;
  }
  std::string Lower(Name);
  for (char &C : Lower)
    C = C >= 'A' && C <= 'Z' ? static_cast<char>(C - 'A' + 'a') : C;
  for (const NamedRole *Each : names(R))
    if (matches(Each->Name, Lower))
      return Name;
  return std::nullopt;
}

std::vector<const Entry *> Catalogue::entries() const {
  std::vector<const Entry *> Own;
  for (const auto &[Name, E] : ByName)
    Own.push_back(&E);
  if (!WithBuiltin)
    return Own;
  // For equal names, set_union takes the element of the first range: the
  // user's.
  std::vector<const Entry *> Builtin = builtinEntries(), Result;
  std::set_union(
      Own.begin(), Own.end(), Builtin.begin(), Builtin.end(),
      std::back_inserter(Result),
      [](const Entry *A, const Entry *B) { return A->Name < B->Name; });
  return Result;
}

std::string Catalogue::add(std::string_view JsonText, std::string_view FileName,
                           bool RequireReason) {
  ParsedFile File;
  if (std::string Error =
          parseFile(JsonText, FileName, RequireReason, builtinProfiles(), File);
      !Error.empty())
    return Error;
  for (Entry &E : File.Entries) {
    if (E.Like.empty())
      continue;
    const Entry *Other = lookup(E.Like);
    if (!Other || Other->Outcomes.empty())
      return std::string(FileName) + ": '" + E.Name + "' is declared like '" +
             E.Like +
             "', which has no outcomes; name a function for which "
             "'cudagraph-tidy explain' shows outcomes";
    E.Outcomes = Other->Outcomes;
  }
  for (Entry &E : File.Entries) {
    std::string Name = E.Name;
    ByName.insert_or_assign(std::move(Name), std::move(E));
  }
  bool HasNames = !File.Names.empty();
  if (HasNames) {
    auto Names = OwnNames ? std::make_shared<RoleTable>(*OwnNames)
                          : std::make_shared<RoleTable>();
    for (NamedRole &Each : File.Names)
      Names->add(std::move(Each));
    OwnNames = std::move(Names);
  }
  for (unsigned char C : JsonText) // FNV-1a
    TextHash = (TextHash ^ C) * 0x100000001b3;
  if (HasNames)
    NamesHash = TextHash;
  return {};
}

std::string Catalogue::addFile(const std::string &Path) {
  std::string Text;
  if (support::InputError E =
          support::readInput(Path, support::Bound::Words, Text))
    return Path + ": cannot read the catalogue: " + E.Why + "; " +
           (E.Errno ? "name a readable JSON file" : E.Remedy);
  return add(Text, Path, /*RequireReason=*/true);
}

} // namespace cudagraph::catalogue
