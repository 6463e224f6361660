//===- CatalogueParse.cpp - Parses catalogue files ------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a file section by section. The readers derived from TextReader read the
// contents of the sections. Keep schema.json consistent.
//
//===----------------------------------------------------------------------===//

#include "CatalogueParse.h"
#include "EntryReader.h"
#include "NameReader.h"
#include "OutcomeReader.h"
#include <utility>

namespace cudagraph::catalogue {

namespace {

/// Reads one file into a ParsedFile.
class FileReader : TextReader {
public:
  FileReader(Cursor &At, bool RequireReason, const ProfileMap &Shared,
             ParsedFile &Result)
      : TextReader(At), RequireReason(RequireReason), Shared(Shared),
        Result(Result) {}

  bool readFile(const json &J);

private:
  bool readProfiles(const json &J, const char *Expected, ProfileMap &Profiles);
  bool readEntries(const json &J, EntryReader &Reader, const Entry &Common);

  bool RequireReason;
  const ProfileMap &Shared;
  ParsedFile &Result;
};

} // namespace

bool FileReader::readFile(const json &J) {
  if (!checkKeys(J, {"$schema", "entries", "library", "names", "outcomes",
                     "profiles", "since", "traits"}))
    return false;
  if (!J.contains("library"))
    return fail("the field 'library' is missing; name the library to which the "
                "entries belong");
  {
    Step S(*this, "library");
    if (!readText(J["library"], Result.Library))
      return false;
  }
  if (J.contains("profiles")) {
    Step S(*this, "profiles");
    if (!readProfiles(J["profiles"], "an object that maps names to profiles",
                      Result.Profiles))
      return false;
  }
  if (J.contains("outcomes")) {
    Step S(*this, "outcomes");
    if (RequireReason)
      return fail("measured outcomes belong to the built-in data; give each "
                  "entry its own 'outcome'");
    if (!readProfiles(J["outcomes"], "an object that maps names to outcomes",
                      Result.Measured))
      return false;
  }
  EntryReader Reader(At, RequireReason, Result.Profiles, Shared);
  Entry Common;
  Common.Library = Result.Library;
  if (J.contains("since") && !Reader.readSince(J["since"], Common))
    return false;
  if (J.contains("traits") && !Reader.readTraits(J["traits"], Common.Traits))
    return false;
  if (J.contains("names") &&
      !NameReader(At, RequireReason, Result).readGroups(J["names"]))
    return false;
  return !J.contains("entries") || readEntries(J["entries"], Reader, Common);
}

bool FileReader::readProfiles(const json &J, const char *Expected,
                              ProfileMap &Profiles) {
  if (!J.is_object())
    return wrongType(J, Expected);
  for (const auto &[Name, Value] : J.items()) {
    Step S(*this, Name);
    if (!OutcomeReader(At).readProfile(Value, Profiles[Name]))
      return false;
  }
  return true;
}

/// Reads "entries", each of which also has the properties of \p Common.
bool FileReader::readEntries(const json &J, EntryReader &Reader,
                             const Entry &Common) {
  Step S(*this, "entries");
  if (!J.is_array())
    return wrongType(J, "an array of entries");
  std::map<std::string, size_t, std::less<>> Seen;
  Result.Entries.reserve(J.size());
  for (size_t I = 0; I != J.size(); ++I) {
    Step S(*this, I);
    Entry &E = Result.Entries.emplace_back(Common);
    if (!Reader.readEntry(J[I], E))
      return false;
    auto [It, IsNew] = Seen.emplace(E.Name, I);
    if (!IsNew)
      return fail("'" + E.Name + "' already has an entry, /entries/" +
                  std::to_string(It->second) + "; keep one of the two");
  }
  return true;
}

std::string parseFile(std::string_view Text, std::string_view FileName,
                      bool RequireReason, const ProfileMap &Shared,
                      ParsedFile &Result) {
  if (std::string Error = checkSyntax(Text, FileName); !Error.empty())
    return Error;
  Cursor At{FileName, {}, {}};
  FileReader(At, RequireReason, Shared, Result)
      .readFile(json::parse(Text, nullptr, /*allow_exceptions=*/false));
  return std::move(At.Error);
}

} // namespace cudagraph::catalogue
