//===- ProjectSettings.cpp - .cudagraph-tidy.yaml in the editor -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProjectSettings.h"
#include "Clangd.h"
#include "Session.h"
#include "driver/options/ProjectFile.h"
#include "rules/Analyze.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <mutex>

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// Errors in project files, each shown once.
class Problems {
public:
  void set(StringRef File, StringRef Problem) {
    std::lock_guard<std::mutex> Guard(Lock);
    std::string &Known = ByFile[File];
    if (Known == Problem)
      return;
    Known = Problem.str();
    if (!Known.empty())
      reportInLog(Known, /*IsError=*/true);
    showProblem(File, Problem);
  }

  void reportOnce(StringRef Text) {
    std::lock_guard<std::mutex> Guard(Lock);
    if (Said.insert(Text).second)
      reportInLog(Text.str());
  }

private:
  std::mutex Lock;
  StringMap<std::string> ByFile;
  StringSet<> Said;
};

/// Returns the file with which an error message begins.
StringRef fileIn(StringRef Message) {
  size_t At = Message.find(ProjectFile::Name);
  return At == StringRef::npos
             ? ""
             : Message.take_front(At + ProjectFile::Name.size());
}

} // namespace

std::optional<Options> projectOptions(StringRef File) {
  static Problems Known;
  Options Wanted;
  Wanted.Sources = {File.str()};
  Expected<ProjectFile> Found = ProjectFile::find(Wanted);
  if (!Found) {
    std::string Why = toString(Found.takeError());
    Known.set(fileIn(Why), Why);
    return std::nullopt;
  }
  for (const std::string &Each : Found->files())
    Known.set(Each, "");
  if (Found->files().empty())
    return std::nullopt;
  std::vector<std::string> Words = Found->arguments(Wanted);
  std::vector<const char *> Arguments;
  for (const std::string &Word : Words)
    Arguments.push_back(Word.c_str());
  Expected<Options> Result = parseOptions(Arguments);
  if (!Result) { // each word was valid on its own
    std::string Why = toString(Result.takeError());
    Known.set(Found->files().front(), Why);
    return std::nullopt;
  }
  // The rest of the text names an option of the driver that this program does
  // not have.
  if (std::string Text = Found->heldBack(); !Text.empty())
    Known.reportOnce(StringRef(Text).split(';').first);
  return std::move(*Result);
}

void applyProjectSettings(StringRef File, clang::tidy::ClangTidyOptions &Tidy) {
  std::optional<Options> Sentence = projectOptions(File);
  if (!Sentence)
    return;
  auto Set = [&](StringRef Check, const char *Name, const std::string &Value) {
    Tidy.CheckOptions[(Check + "." + Name).str()].Value = Value;
  };
  std::string Off;
  for (const CheckInfo &Check : allChecks()) {
    StringRef Id = Check.Id;
    if (!Sentence->Checks.enabled(Id))
      Off += (",-" + Id).str();
    if (Sentence->Roots)
      Set(Id, "Roots", *Sentence->Roots);
    if (Sentence->Least)
      Set(Id, "Confidence", spelling(*Sentence->Least));
    if (Sentence->Strict)
      Set(Id, "Strict", *Sentence->Strict ? "true" : "false");
    if (Sentence->Advice)
      Set(Id, "Advice", *Sentence->Advice ? "true" : "false");
    if (Sentence->CatalogueFiles.empty())
      continue;
    // Later files take precedence, as in the driver.
    std::string All = join(Sentence->CatalogueFiles, ";");
    std::string &Value = Tidy.CheckOptions[(Id + ".Catalogue").str()].Value;
    Value = Value.empty() ? All : Value + ";" + All;
  }
  if (Sentence->ChecksGiven)
    Tidy.Checks = Tidy.Checks.value_or("") + Off;
}

} // namespace cudagraph::driver
