//===- Options.h - The parsed command line ----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses argv into a value and uses nothing else: no files and no environment.
// Errors in the command line are reported here, before any work.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_OPTIONS_OPTIONS_H
#define CUDAGRAPH_DRIVER_OPTIONS_OPTIONS_H

#include "CheckFilter.h"
#include "analysis/findings/Options.h"
#include "clang-tidy/ClangTidyOptions.h"
#include "driver/reports/Format.h"
#include "driver/support/Deadline.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace cudagraph::driver {

/// The exit statuses on which users and scripts rely.
enum ExitStatus {
  ExitClean = 0,
  ExitFindings = 1,   ///< at or above --fail-on
  ExitUsage = 2,      ///< invalid command line, configuration, or environment
  ExitIncomplete = 3, ///< a translation unit was not fully analyzed
};

enum class Command {
  Check,
  Regions,
  Ops,
  Summarize,
  Link,
  ListChecks,
  Explain,
  ExportDb,
  DumpConfig,
  VerifyConfig,
  CMakeToolchain,
  Help,
  Version
};
using reports::Format;
enum class ColorMode { Auto, Always, Never };
enum class FailOn { Warning, Error, None, Unsafe };

/// One report to write. An empty File is standard output.
struct Output {
  Format As = Format::Text;
  std::string File;
};

/// Arguments of --also-with.
struct AddedArgs {
  std::string Text; ///< as given
  std::vector<std::string> Args;
};

struct Options {
  Command Cmd = Command::Check;
  /// For Explain: what to explain; for Link: the summaries.
  std::vector<std::string> Sources;
  std::string ExportPath; ///< for ExportDb: the output

  std::string BuildPath;
  /// The arguments after `--`: the compile command of every source.
  std::optional<std::vector<std::string>> CompilerArgs;
  std::vector<std::string> ExtraArgs, ExtraArgsBefore;
  std::vector<AddedArgs>
      AlsoWith; ///< each unit is also analyzed with each of them
  /// Outputs that a project file requested and that were denied; empty if none.
  std::string HeldBackNotice;
  std::string CudaPath;
  int CudaVersion = 0; ///< of the mock headers: 12040; 0: their own
  bool DefineNvcc = false;

  unsigned Jobs = 0;             ///< 0: one for each core
  unsigned TimeoutSeconds = 600; ///< for each translation unit; 0: none
  std::optional<std::string> CacheDir;
  bool NoCache = false;
  bool Preambles = true; ///< units may share the parse of their includes
  bool AllUnits = false; ///< also units that cannot affect a capture
  std::string SummaryFile, DepFile; ///< of Summarize

  // Unset options may be set by .clang-tidy; see Config.h.
  std::optional<std::string> Roots;
  std::optional<Confidence> Least;
  std::optional<bool> Strict;
  std::optional<bool> Advice;
  std::vector<std::string> CatalogueFiles;

  CheckFilter Checks;
  bool ChecksGiven = false; ///< not the default
  std::string HeaderFilter;
  std::vector<clang::tidy::FileFilter> LineFilter;
  std::vector<std::string> ProbeReports;

  std::string DiffBase; ///< empty: all lines
  bool Staged = false;
  bool NothingChanged = false; ///< of these, and there is no other source
  std::string BaselineFile;
  bool BaselineWrite = false, BaselinePrune = false;
  bool ReportUnusedNolint = false;
  std::optional<std::string> ConfigFile; ///< instead of the nearest one
  /// Absolute: candidates for the project folder if the project is not in a
  /// repository, in order of preference.
  std::vector<std::string> ProjectFolders;

  std::vector<Output> Outputs; ///< never empty
  bool OutputsGiven = false;   ///< not the default
  ColorMode Color = ColorMode::Auto;
  bool Quiet = false;
  bool Verbose = false;
  bool Fix = false;
  std::string ExportFixes;
  FailOn Threshold = FailOn::Warning;
  bool FailOnGiven = false; ///< not the default
  Deadline RunLimit;        ///< for the whole run
};

/// Parses the arguments after the program name. The error message states the
/// problem and the remedy.
llvm::Expected<Options> parseOptions(llvm::ArrayRef<const char *> Args);

/// Returns the command that the unknown word \p Word resembles; an empty string
/// if there is none.
llvm::StringRef nearestCommand(llvm::StringRef Word);

/// Checks combinations of options, which may have several origins.
llvm::Error checkTogether(const Options &Opts);

/// Returns the kind of entries that reports of \p Cmd list.
reports::Listed listedBy(Command Cmd);

/// Parses "certain", "likely", or "possible".
std::optional<Confidence> parseConfidence(llvm::StringRef Text);

/// Prints the text of --help.
void printHelp(llvm::raw_ostream &Out);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_OPTIONS_OPTIONS_H
