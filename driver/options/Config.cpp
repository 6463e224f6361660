//===- Config.cpp - Settings of one source, from all origins --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Config.h"
#include "driver/support/Errors.h"
#include "driver/support/InputBuffer.h"
#include "rules/Analyze.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// The values of the check option \p Key of all cudagraph checks, sorted by the
/// full name of the option: "cudagraph-sync-call.Roots".
std::vector<std::pair<std::string, std::string>>
checkOption(const clang::tidy::ClangTidyOptions &Options, StringRef Key) {
  std::vector<std::pair<std::string, std::string>> Result;
  for (const auto &Option : Options.CheckOptions) {
    StringRef Name = Option.getKey();
    auto [Check, Local] = Name.rsplit('.');
    if (Check.starts_with("cudagraph-") && Local == Key &&
        !Option.getValue().Value.empty())
      Result.emplace_back(Name.str(), Option.getValue().Value);
  }
  sort(Result);
  return Result;
}

Error badOption(StringRef File, StringRef Name, const Twine &Why) {
  return makeError("the .clang-tidy file for " + File + ": " + Name + ": " +
                   Why);
}

/// clang-tidy's reader, which also records the errors in a file, because
/// settings that are silently lost would change the findings.
class OptionsReader : public clang::tidy::FileOptionsProvider {
public:
  explicit OptionsReader(std::string &Problem)
      : FileOptionsProvider(clang::tidy::ClangTidyGlobalOptions(),
                            clang::tidy::ClangTidyOptions(),
                            clang::tidy::ClangTidyOptions()) {
    ConfigHandlers = {{".clang-tidy", [&Problem](MemoryBufferRef File) {
                         return read(File, Problem);
                       }}};
  }

private:
  static ErrorOr<clang::tidy::ClangTidyOptions> read(MemoryBufferRef File,
                                                     std::string &Problem) {
    if (std::string Why = checkYaml(File.getBuffer()); !Why.empty()) {
      if (Problem.empty())
        Problem = (File.getBufferIdentifier() + ": " + Why).str();
      return make_error_code(errc::invalid_argument);
    }
    return clang::tidy::parseConfigurationWithDiags(
        File, [&](const SMDiagnostic &D) {
          if (Problem.empty())
            Problem = (File.getBufferIdentifier() + ":" + Twine(D.getLineNo()) +
                       ":" + Twine(D.getColumnNo() + 1) + ": " + D.getMessage())
                          .str();
        });
  }
};

/// Moves \p File to its nearest directory that exists. clang-tidy prints an
/// error for a directory that does not exist, but databases may name missing
/// files.
std::string placed(StringRef File) {
  StringRef Directory = sys::path::parent_path(File);
  if (sys::fs::is_directory(Directory))
    return File.str();
  while (!Directory.empty() && !sys::fs::is_directory(Directory))
    Directory = sys::path::parent_path(Directory);
  SmallString<256> Result(Directory);
  sys::path::append(Result, sys::path::filename(File));
  return Result.str().str();
}

void addUnique(std::vector<std::string> &To, StringRef Item) {
  if (!Item.empty() && !is_contained(To, Item))
    To.push_back(Item.str());
}

} // namespace

Config::Config(const Options &Opts)
    : Opts(Opts), Provider(std::make_unique<OptionsReader>(Unreadable)) {}

Config::~Config() = default;

Expected<const catalogue::Catalogue *>
Config::catalogueWith(const std::vector<std::string> &Files) {
  if (Files.empty())
    return &catalogue::Catalogue::builtin();
  std::unique_ptr<catalogue::Catalogue> &Slot = Catalogues[Files];
  if (!Slot) {
    auto Extended =
        std::make_unique<catalogue::Catalogue>(catalogue::Catalogue::builtin());
    for (const std::string &File : Files)
      if (std::string Why = Extended->addFile(File); !Why.empty())
        return makeError(Why);
    Slot = std::move(Extended);
  }
  return Slot.get();
}

Expected<std::vector<Config::TidyFile>> Config::tidyFiles(StringRef File) {
  std::vector<TidyFile> Result;
  for (const auto &[Sentence, Origin] : Provider->getRawOptions(placed(File)))
    if (sys::path::filename(Origin) == ".clang-tidy")
      Result.push_back({Origin, Sentence});
  if (!Unreadable.empty())
    return makeError(Unreadable);
  return Result;
}

Expected<UnitSettings> Config::settingsFor(StringRef File) {
  clang::tidy::ClangTidyOptions Tidy = Provider->getOptions(placed(File));
  if (!Unreadable.empty())
    return makeError(Unreadable);
  UnitSettings Result;
  AnalysisOptions &Analysis = Result.Analysis;

  if (Opts.Roots) {
    Analysis.Roots = *Opts.Roots;
  } else {
    std::vector<std::string> Kinds;
    for (const auto &[Name, Value] : checkOption(Tidy, "Roots")) {
      RootSelection Ignored;
      std::string Why;
      if (!RootSelection::parse(Value, Ignored, Why))
        return badOption(File, Name, Why);
      addUnique(Kinds, Value);
    }
    if (!checkOption(Tidy, "Roots").empty())
      Analysis.Roots = join(Kinds, ",");
  }

  if (Opts.Least) {
    Analysis.Least = *Opts.Least;
  } else {
    std::optional<Confidence> Weakest;
    for (const auto &[Name, Value] : checkOption(Tidy, "Confidence")) {
      std::optional<Confidence> Parsed = parseConfidence(Value);
      if (!Parsed)
        return badOption(File, Name,
                         "'" + Value +
                             "' is not a confidence level; the values are "
                             "certain, likely, and possible");
      Weakest = Weakest ? std::min(*Weakest, *Parsed) : *Parsed;
    }
    Analysis.Least = Weakest.value_or(Analysis.Least);
  }

  if (Opts.Strict) {
    Analysis.Strict = *Opts.Strict;
  } else {
    for (const auto &[Name, Value] : checkOption(Tidy, "Strict")) {
      // The spellings of booleans that clang-tidy accepts.
      if (!is_contained({"true", "false", "1", "0"}, StringRef(Value)))
        return badOption(File, Name,
                         "'" + Value +
                             "' is neither true nor "
                             "false");
      Analysis.Strict |= Value == "true" || Value == "1";
    }
  }

  if (Opts.Advice) {
    Analysis.Advice = *Opts.Advice;
  } else {
    for (const auto &[Name, Value] : checkOption(Tidy, "Advice")) {
      if (!is_contained({"true", "false", "1", "0"}, StringRef(Value)))
        return badOption(File, Name,
                         "'" + Value + "' is neither true nor false");
      Analysis.Advice |= Value == "true" || Value == "1";
    }
  }

  for (const auto &[Name, Value] : checkOption(Tidy, "Catalogue")) {
    SmallVector<StringRef> Files;
    StringRef(Value).split(Files, ';');
    for (StringRef One : Files)
      addUnique(Analysis.CatalogueFiles, One.trim());
  }
  // Later files take precedence, so those of the command line come last.
  for (const std::string &One : Opts.CatalogueFiles)
    addUnique(Analysis.CatalogueFiles, One);

  auto Known = catalogueWith(Analysis.CatalogueFiles);
  if (!Known)
    return Known.takeError();
  Result.Known = *Known;
  return Result;
}

} // namespace cudagraph::driver
