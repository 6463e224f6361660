//===- ShowConfig.cpp - --dump-config and --verify-config -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShowConfig.h"
#include "catalogue/Printable.h"
#include "catalogue/Versions.h"
#include "clang-tidy/GlobList.h"
#include "rules/Analyze.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/YAMLParser.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace llvm;

namespace cudagraph::driver {
namespace {

constexpr StringRef CheckOptions[] = {"Advice", "Catalogue", "Confidence",
                                      "Roots", "Strict"};

std::string absolute(StringRef File) {
  SmallString<256> Path(File);
  (void)sys::fs::make_absolute(Path);
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

/// The files to show: the sources, or any file in the working directory.
std::vector<std::string> filesOf(const Options &Opts) {
  std::vector<std::string> Result;
  for (const std::string &Source : Opts.Sources)
    Result.push_back(absolute(Source));
  if (Result.empty())
    Result.push_back(absolute("dummy.cu"));
  return Result;
}

/// A YAML scalar for \p Text.
std::string quoted(StringRef Text) {
  // Only double quotes allow escapes for invisible characters.
  if (printable(Text) != Text)
    return "\"" + yaml::escape(Text) + "\"";
  std::string Result = "'";
  for (char C : Text) {
    Result += C;
    if (C == '\'')
      Result += C;
  }
  return Result + "'";
}

std::string quoted(const std::vector<std::string> &Items) {
  std::vector<std::string> All;
  for (const std::string &Item : Items)
    All.push_back(quoted(Item));
  return "[" + join(All, ", ") + "]";
}

StringRef spellingOf(FailOn Threshold) {
  return Threshold == FailOn::Warning  ? "warning"
         : Threshold == FailOn::Error  ? "error"
         : Threshold == FailOn::Unsafe ? "unsafe"
                                       : "none";
}

class Dumper {
public:
  Dumper(const ProjectFile &Project, ArrayRef<Config::TidyFile> Tidy,
         raw_ostream &Out)
      : Project(Project), Tidy(Tidy), Out(Out) {}

  /// Prints a line. \p Given is true if the value is from the command line.
  void line(StringRef Key, const std::string &Value, bool Given) {
    std::string Text = (Key + ": " + Value).str();
    Out << Text;
    if (Text.size() < 40)
      Out.indent(40 - Text.size());
    Out << "  # " << printable(originOf(Key, Given)) << "\n";
  }

private:
  const ProjectFile &Project;
  ArrayRef<Config::TidyFile> Tidy;
  raw_ostream &Out;

  std::string originOf(StringRef Key, bool Given) const {
    if (Given)
      return "command line";
    if (StringRef File = Project.originOf(Key); !File.empty())
      return File.str();
    for (const Config::TidyFile &File : reverse(Tidy))
      for (const auto &Option : File.Sentence.CheckOptions)
        if (Option.getKey().starts_with("cudagraph-") &&
            Option.getKey().rsplit('.').second == Key)
          return File.Path;
    return "default";
  }
};

bool anyCheckMatches(StringRef Glob) {
  clang::tidy::GlobList List(Glob);
  return any_of(allChecks(),
                [&](const CheckInfo &C) { return List.contains(C.Id); });
}

/// Returns the errors in the names that one file contains.
std::vector<std::string> mistakesIn(const Config::TidyFile &File) {
  std::vector<std::string> Result;
  for (const auto &Option : File.Sentence.CheckOptions) {
    auto [Check, Name] = Option.getKey().rsplit('.');
    if (!Check.starts_with("cudagraph-"))
      continue;
    if (none_of(allChecks(), [&](const CheckInfo &C) { return Check == C.Id; }))
      Result.push_back(("CheckOptions: there is no check '" + Check +
                        "'; did you mean '" + nearestCheck(Check) + "'?")
                           .str());
    else if (!is_contained(CheckOptions, Name))
      Result.push_back(("CheckOptions: " + Check + " has no option '" + Name +
                        "'; its options are " +
                        join(ArrayRef(CheckOptions), ", "))
                           .str());
  }
  SmallVector<StringRef> Globs;
  std::string Checks = File.Sentence.Checks.value_or("");
  std::replace(Checks.begin(), Checks.end(), '\n', ',');
  StringRef(Checks).split(Globs, ',');
  for (StringRef Glob : Globs) {
    Glob = Glob.trim();
    Glob.consume_front("-");
    if (Glob.starts_with("cudagraph-") && !anyCheckMatches(Glob))
      Result.push_back(("Checks: there is no check '" + Glob +
                        "'; did you mean '" + nearestCheck(Glob) + "'?")
                           .str());
  }
  sort(Result);
  return Result;
}

} // namespace

Error dumpConfig(const Options &Opts, const Options &CommandLine,
                 const ProjectFile &Project, Config &Settings,
                 raw_ostream &Out) {
  std::string File = filesOf(Opts).front();
  Expected<UnitSettings> Unit = Settings.settingsFor(File);
  if (!Unit)
    return Unit.takeError();
  auto Tidy = Settings.tidyFiles(File);
  if (!Tidy)
    return Tidy.takeError();
  const AnalysisOptions &Analysis = Unit->Analysis;
  std::vector<std::string> Formats;
  for (const Output &To : Opts.Outputs)
    Formats.push_back(
        (nameOf(To.As) + (To.File.empty() ? "" : ":" + To.File)).str());

  Out << "# Settings for "
      << (Opts.Sources.empty() ? "sources here" : printable(File)) << "\n";
  Dumper D(Project, *Tidy, Out);
  std::vector<std::string> Variants;
  for (const AddedArgs &Each : Opts.AlsoWith)
    Variants.push_back(Each.Text);
  D.line("Advice", Analysis.Advice ? "true" : "false",
         CommandLine.Advice.has_value());
  D.line("AlsoWith", quoted(Variants), !CommandLine.AlsoWith.empty());
  D.line("Baseline", quoted(Opts.BaselineFile),
         !CommandLine.BaselineFile.empty());
  D.line("BuildPath", quoted(Opts.BuildPath), !CommandLine.BuildPath.empty());
  D.line("Catalogue", quoted(Analysis.CatalogueFiles),
         !CommandLine.CatalogueFiles.empty());
  D.line("Checks", quoted(Opts.Checks.list()), CommandLine.ChecksGiven);
  D.line("Confidence", spelling(Analysis.Least), CommandLine.Least.has_value());
  D.line("CudaPath", quoted(Opts.CudaPath), !CommandLine.CudaPath.empty());
  D.line("CudaVersion",
         quoted(Opts.CudaVersion ? catalogue::versionText(Opts.CudaVersion)
                                 : std::string()),
         CommandLine.CudaVersion != 0);
  D.line("ExtraArgs", quoted(Opts.ExtraArgs), !CommandLine.ExtraArgs.empty());
  D.line("ExtraArgsBefore", quoted(Opts.ExtraArgsBefore),
         !CommandLine.ExtraArgsBefore.empty());
  D.line("FailOn", spellingOf(Opts.Threshold).str(), CommandLine.FailOnGiven);
  D.line("Format", quoted(Formats), CommandLine.OutputsGiven);
  D.line("HeaderFilterRegex", quoted(Opts.HeaderFilter),
         !CommandLine.HeaderFilter.empty());
  D.line("ReportUnusedNolint", Opts.ReportUnusedNolint ? "true" : "false",
         CommandLine.ReportUnusedNolint);
  D.line("Roots", quoted(Analysis.Roots), CommandLine.Roots.has_value());
  D.line("Strict", Analysis.Strict ? "true" : "false",
         CommandLine.Strict.has_value());
  return Error::success();
}

Expected<unsigned> verifyConfig(const Options &Opts, Config &Settings,
                                raw_ostream &Out) {
  unsigned Mistakes = 0;
  StringSet<> Seen;
  for (const std::string &File : filesOf(Opts)) {
    auto Tidy = Settings.tidyFiles(File);
    if (!Tidy)
      return Tidy.takeError();
    for (const Config::TidyFile &Each : *Tidy) {
      if (!Seen.insert(Each.Path).second)
        continue;
      for (const std::string &Text : mistakesIn(Each)) {
        Out << printable(Each.Path + ": " + Text) << "\n";
        ++Mistakes;
      }
    }
    // The values.
    if (auto Unit = Settings.settingsFor(File); !Unit)
      return Unit.takeError();
  }
  if (!Mistakes)
    Out << "No config errors detected.\n";
  return Mistakes;
}

} // namespace cudagraph::driver
