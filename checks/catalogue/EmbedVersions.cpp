//===- EmbedVersions.cpp - Writes versions.json as an array ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A build tool: embed-versions OUTPUT versions.json
//
//===----------------------------------------------------------------------===//

#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

using nlohmann::json;

static int fail(const std::string &Message) {
  std::cerr << "embed-versions: " << Message << "\n";
  return 1;
}

/// Writes the forms of \p Name; returns the error in them, or nothing.
static std::string writeForms(const std::string &Name, const json &All,
                              const json &Oldest, const json &Newest,
                              std::ostream &OS) {
  if (!All.is_array() || All.empty())
    return "has no forms";
  int Before = 0;
  for (const json &F : All) {
    int Since = F.value("since", 0), Until = F.value("until", 0);
    if ((Since && Since <= Oldest) || (Until && Until >= Newest) ||
        (Until && Until < Since) || (Before && Since <= Before))
      return "has versions that are out of order, or that are implied";
    if (!Since && !Until)
      return "has a form that covers all versions";
    Before = Until ? Until : Newest.get<int>();
    std::string Parameters;
    for (const json &P : F.value("parameters", json::array()))
      Parameters += (Parameters.empty() ? "" : ", ") + P.get<std::string>();
    if (All.size() > 1 && Parameters.empty())
      return "has several forms, and one of them lacks its parameters";
    OS << "    {\"" << Name << "\", " << Since << ", " << Until << ", \""
       << Parameters << "\"},\n";
  }
  return "";
}

int main(int Argc, char **Argv) {
  if (Argc != 3)
    return fail("usage: embed-versions OUTPUT versions.json");
  std::ifstream In(Argv[2], std::ios::binary);
  std::string Text{std::istreambuf_iterator<char>(In), {}};
  json Data = json::parse(Text, nullptr, /*allow_exceptions=*/false);
  std::string Path = Argv[2];
  if (!Data.is_object() || !Data.contains("names"))
    return fail(Path + ": cannot be read as JSON with 'names'");
  std::ofstream OS(Argv[1], std::ios::binary);
  OS << "static constexpr Form Forms[] = {\n";
  // The parser sorts the names in an object.
  for (const auto &[Name, Forms] : Data["names"].items())
    if (std::string Wrong =
            writeForms(Name, Forms, Data["oldest"], Data["newest"], OS);
        !Wrong.empty())
      return fail(Path + ": '" + Name + "' " + Wrong);
  OS << "};\nstatic constexpr int Oldest = " << Data["oldest"]
     << ", Newest = " << Data["newest"] << ", Measured = " << Data["measured"]
     << ";\n";
  OS.close();
  return OS ? 0 : fail(std::string(Argv[1]) + ": cannot write the file");
}
