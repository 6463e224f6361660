//===- Roles.h - Names with roles -------------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entries describe functions. All other facts about a library are names with
// roles: classes that own device memory, enumerations of results, and functions
// that create tensors; see Roles.def. The analysis queries roles and never
// names.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CATALOGUE_ROLES_H
#define CUDAGRAPH_CATALOGUE_ROLES_H

#include <bitset>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudagraph::catalogue {

/// The source of a statement about the behavior of a library.
struct Evidence {
  std::string Kind;   ///< "documentation", "measured", "standard", or "user"
  std::string Source; ///< section, header, or result file and row
};

enum class Role : uint8_t {
#define ROLE(NAME, SPELLING, KIND, FIELD, SUMMARY) NAME,
#include "Roles.def"
};

inline constexpr size_t NumRoles = 0
#define ROLE(NAME, SPELLING, KIND, FIELD, SUMMARY) +1
#include "Roles.def"
    ;

/// The names to which a role applies. All names are qualified, without inline
/// namespaces and template arguments, unless specified otherwise.
enum class NameKind : uint8_t {
  Type,       ///< classes and enumerations
  Spelling,   ///< types as the compiler spells them, with template arguments
  Namespace,  ///< outermost namespaces, or the two outermost
  Function,   ///< functions, and names of entries
  OwnName,    ///< functions and constants, by their unqualified names
  Variable,   ///< variables and members
  Enumerator, ///< enumerators
  Heuristic,  ///< as defined by the role, in any case
};

/// The content of a group in addition to its names.
enum class RoleField : uint8_t { None, As, Value };

NameKind kindOf(Role R);
RoleField fieldOf(Role R);
/// The spelling of \p R in the data files ("device-owner").
std::string_view spelling(Role R);
/// The meaning of a name with this role, in words.
std::string_view summary(Role R);

/// A set of roles.
class RoleSet {
public:
  bool has(Role R) const { return Bits.test(static_cast<size_t>(R)); }
  void add(Role R) { Bits.set(static_cast<size_t>(R)); }
  RoleSet &operator|=(const RoleSet &O) {
    Bits |= O.Bits;
    return *this;
  }

private:
  std::bitset<NumRoles> Bits;
};

/// A name, or a pattern of names, and its role. In a pattern, `*` matches any
/// characters except colons, and `**` any characters; a leading `**::` also
/// matches the empty string.
struct NamedRole {
  std::string Name;
  Role Is;
  std::optional<int64_t> Value;
  /// The value of the role: the name of the class whose entries apply to the
  /// members, of the macro, of the method that is called, or of the function to
  /// use.
  std::string As;
  /// For types: the spelling with template arguments contains one of these.
  std::vector<std::string> Spelled;
  std::string Action; ///< as for an entry
  std::string Advice; ///< as for an entry
  std::vector<Evidence> Sources;
  std::string Library;
};

/// True if \p Name matches \p Pattern; see NamedRole. \p Part, if given, is set
/// to the match of the first star.
bool matches(std::string_view Pattern, std::string_view Name,
             std::string_view *Part = nullptr);

/// Names with their roles, indexed for queries. Immutable once it is shared.
class RoleTable {
public:
  void add(NamedRole Item);
  bool empty() const { return All.empty(); }

  /// Adds the roles of \p Name among those of \p Kind. \p Spell returns the
  /// spelling of a type with template arguments, for the few that need it.
  template <typename Fn>
  void find(NameKind Kind, std::string_view Name, Fn Spell,
            RoleSet &Result) const {
    each(Kind, Name, [&](const NamedRole &Item) {
      if (Item.Spelled.empty() || holdsOne(Item.Spelled, Spell()))
        Result.add(Item.Is);
    });
  }
  /// The names with role \p R, in the order of the data.
  std::vector<const NamedRole *> withRole(Role R) const;
  bool hasValue(Role R, int64_t Value) const;

  static bool holdsOne(const std::vector<std::string> &Parts,
                       std::string_view Text);

private:
  template <typename Fn>
  void each(NameKind Kind, std::string_view Name, Fn Visit) const {
    const ByKind &Of = Kinds[static_cast<size_t>(Kind)];
    if (auto It = Of.Exact.find(Name); It != Of.Exact.end())
      for (unsigned I : It->second)
        Visit(All[I]);
    for (unsigned I : Of.Patterns)
      if (matches(All[I].Name, Name))
        Visit(All[I]);
  }

  struct ByKind {
    std::map<std::string, std::vector<unsigned>, std::less<>> Exact;
    std::vector<unsigned> Patterns;
  };
  std::vector<NamedRole> All;
  ByKind Kinds[static_cast<size_t>(NameKind::Heuristic) + 1];
  std::vector<unsigned> ByRole[NumRoles];
};

} // namespace cudagraph::catalogue

#endif // CUDAGRAPH_CATALOGUE_ROLES_H
