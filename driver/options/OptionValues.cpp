//===- OptionValues.cpp - The values of options ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file has one function for each subject. The first invalid value is
// reported.
//
//===----------------------------------------------------------------------===//

#include "OptionValues.h"
#include "OptionTable.h"
#include "driver/support/Errors.h"
#include "driver/support/InputBuffer.h"
#include "support/Nesting.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

Error wrongValue(StringRef Option, StringRef Value, StringRef Valid) {
  return makeError("invalid value '" + Value + "' for " + Option +
                   "; the values are " + Valid);
}

/// Parses "json:out.json".
Expected<Output> parseFormat(StringRef Text, Command Cmd) {
  auto [Name, File] = Text.split(':');
  std::optional<Format> As = reports::findFormat(Name, listedBy(Cmd));
  if (!As)
    return wrongValue("--format", Name, reports::formatNames(listedBy(Cmd)));
  Output Result;
  Result.As = *As;
  if (Text.contains(':') && File.empty())
    return makeError("--format=" + Text + " needs a file");
  if (File != "-")
    Result.File = File.str();
  return Result;
}

Error parseOutputs(const opt::InputArgList &Args, Options &Opts) {
  unsigned ToStdout = 0;
  for (const std::string &Text : Args.getAllArgValues(OPT_format)) {
    Expected<Output> Out = parseFormat(Text, Opts.Cmd);
    if (!Out)
      return Out.takeError();
    ToStdout += Out->File.empty();
    Opts.Outputs.push_back(*Out);
  }
  if (ToStdout > 1)
    return makeError("two reports would be written to standard output; name a "
                     "file for one: --format=json:FILE");
  Opts.OutputsGiven = !Opts.Outputs.empty();
  if (Opts.Outputs.empty())
    Opts.Outputs.emplace_back();
  return Error::success();
}

/// The selection of findings.
Error parseSelection(const opt::InputArgList &Args, Options &Opts) {
  Opts.DiffBase = Args.getLastArgValue(OPT_diff_base).str();
  if (Args.hasArg(OPT_diff_base) && Opts.DiffBase.empty())
    return makeError("--diff-base needs a commit");
  Opts.Staged = Args.hasArg(OPT_staged);
  if (Opts.Staged && !Opts.DiffBase.empty())
    return makeError("--staged and --diff-base cannot be combined: staged "
                     "changes are compared with HEAD");
  Opts.BaselineFile = Args.getLastArgValue(OPT_baseline).str();
  if (Args.hasArg(OPT_baseline) && Opts.BaselineFile.empty())
    return makeError("--baseline needs a file");
  Opts.BaselineWrite = Args.hasArg(OPT_baseline_write);
  Opts.BaselinePrune = Args.hasArg(OPT_baseline_prune);
  if (Opts.BaselineWrite && Opts.BaselinePrune)
    return makeError("--baseline-write writes all findings, so there is "
                     "nothing to prune; use only one of the two options");
  Opts.ReportUnusedNolint = Args.hasArg(OPT_report_unused_nolint);
  Opts.ExportFixes = Args.getLastArgValue(OPT_export_fixes).str();
  if (Args.hasArg(OPT_export_fixes) && Opts.ExportFixes.empty())
    return makeError("--export-fixes needs a file");
  if (Opts.Cmd == Command::Check || Opts.Cmd == Command::Link ||
      Opts.Cmd == Command::DumpConfig || Opts.Cmd == Command::VerifyConfig)
    return Error::success();
  for (auto Id : {OPT_probe_report, OPT_diff_base, OPT_staged, OPT_baseline,
                  OPT_baseline_write, OPT_baseline_prune,
                  OPT_report_unused_nolint, OPT_export_fixes})
    if (const opt::Arg *A = Args.getLastArg(Id))
      return makeError(StringRef(A->getSpelling()).rtrim('=') +
                       " does not apply: this command has no findings");
  return Error::success();
}

Error parseAnalysis(const opt::InputArgList &Args, Options &Opts) {
  if (Args.hasArg(OPT_checks)) {
    Expected<CheckFilter> Filter =
        CheckFilter::parse(join(Args.getAllArgValues(OPT_checks), ","));
    if (!Filter)
      return Filter.takeError();
    Opts.Checks = *Filter;
    Opts.ChecksGiven = true;
  }
  if (Args.hasArg(OPT_roots)) {
    Opts.Roots = join(Args.getAllArgValues(OPT_roots), ",");
    RootSelection Ignored;
    std::string Why;
    if (!RootSelection::parse(*Opts.Roots, Ignored, Why))
      return makeError("--roots: " + Why);
  }
  if (const opt::Arg *A = Args.getLastArg(OPT_confidence)) {
    Opts.Least = parseConfidence(A->getValue());
    if (!Opts.Least)
      return wrongValue("--confidence", A->getValue(),
                        "certain, likely, and possible");
  }
  if (Args.hasArg(OPT_strict))
    Opts.Strict = true;
  if (Args.hasArg(OPT_advice))
    Opts.Advice = true;
  Opts.CatalogueFiles = Args.getAllArgValues(OPT_catalogue);

  Opts.HeaderFilter = Args.getLastArgValue(OPT_header_filter).str();
  std::string Why;
  if (Why = support::checkRegexNesting(Opts.HeaderFilter); !Why.empty())
    return makeError("--header-filter: " + Why);
  if (!Opts.HeaderFilter.empty() && !Regex(Opts.HeaderFilter).isValid(Why))
    return makeError("--header-filter=" + Opts.HeaderFilter + ": " + Why);
  if (const opt::Arg *A = Args.getLastArg(OPT_line_filter)) {
    clang::tidy::ClangTidyGlobalOptions Parsed;
    // clang-tidy reads this JSON with LLVM's YAML reader, which crashes on
    // deeply nested YAML.
    if (Why = checkYaml(A->getValue()); !Why.empty())
      return makeError("--line-filter: " + Why);
    if (Expected<json::Value> Value = json::parse(A->getValue()); !Value)
      return makeError(Twine("--line-filter=") + A->getValue() + ": " +
                       toString(Value.takeError()));
    if (std::error_code EC =
            clang::tidy::parseLineFilter(A->getValue(), Parsed))
      return makeError(Twine("--line-filter=") + A->getValue() + ": " +
                       EC.message());
    Opts.LineFilter = std::move(Parsed.LineFilter);
  }
  Opts.ProbeReports = Args.getAllArgValues(OPT_probe_report);
  return parseSelection(Args, Opts);
}

/// Parses \p A, a number from \p Least to \p Most.
Error parseNumber(const opt::Arg *A, unsigned Least, unsigned Most,
                  unsigned &Result) {
  if (!A)
    return Error::success();
  StringRef Text = A->getValue();
  if (Text.getAsInteger(10, Result) || Result < Least || Result > Most)
    return makeError("invalid value '" + Text + "' for " +
                     StringRef(A->getSpelling()).rtrim('=') +
                     "; expected a number from " + Twine(Least) + " to " +
                     Twine(Most));
  return Error::success();
}

Error parseExecution(const opt::InputArgList &Args, Options &Opts) {
  if (Error E = parseNumber(Args.getLastArg(OPT_j), 1, 4096, Opts.Jobs))
    return E;
  if (Error E = parseNumber(Args.getLastArg(OPT_timeout_per_tu), 0, 1'000'000,
                            Opts.TimeoutSeconds))
    return E;
  unsigned RunSeconds = 0;
  if (Error E =
          parseNumber(Args.getLastArg(OPT_timeout), 0, 1'000'000, RunSeconds))
    return E;
  Opts.RunLimit = Deadline(RunSeconds);
  Opts.NoCache = Args.hasArg(OPT_no_cache);
  Opts.Preambles = Args.hasFlag(OPT_shared_preambles, OPT_no_preamble, true);
  Opts.AllUnits = Args.hasArg(OPT_all_units);
  if (const opt::Arg *A = Args.getLastArg(OPT_cache_dir)) {
    Opts.CacheDir = A->getValue();
    if (Opts.CacheDir->empty())
      return makeError("--cache-dir needs a directory; to disable the cache, "
                       "use --no-cache");
  }
  Opts.SummaryFile = Args.getLastArgValue(OPT_o).str();
  Opts.DepFile = Args.getLastArgValue(OPT_depfile).str();
  bool Summarizes = Opts.Cmd == Command::Summarize;
  if (Summarizes && Opts.SummaryFile.empty())
    return makeError("summarize needs -o, the file to write");
  for (const opt::Arg *A :
       {Args.getLastArg(OPT_o), Args.getLastArg(OPT_depfile)})
    if (A && !Summarizes)
      return makeError(StringRef(A->getSpelling()).rtrim('=') +
                       " is an option of summarize; --format=<fmt>:<file> "
                       "writes a report to a file");
  return Error::success();
}

/// Parses the arguments with which units are analyzed a second time.
Error parseVariants(const opt::InputArgList &Args, Options &Opts) {
  for (const std::string &Text : Args.getAllArgValues(OPT_also_with)) {
    AddedArgs New;
    New.Args = splitArguments(Text);
    New.Text = join(New.Args, " ");
    if (New.Args.empty())
      return makeError("--also-with needs an argument");
    if (none_of(Opts.AlsoWith,
                [&](const AddedArgs &A) { return A.Args == New.Args; }))
      Opts.AlsoWith.push_back(std::move(New));
  }
  if (Opts.AlsoWith.empty())
    return Error::success();
  if (Opts.Cmd == Command::Link)
    return makeError(
        "--also-with does not apply to link, which does not compile");
  if (Opts.Cmd == Command::Summarize || Opts.Cmd == Command::ExportDb)
    return makeError("--also-with applies only to commands that compile and "
                     "analyze; add arguments with --extra-arg");
  return Error::success();
}

} // namespace

std::vector<std::string> splitArguments(StringRef Text) {
  BumpPtrAllocator Memory;
  StringSaver Saver(Memory);
  SmallVector<const char *> Words;
  cl::TokenizeGNUCommandLine(Text, Saver, Words);
  return {Words.begin(), Words.end()};
}

std::string joinArguments(ArrayRef<std::string> Args) {
  std::string Result;
  for (StringRef Arg : Args) {
    if (!Result.empty())
      Result += ' ';
    for (char C : Arg) {
      if (isSpace(C) || StringRef("'\"\\").contains(C))
        Result += '\\';
      Result += C;
    }
  }
  return Result;
}

static Error parseCuda(const opt::InputArgList &Args, Options &Opts) {
  Opts.CudaPath = Args.getLastArgValue(OPT_cuda_path).str();
  Opts.DefineNvcc = Args.hasArg(OPT_define_nvcc);
  StringRef Text = Args.getLastArgValue(OPT_cuda_version);
  if (Text.empty())
    return Error::success();
  auto [First, Second] = Text.split('.');
  unsigned Major = 0, Minor = 0;
  bool IsNewest = Text == First || Second == "x"; // 12 and 12.x
  if (First.getAsInteger(10, Major) || Major < 11 || Major > 13 ||
      (!IsNewest && Second.getAsInteger(10, Minor)) || Minor > 9 ||
      (Major == 11 && !IsNewest && Minor < 4))
    return makeError(
        "--cuda-version=" + Text +
        ": the mock headers support versions from 11.4, such as 11.8, 12.4, "
        "and 13 (the newest 13); for another version, name a toolkit with "
        "--cuda-path");
  if (IsNewest)
    Minor = Major == 11 ? 8 : Major == 12 ? 9 : 0;
  if (!Opts.CudaPath.empty() && Opts.CudaPath != "mock")
    return makeError("--cuda-version selects mock headers, and --cuda-path=" +
                     Opts.CudaPath + " names a toolkit; remove one of them");
  Opts.CudaPath = "mock";
  Opts.CudaVersion = Major * 1000 + Minor * 10;
  return Error::success();
}

Error parseValues(const opt::InputArgList &Args, Options &Opts) {
  if (Error E = parseExecution(Args, Opts))
    return E;
  Opts.BuildPath = Args.getLastArgValue(OPT_p).str();
  if (Args.hasArg(OPT_p) && Opts.BuildPath.empty())
    return makeError("-p needs a directory");
  Opts.ExtraArgs = Args.getAllArgValues(OPT_extra_arg);
  Opts.ExtraArgsBefore = Args.getAllArgValues(OPT_extra_arg_before);
  if (Error E = parseVariants(Args, Opts))
    return E;
  if (Error E = parseCuda(Args, Opts))
    return E;
  Opts.Quiet = Args.hasArg(OPT_quiet);
  Opts.Verbose = Args.hasArg(OPT_verbose);
  Opts.Fix = Args.hasArg(OPT_fix);

  if (const opt::Arg *A = Args.getLastArg(OPT_color, OPT_color_eq)) {
    StringRef When =
        A->getOption().matches(OPT_color) ? "always" : A->getValue();
    auto Mode = StringSwitch<std::optional<ColorMode>>(When)
                    .Case("auto", ColorMode::Auto)
                    .Case("always", ColorMode::Always)
                    .Case("never", ColorMode::Never)
                    .Default(std::nullopt);
    if (!Mode)
      return wrongValue("--color", When, "auto, always, and never");
    Opts.Color = *Mode;
  }
  if (const opt::Arg *A = Args.getLastArg(OPT_fail_on)) {
    auto Level = StringSwitch<std::optional<FailOn>>(A->getValue())
                     .Case("warning", FailOn::Warning)
                     .Case("error", FailOn::Error)
                     .Case("none", FailOn::None)
                     .Case("unsafe", FailOn::Unsafe)
                     .Default(std::nullopt);
    if (!Level)
      return wrongValue("--fail-on", A->getValue(),
                        Opts.Cmd == Command::Ops
                            ? "warning, error, none, and unsafe"
                            : "warning, error, and none");
    if (Level == FailOn::Unsafe && Opts.Cmd != Command::Ops)
      return makeError("--fail-on=unsafe applies only to ops");
    Opts.Threshold = *Level;
    Opts.FailOnGiven = true;
  }
  if (Error E = parseAnalysis(Args, Opts))
    return E;
  return parseOutputs(Args, Opts);
}

} // namespace cudagraph::driver
