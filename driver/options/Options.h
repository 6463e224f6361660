//===- Options.h - The command line, parsed ---------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns argv into a value and touches nothing else: no file, no environment.
// What is wrong with the command line is found here, before any work.
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

/// The exit statuses that users and scripts rely on.
enum ExitStatus {
  ExitClean = 0,
  ExitFindings = 1,   ///< at or above --fail-on
  ExitUsage = 2,      ///< command line, configuration or environment
  ExitIncomplete = 3, ///< some translation unit was not fully analysed
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
  std::string ExportPath; ///< for ExportDb: where to

  std::string BuildPath;
  /// The arguments after `--`: the compile command of every source.
  std::optional<std::vector<std::string>> CompilerArgs;
  std::vector<std::string> ExtraArgs, ExtraArgsBefore;
  std::vector<AddedArgs> AlsoWith; ///< each unit is analysed with each of them
  /// What a project file wanted of these and did not get; empty if nothing.
  std::string HeldBackNotice;
  std::string CudaPath;
  int CudaVersion = 0; ///< of the mock headers: 12040; 0: their own
  bool DefineNvcc = false;

  unsigned Jobs = 0;             ///< 0: one for each core
  unsigned TimeoutSeconds = 600; ///< for each translation unit; 0: none
  std::optional<std::string> CacheDir;
  bool NoCache = false;
  bool AllUnits = false; ///< also those that no capture has to do with
  std::string SummaryFile, DepFile; ///< of Summarize

  // Unset ones may be given by .clang-tidy; see Config.h.
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

  std::string DiffBase; ///< empty: all lines count
  bool Staged = false;
  bool NothingChanged = false; ///< of these, and there is no other source
  std::string BaselineFile;
  bool BaselineWrite = false, BaselinePrune = false;
  bool ReportUnusedNolint = false;
  std::optional<std::string> ConfigFile; ///< instead of the nearest one
  /// Absolute: folders that may be those of the project, where it is in no
  /// repository; the best first.
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
  Deadline RunLimit;        ///< for everything that is done
};

/// Parses the arguments after the program's name. The error's message says
/// what is wrong and what would be right.
llvm::Expected<Options> parseOptions(llvm::ArrayRef<const char *> Args);

/// Returns the sub-command that \p Word, which is none, may be meant to be; an
/// empty string if it is like none of them.
llvm::StringRef nearestCommand(llvm::StringRef Word);

/// Checks what only all origins together can satisfy.
llvm::Error checkTogether(const Options &Opts);

/// Returns what the reports of \p Cmd list.
reports::Listed listedBy(Command Cmd);

/// Parses "certain", "likely" or "possible".
std::optional<Confidence> parseConfidence(llvm::StringRef Text);

/// Prints what --help prints.
void printHelp(llvm::raw_ostream &Out);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_OPTIONS_OPTIONS_H
