//===- EntryReader.cpp - Entries of a file --------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See EntryReader.h.
//
//===----------------------------------------------------------------------===//

#include "EntryReader.h"
#include "OutcomeReader.h"
#include <cstdint>
#include <utility>

namespace cudagraph::catalogue {

/// The highest parameter position that an entry may name.
static constexpr int MaxPosition = 31;

static constexpr std::string_view Roles[] = {
    "adds",   "alpha",  "beta",         "buffer", "callable", "choice",
    "config", "data",   "dependencies", "device", "index",    "dst",
    "event",  "flags",  "func",         "graph",  "handle",   "keeps",
    "kind",   "mode",   "node",         "nodes",  "object",   "out",
    "params", "ptr",    "removes",      "room",   "shared",   "size",
    "src",    "status", "storage",      "stream", "value"};
static constexpr std::string_view Directions[] = {"d2d", "d2h", "h2d"};
static constexpr std::string_view ReturnKinds[] = {
    "bool-capturing", "capture-status", "device-value", "status", "varying"};
static constexpr std::string_view TraitSpellings[] = {
#define TRAIT(NAME, SPELLING, SUMMARY) SPELLING,
#include "Traits.def"
};
static constexpr std::string_view EffectSpellings[] = {
#define EFFECT(NAME, SPELLING, FLAGS, SUMMARY) SPELLING,
#include "Effects.def"
};

bool EntryReader::readSince(const json &J, Entry &E) {
  Step S(*this, "since");
  if (RequireReason)
    return fail(
        "only the built-in data contains versions of libraries; remove this");
  if (!checkKeys(J, {"text", "value"}))
    return false;
  for (const char *Field : {"text", "value"})
    if (!J.contains(Field))
      return fail(
          std::string("the field '") + Field +
          "' is missing; specify the first version that supports captures: "
          "'value' in the format of the library's header, and 'text' in words");
  {
    Step S(*this, "value");
    if (!J["value"].is_number_integer() || J["value"].get<int64_t>() < 1 ||
        J["value"].get<int64_t>() > INT32_MAX)
      return wrongType(J["value"], "the number of a version");
    E.Since = J["value"].get<int>();
  }
  Step T(*this, "text");
  return readText(J["text"], E.SinceText);
}

bool EntryReader::readTraits(const json &J, uint32_t &Traits) {
  Step S(*this, "traits");
  std::vector<std::string> Words;
  if (!readTexts(J, Words))
    return false;
  for (size_t I = 0; I != Words.size(); ++I) {
    Step S(*this, I);
    if (!checkWord(Words[I], TraitSpellings, "trait"))
      return false;
    Traits |= 1U << (std::find(std::begin(TraitSpellings),
                               std::end(TraitSpellings), Words[I]) -
                     std::begin(TraitSpellings));
  }
  return true;
}

bool EntryReader::readEntry(const json &J, Entry &E) {
  if (!checkKeys(J,
                 {"action", "advice", "args", "direction", "effect", "evidence",
                  "last", "name", "outcome", "reason", "returns", "traits"}))
    return false;
  for (const char *Field : {"name", "effect"})
    if (!J.contains(Field))
      return fail(std::string("the field '") + Field +
                  "' is missing; each entry needs a name and an effect");
  if (!readName(J["name"], E.Name))
    return false;
  {
    Step S(*this, "effect");
    if (!readWord(J["effect"], EffectSpellings, "effect", E.Does))
      return false;
  }
  if (!readWords(J, E) || (J.contains("args") && !readArgs(J["args"], E)))
    return false;
  // A message about the call needs a verb.
  if (RequireReason && E.Action.empty()) {
    parseAction(E.Args.count("stream") ? "uses [stream]" : "uses CUDA",
                E.ActionWords);
    E.Action = E.ActionWords.text();
  }
  return (!J.contains("last") || readLast(J["last"], E)) &&
         (!J.contains("traits") || readTraits(J["traits"], E.Traits)) &&
         readSources(J, E) &&
         (!J.contains("outcome") || readOutcome(J["outcome"], E));
}

/// Reads the fields that contain text, or a word from a closed list.
bool EntryReader::readWords(const json &J, Entry &E) {
  const std::pair<const char *, std::string *> Texts[] = {
      {"advice", &E.Advice},
      {"reason", &E.Reason},
      {"direction", &E.Direction},
      {"returns", &E.Returns},
  };
  for (auto [Field, Text] : Texts) {
    Step S(*this, Field);
    if (J.contains(Field) && !readText(J[Field], *Text))
      return false;
    if (Text == &E.Direction && J.contains(Field) &&
        !checkWord(*Text, Directions, "direction"))
      return false;
    if (Text == &E.Returns && J.contains(Field) &&
        !checkWord(*Text, ReturnKinds, "result"))
      return false;
  }
  if (J.contains("action") && !readAction(J["action"], E.ActionWords))
    return false;
  E.Action = E.ActionWords.text();
  if (RequireReason && E.Reason.empty())
    return fail("the field 'reason' is missing; state why '" + E.Name +
                "' needs an entry");
  return true;
}

bool EntryReader::readName(const json &J, std::string &Name) {
  Step S(*this, "name");
  if (!readText(J, Name))
    return false;
  if (std::string Canonical = canonicalName(Name); Canonical != Name)
    return fail("'" + Name + "' carries a version or stream suffix; write '" +
                Canonical + "'");
  return true;
}

bool EntryReader::readArgs(const json &J, Entry &E) {
  Step S(*this, "args");
  if (!J.is_object())
    return wrongType(J, "an object that maps roles to positions");
  for (const auto &[Role, Value] : J.items()) {
    if (!checkWord(Role, Roles, "role"))
      return false;
    Step S(*this, Role);
    if (!readPosition(Value, E.Args[Role]))
      return false;
  }
  return true;
}

bool EntryReader::readPosition(const json &J, int &Position) {
  if (J == "this") {
    Position = Entry::ImplicitObject;
    return true;
  }
  if (!J.is_number_integer() || J.get<int64_t>() < Entry::ImplicitObject ||
      J.get<int64_t>() > MaxPosition)
    return wrongType(J, "a position from 0 to 31, or \"this\"");
  Position = J.get<int>();
  return true;
}

bool EntryReader::readLast(const json &J, Entry &E) {
  Step S(*this, "last");
  if (!readText(J, E.LastRole))
    return false;
  if (E.Args.count(E.LastRole))
    return true;
  return fail("'" + E.LastRole +
              "' has no position in 'args'; name a role "
              "that 'args' lists");
}

/// Reads "evidence"; in users' files, the reason is sufficient.
bool EntryReader::readSources(const json &J, Entry &E) {
  if (J.contains("evidence")) {
    Step S(*this, "evidence");
    return readEvidence(J["evidence"], E.Sources);
  }
  if (!RequireReason)
    return fail("the field 'evidence' is missing; state the source of the "
                "facts about '" +
                E.Name + "'");
  E.Sources.push_back({"user", E.Reason});
  return true;
}

bool EntryReader::readOutcome(const json &J, Entry &E) {
  Step S(*this, "outcome");
  if (J.is_object()) {
    if (!checkKeys(J, {"like", "rows"}))
      return false;
    if (J.contains("like") != J.contains("rows")) {
      if (J.contains("like")) {
        Step S(*this, "like");
        return readText(J["like"], E.Like);
      }
      Step S(*this, "rows");
      return OutcomeReader(At).readRows(J["rows"], E.Outcomes);
    }
    return fail(
        "write at least one row in 'rows', or the name of an entry with "
        "the same outcomes in 'like'");
  }
  if (!J.is_string())
    return wrongType(
        J, "the name of a profile or an object with 'rows' or 'like'");
  const std::string &Name = J.get_ref<const std::string &>();
  auto Find = [&](const ProfileMap &Map) {
    auto It = Map.find(Name);
    return It == Map.end() ? nullptr : &It->second;
  };
  const Profile *P = Find(Own);
  if (!P)
    P = Find(Shared);
  if (!P) {
    std::vector<std::string_view> Names;
    for (const ProfileMap *Map : {&Shared, &Own})
      for (const auto &[Known, Other] : *Map)
        Names.push_back(Known);
    return fail("unknown profile " + inQuotes(Name) + "; " +
                (Names.empty() ? "write the rows here" : suggest(Name, Names)));
  }
  E.Outcomes = P->Rows;
  E.Sources.insert(E.Sources.end(), P->Sources.begin(), P->Sources.end());
  return true;
}

} // namespace cudagraph::catalogue
