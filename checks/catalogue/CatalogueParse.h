//===- CatalogueParse.h - Parses catalogue files ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One parser reads the embedded data at build time and the users' files at run
// time, so that both follow the same rules, which docs/catalogue.md and
// schema.json describe. The schema is closed; any other field is an error with
// a location, a reason, and a remedy.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CATALOGUE_CATALOGUEPARSE_H
#define CUDAGRAPH_CATALOGUE_CATALOGUEPARSE_H

#include "Catalogue.h"

namespace cudagraph::catalogue {

/// A named list of outcome rows that several entries share.
struct Profile {
  std::vector<OutcomeRow> Rows;
  std::vector<Evidence> Sources;
};
using ProfileMap = std::map<std::string, Profile, std::less<>>;

/// One catalogue file. Entries do not refer to other objects: the rows and the
/// evidence of their profile are copied into them.
struct ParsedFile {
  std::string Library;
  ProfileMap Profiles;
  std::vector<Entry> Entries;
  std::vector<NamedRole> Names;
  /// Measured outcomes of entries in other files; embedded data only.
  ProfileMap Measured;
};

/// Parses and validates \p Text. Outcomes may name the file's own profiles and
/// those of \p Shared. Returns an empty string, or a message as described at
/// Catalogue::add(); \p Result is then unspecified.
std::string parseFile(std::string_view Text, std::string_view FileName,
                      bool RequireReason, const ProfileMap &Shared,
                      ParsedFile &Result);

} // namespace cudagraph::catalogue

#endif // CUDAGRAPH_CATALOGUE_CATALOGUEPARSE_H
