//===- EmbedCatalogue.cpp - Writes the data as C++ arrays -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A build tool: embed-catalogue OUTPUT FILE.json...
//
// Reads the data with the parser for users' files and writes one sorted
// constant array for each structure in Embedded.h. Files without entries come
// first, because all other files share their profiles. A name that two files
// define is an error.
//
//===----------------------------------------------------------------------===//

#include "Embedded.h"
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

using namespace cudagraph::catalogue;

static std::string quote(std::string_view Text) {
  std::string Result = "\"";
  for (char C : Text) {
    if (C == '"' || C == '\\')
      Result += '\\';
    Result += C;
  }
  return Result + '"';
}

namespace {

/// One output array. Equal runs of elements are stored once.
class Table {
public:
  /// Returns the index of \p Element.
  size_t addOne(const std::string &Element) {
    auto [It, IsNew] = Ranges.emplace(std::vector{Element}, All.size());
    if (IsNew)
      All.push_back(Element);
    return It->second;
  }
  /// Returns the C++ spelling of the range that holds \p Elements.
  std::string add(const std::vector<std::string> &Elements) {
    if (Elements.empty())
      return "{0, 0}";
    auto [It, IsNew] = Ranges.emplace(Elements, All.size());
    if (IsNew)
      All.insert(All.end(), Elements.begin(), Elements.end());
    return "{" + std::to_string(It->second) + ", " +
           std::to_string(It->second + Elements.size()) + "}";
  }
  void write(std::ostream &OS, const char *Type, const char *Name) const {
    OS << "static constexpr " << Type << ' ' << Name << "[] = {\n";
    for (const std::string &Element : All)
      OS << "    {" << Element << "},\n";
    OS << "};\n\n";
  }
  size_t size() const { return All.size(); }

private:
  std::vector<std::string> All;
  std::map<std::vector<std::string>, size_t> Ranges;
};

/// Collects the contents of the data files.
struct Output {
  Table Actions, Args, Rows, Sources, Words;
  std::vector<NamedRole> Names;
  ProfileMap Profiles;
  std::map<std::string, std::pair<Profile, std::string>> Measured; ///< and file
  std::map<std::string, std::pair<Entry, std::string>> Entries;    ///< and file

  std::string addRows(const std::vector<OutcomeRow> &List);
  std::string addSources(const std::vector<Evidence> &List);
  std::string addArgs(const Entry &E);
  size_t addAction(const ActionText &A);
  void write(std::ostream &OS);
};

} // namespace

std::string Output::addRows(const std::vector<OutcomeRow> &List) {
  std::vector<std::string> Elements;
  for (const OutcomeRow &Row : List) {
    unsigned Streams = 0;
    for (StreamRelation S : Row.Streams)
      Streams |= 1U << static_cast<unsigned>(S);
    unsigned When = 0;
    for (Condition C : Row.When)
      When |= 1U << static_cast<unsigned>(C);
    std::ostringstream OS;
    OS << Streams << ", "
       << (Row.Capturing ? static_cast<int>(*Row.Capturing) : -1) << ", "
       << When << ", {";
    for (int M = 0; M != 3; ++M) {
      const Cell &C = Row.ByMode[M];
      OS << (M ? ", " : "")
         << (C.What == Cell::Error
                 ? C.Code + (C.Survives ? embedded::Survives : 0)
                 : -static_cast<int>(C.What));
    }
    OS << '}';
    Elements.push_back(OS.str());
  }
  return Rows.add(Elements);
}

std::string Output::addSources(const std::vector<Evidence> &List) {
  std::vector<std::string> Elements;
  for (const Evidence &E : List)
    Elements.push_back(quote(E.Kind) + ", " + quote(E.Source));
  return Sources.add(Elements);
}

std::string Output::addArgs(const Entry &E) {
  std::vector<std::string> Elements;
  for (const auto &[Role, Position] : E.Args)
    Elements.push_back(quote(Role) + ", " + std::to_string(Position));
  return Args.add(Elements);
}

size_t Output::addAction(const ActionText &A) {
  return Actions.addOne(quote(A.Does) + ", " + quote(A.Event) + ", " +
                        quote(A.EventNoun) + ", " + quote(A.Stream) + ", " +
                        quote(A.StreamLink));
}

void Output::write(std::ostream &OS) {
  std::ostringstream Records, Named;
  // Effects are numbered in the order of Effects.def.
  for (const auto &[Name, Item] : Entries) {
    const Entry &E = Item.first;
    Records << "    {" << quote(Name) << ", " << quote(E.Library)
            << ", static_cast<Effect>(" << static_cast<int>(E.Does) << "), "
            << addArgs(E) << ", " << addRows(E.Outcomes) << ", "
            << addSources(E.Sources) << ", " << quote(E.LastRole) << ", "
            << addAction(E.ActionWords) << ", " << quote(E.Advice) << ", "
            << quote(E.Direction) << ", " << quote(E.Returns) << ", " << E.Since
            << ", " << quote(E.SinceText) << ", " << E.Traits << "},\n";
  }
  std::ostringstream Roles;
  // Roles are numbered in the order of Roles.def.
  for (const NamedRole &Item : Names) {
    std::vector<std::string> Spelled;
    for (const std::string &Part : Item.Spelled)
      Spelled.push_back(quote(Part));
    Roles << "    {" << quote(Item.Name) << ", static_cast<Role>("
          << static_cast<int>(Item.Is) << "), "
          << (Item.Value ? "true, " : "false, ") << Item.Value.value_or(0)
          << ", " << quote(Item.As) << ", " << Words.add(Spelled) << ", "
          << quote(Item.Action) << ", " << quote(Item.Advice) << ", "
          << addSources(Item.Sources) << ", " << quote(Item.Library) << "},\n";
  }
  for (const auto &[Name, P] : Profiles)
    Named << "    {" << quote(Name) << ", " << addRows(P.Rows) << ", "
          << addSources(P.Sources) << "},\n";
  OS << "// Generated by embed-catalogue from "
        "checks/catalogue/data/*.json.\n\n";
  Actions.write(OS, "Action", "Actions");
  Args.write(OS, "Arg", "Args");
  Rows.write(OS, "Row", "Rows");
  Sources.write(OS, "Source", "Sources");
  Words.write(OS, "Word", "Words");
  OS << "static constexpr Record Records[] = {\n"
     << Records.str() << "};\n\n"
     << "static constexpr Name Names[] = {\n"
     << Roles.str() << "};\n\n"
     << "static constexpr NamedProfile Profiles[] = {\n"
     << Named.str() << "};\n";
}

static int fail(const std::string &Message) {
  std::cerr << "embed-catalogue: error: " << Message << '\n';
  return 1;
}

int main(int Argc, char **Argv) {
  if (Argc < 3)
    return fail("usage: embed-catalogue OUTPUT FILE.json...");
  std::vector<std::pair<std::string, std::string>> Texts; // path, content
  for (int I = 2; I != Argc; ++I) {
    std::ifstream In(Argv[I], std::ios::binary);
    if (!In)
      return fail(std::string(Argv[I]) + ": cannot read the file");
    Texts.emplace_back(Argv[I],
                       std::string(std::istreambuf_iterator<char>(In), {}));
  }
  std::sort(Texts.begin(), Texts.end(), [](const auto &A, const auto &B) {
    auto HasEntries = [](const auto &T) {
      return T.second.find("\"entries\"") != std::string::npos;
    };
    return std::pair(HasEntries(A), A.first) <
           std::pair(HasEntries(B), B.first);
  });

  Output Out;
  for (const auto &[Path, Text] : Texts) {
    ParsedFile File;
    if (std::string Error =
            parseFile(Text, Path, /*RequireReason=*/false, Out.Profiles, File);
        !Error.empty())
      return fail(Error);
    if (File.Entries.empty())
      Out.Profiles.merge(File.Profiles);
    for (NamedRole &Item : File.Names)
      Out.Names.push_back(std::move(Item));
    for (auto &[Name, P] : File.Measured)
      Out.Measured.emplace(Name, std::pair(std::move(P), Path));
    for (Entry &E : File.Entries) {
      std::string Name = E.Name;
      auto [It, IsNew] =
          Out.Entries.try_emplace(Name, std::pair(std::move(E), Path));
      if (!IsNew)
        return fail(Path + ": '" + Name + "' already has an entry in " +
                    It->second.second + "; keep one of the two");
    }
  }

  for (auto &[Name, Item] : Out.Measured) {
    auto &[Profile, Path] = Item;
    auto It = Out.Entries.find(Name);
    if (It == Out.Entries.end())
      return fail(Path + ": '" + Name +
                  "' was measured and has no entry; add one to the file of "
                  "its library");
    Entry &E = It->second.first;
    if (!E.Outcomes.empty())
      return fail(It->second.second + ": '" + Name +
                  "' was measured; remove its 'outcome', which " + Path +
                  " provides");
    E.Outcomes = std::move(Profile.Rows);
    E.Sources.insert(E.Sources.begin(), Profile.Sources.begin(),
                     Profile.Sources.end());
  }

  for (auto &[Name, Item] : Out.Entries) {
    Entry &E = Item.first;
    if (E.Like.empty())
      continue;
    auto It = Out.Entries.find(E.Like);
    if (It == Out.Entries.end() || It->second.first.Outcomes.empty() ||
        !It->second.first.Like.empty())
      return fail(Item.second + ": '" + Name + "' is declared like '" + E.Like +
                  "', which has no outcomes of its own");
    const Entry &Other = It->second.first;
    E.Outcomes = Other.Outcomes;
    E.Sources.insert(E.Sources.begin(), Other.Sources.begin(),
                     Other.Sources.begin() + 1);
  }

  std::ofstream OS(Argv[1], std::ios::binary);
  Out.write(OS);
  OS.close();
  if (!OS)
    return fail(std::string(Argv[1]) + ": cannot write the file");
  if (Out.Actions.size() > UINT16_MAX || Out.Args.size() > UINT16_MAX ||
      Out.Rows.size() > UINT16_MAX || Out.Sources.size() > UINT16_MAX)
    return fail("the data exceeds the 16-bit indices of Embedded.h");
  return 0;
}
