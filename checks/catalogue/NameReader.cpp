//===- NameReader.cpp - Groups of names in a file -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See NameReader.h.
//
//===----------------------------------------------------------------------===//

#include "NameReader.h"
#include <utility>

namespace cudagraph::catalogue {

/// The maximum number of stars in a pattern, where two adjacent stars count as
/// one. Each star multiplies the time to match a name.
static constexpr int MaxStars = 3;

static constexpr std::string_view RoleSpellings[] = {
#define ROLE(NAME, SPELLING, KIND, FIELD, SUMMARY) SPELLING,
#include "Roles.def"
};

static std::string quoted(Role R) {
  return "'" + std::string(spelling(R)) + "'";
}

static bool hasNumbers(Role R) { return fieldOf(R) == RoleField::Value; }

/// Reads "names", which contains all facts except the entries.
bool NameReader::readGroups(const json &J) {
  Step S(*this, "names");
  if (!J.is_array())
    return wrongType(J, "an array of groups of names");
  for (size_t I = 0; I != J.size(); ++I) {
    Step S(*this, I);
    if (!readGroup(J[I]))
      return false;
  }
  return true;
}

bool NameReader::readGroup(const json &J) {
  if (!checkKeys(J, {"action", "advice", "as", "evidence", "names", "reason",
                     "role", "spelled", "values"}))
    return false;
  if (!J.contains("role"))
    return fail("the field 'role' is missing; state the meaning of the names");
  NamedRole Common;
  Common.Library = Result.Library;
  {
    Step S(*this, "role");
    if (!readWord(J["role"], RoleSpellings, "role", Common.Is))
      return false;
  }
  std::string Reason;
  if (!checkFields(J, Common.Is) || !readCommon(J, Common, Reason))
    return false;
  // A guess has no evidence except its reason.
  bool Guess = kindOf(Common.Is) == NameKind::Heuristic;
  if ((RequireReason || Guess) && Reason.empty())
    return fail(
        "the field 'reason' is missing; state why these names have role " +
        quoted(Common.Is));
  if (Common.Sources.empty())
    return fail("the field 'evidence' is missing; state the source of the "
                "facts about these names");
  const char *Field = hasNumbers(Common.Is) ? "values" : "names";
  Step S(*this, Field);
  return hasNumbers(Common.Is) ? readNumbers(J[Field], Common)
                               : readNames(J[Field], Common);
}

/// A group has exactly the fields of its role.
bool NameReader::checkFields(const json &J, Role Is) {
  RoleField Field = fieldOf(Is);
  const char *Wanted = hasNumbers(Is) ? "values" : "names";
  if (!J.contains(Wanted))
    return fail(std::string("the field '") + Wanted + "' is missing; " +
                (hasNumbers(Is) ? "list the numbers of the names with role "
                                : "list the names with role ") +
                quoted(Is));
  for (auto [Key, Fits] : {std::pair("names", !hasNumbers(Is)),
                           std::pair("values", hasNumbers(Is)),
                           std::pair("as", Field == RoleField::As),
                           std::pair("spelled", kindOf(Is) == NameKind::Type)})
    if (J.contains(Key) && !Fits)
      return fail("role " + quoted(Is) + " has no '" + Key + "'; remove it");
  if (Field == RoleField::As && !J.contains("as"))
    return fail("the field 'as' is missing; role " + quoted(Is) +
                " gives its names a different name");
  return true;
}

/// Reads the properties that all names of the group share.
bool NameReader::readCommon(const json &J, NamedRole &Common,
                            std::string &Reason) {
  for (auto [Key, Text] :
       {std::pair("as", &Common.As), std::pair("advice", &Common.Advice),
        std::pair("reason", &Reason)}) {
    Step S(*this, Key);
    if (J.contains(Key) && !readText(J[Key], *Text))
      return false;
  }
  ActionText Words;
  if (J.contains("action") && !readAction(J["action"], Words))
    return false;
  Common.Action = Words.text();
  if (J.contains("spelled")) {
    Step S(*this, "spelled");
    if (!readTexts(J["spelled"], Common.Spelled))
      return false;
  }
  if (J.contains("evidence")) {
    Step S(*this, "evidence");
    return readEvidence(J["evidence"], Common.Sources);
  }
  if (!Reason.empty())
    Common.Sources.push_back({"user", Reason});
  return true;
}

static int starsIn(std::string_view Pattern) {
  int Result = 0;
  for (size_t I = 0; I != Pattern.size(); ++I)
    if (Pattern[I] == '*') {
      ++Result;
      I += I + 1 != Pattern.size() && Pattern[I + 1] == '*';
    }
  return Result;
}

/// Reads "values", an object of enumerators and their numbers.
bool NameReader::readNumbers(const json &J, const NamedRole &Common) {
  if (!J.is_object() || J.empty())
    return wrongType(J, "an object that maps names to numbers");
  for (const auto &[Name, Value] : J.items()) {
    Step S(*this, Name);
    if (!Value.is_number_integer() || Value.get<int64_t>() < INT32_MIN ||
        Value.get<int64_t>() > INT32_MAX)
      return wrongType(Value, "the number of the enumerator");
    NamedRole &Item = Result.Names.emplace_back(Common);
    Item.Name = Name;
    Item.Value = Value.get<int64_t>();
  }
  return true;
}

/// Reads "names", a list of names and patterns.
bool NameReader::readNames(const json &J, const NamedRole &Common) {
  std::vector<std::string> Names;
  if (!readTexts(J, Names))
    return false;
  for (size_t I = 0; I != Names.size(); ++I) {
    Step S(*this, I);
    bool Lower = std::none_of(Names[I].begin(), Names[I].end(),
                              [](char C) { return C >= 'A' && C <= 'Z'; });
    if (kindOf(Common.Is) == NameKind::Heuristic && !Lower)
      return fail("case is ignored in names with role " + quoted(Common.Is) +
                  "; write lowercase letters");
    if (starsIn(Names[I]) > MaxStars)
      return fail(inQuotes(Names[I]) + " has too many wildcards; use at most " +
                  std::to_string(MaxStars) + " stars");
    Result.Names.emplace_back(Common).Name = std::move(Names[I]);
  }
  return true;
}

} // namespace cudagraph::catalogue
