//===- Roles.cpp - Names with roles ---------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One search finds most names; the few patterns are tried one after another.
//
//===----------------------------------------------------------------------===//

#include "Roles.h"
#include <algorithm>
#include <utility>

namespace cudagraph::catalogue {

namespace {
struct RoleInfo {
  std::string_view Spelling, Summary;
  NameKind Kind;
  RoleField Field;
};
} // namespace

static constexpr RoleInfo Infos[] = {
#define ROLE(NAME, SPELLING, KIND, FIELD, SUMMARY)                             \
  {SPELLING, SUMMARY, NameKind::KIND, RoleField::FIELD},
#include "Roles.def"
};

static const RoleInfo &infoOf(Role R) { return Infos[static_cast<size_t>(R)]; }

NameKind kindOf(Role R) { return infoOf(R).Kind; }
RoleField fieldOf(Role R) { return infoOf(R).Field; }
std::string_view spelling(Role R) { return infoOf(R).Spelling; }
std::string_view summary(Role R) { return infoOf(R).Summary; }

/// Matches from the point where the pattern and the name begin to differ.
static bool matchesRest(std::string_view Pattern, std::string_view Name,
                        std::string_view *Part) {
  while (!Pattern.empty() && Pattern.front() != '*') {
    if (Name.empty() || Pattern.front() != Name.front())
      return false;
    Pattern.remove_prefix(1);
    Name.remove_prefix(1);
  }
  if (Pattern.empty())
    return Name.empty();
  bool Any = Pattern.substr(0, 2) == "**";
  Pattern.remove_prefix(Any ? 2 : 1);
  for (size_t Length = 0;; ++Length) {
    if (matchesRest(Pattern, Name.substr(Length), nullptr)) {
      if (Part)
        *Part = Name.substr(0, Length);
      return true;
    }
    if (Length == Name.size() || (!Any && Name[Length] == ':'))
      return false;
  }
}

bool matches(std::string_view Pattern, std::string_view Name,
             std::string_view *Part) {
  if (Pattern.substr(0, 4) == "**::" &&
      matchesRest(Pattern.substr(4), Name, Part))
    return true;
  return matchesRest(Pattern, Name, Part);
}

void RoleTable::add(NamedRole Item) {
  unsigned Index = All.size();
  ByKind &Of = Kinds[static_cast<size_t>(kindOf(Item.Is))];
  ByRole[static_cast<size_t>(Item.Is)].push_back(Index);
  if (Item.Name.find('*') == std::string::npos)
    Of.Exact[Item.Name].push_back(Index);
  else
    Of.Patterns.push_back(Index);
  All.push_back(std::move(Item));
}

std::vector<const NamedRole *> RoleTable::withRole(Role R) const {
  std::vector<const NamedRole *> Result;
  for (unsigned I : ByRole[static_cast<size_t>(R)])
    Result.push_back(&All[I]);
  return Result;
}

bool RoleTable::hasValue(Role R, int64_t Value) const {
  const std::vector<unsigned> &With = ByRole[static_cast<size_t>(R)];
  return std::any_of(With.begin(), With.end(),
                     [&](unsigned I) { return All[I].Value == Value; });
}

bool RoleTable::holdsOne(const std::vector<std::string> &Parts,
                         std::string_view Text) {
  return std::any_of(Parts.begin(), Parts.end(), [&](const std::string &Part) {
    return Text.find(Part) != std::string_view::npos;
  });
}

} // namespace cudagraph::catalogue
