//===- Options.cpp - The parsed command line ------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the command and its arguments; OptionTable.h defines the options, and
// OptionValues.h their values.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "OptionTable.h"
#include "OptionValues.h"
#include "driver/support/Errors.h"
#include "driver/support/Paths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Option/ArgList.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

constexpr std::pair<StringRef, Command> CommandNames[] = {
    {"regions", Command::Regions},
    {"ops", Command::Ops},
    {"summarize", Command::Summarize},
    {"link", Command::Link},
    {"list-checks", Command::ListChecks},
    {"explain", Command::Explain},
    {"export-compile-db", Command::ExportDb},
};

/// The first word that is not an option may name a command.
Error parseWords(std::vector<std::string> Words, Options &Opts) {
  if (!Words.empty()) {
    const auto *Named = find_if(CommandNames, [&](const auto &Each) {
      return Each.first == Words.front();
    });
    if (Named != std::end(CommandNames)) {
      Opts.Cmd = Named->second;
      Words.erase(Words.begin());
    }
  }
  if (Opts.Cmd == Command::ListChecks && !Words.empty())
    return makeError("list-checks takes no argument, but '" + Words.front() +
                     "' was passed; use --checks=" + Words.front());
  if (Opts.Cmd == Command::Explain && Words.size() != 1)
    return makeError(
        "explain takes one argument: a check, an error code, or a function");
  if (Opts.Cmd == Command::Summarize && Words.size() != 1)
    return makeError("summarize takes one source");
  if (Opts.Cmd == Command::Link && Words.empty())
    return makeError("link takes files written by summarize");
  if (Opts.Cmd == Command::Link && Opts.CompilerArgs)
    return makeError("'--' does not apply to link, which does not compile");
  if (Opts.Cmd == Command::ExportDb) {
    if (Words.empty() || Words.front().empty())
      return makeError("export-compile-db needs an output: a directory, or a "
                       "file whose name ends with .json");
    if (isSourceName(Words.front()))
      return makeError(
          "the first argument of export-compile-db is the output; '" +
          Words.front() + "' is a source");
    Opts.ExportPath = Words.front();
    Words.erase(Words.begin());
  }
  Opts.Sources = std::move(Words);
  return Error::success();
}

} // namespace

StringRef nearestCommand(StringRef Word) {
  StringRef Best;
  // Allow one error for every three letters.
  unsigned Least = std::max<size_t>(Word.size() / 3, 1) + 1;
  for (const auto &[Name, Cmd] : CommandNames) {
    unsigned Distance = Word.size() >= 3 && Name.starts_with_insensitive(Word)
                            ? 0
                            : Name.edit_distance_insensitive(Word);
    if (Distance >= Least)
      continue;
    Least = Distance;
    Best = Name;
  }
  return Best;
}

reports::Listed listedBy(Command Cmd) {
  switch (Cmd) {
  case Command::Regions:
    return reports::Listed::Regions;
  case Command::Ops:
    return reports::Listed::Operators;
  default:
    return reports::Listed::Findings;
  }
}

std::optional<Confidence> parseConfidence(StringRef Text) {
  return StringSwitch<std::optional<Confidence>>(Text)
      .Case("certain", Confidence::Certain)
      .Case("likely", Confidence::Likely)
      .Case("possible", Confidence::Possible)
      .Default(std::nullopt);
}

Expected<Options> parseOptions(ArrayRef<const char *> Argv) {
  Options Opts;
  auto DashDash =
      find_if(Argv, [](const char *A) { return StringRef(A) == "--"; });
  if (DashDash != Argv.end())
    Opts.CompilerArgs.emplace(DashDash + 1, Argv.end());

  OptionTable Known;
  unsigned MissingIndex = 0, MissingCount = 0;
  opt::InputArgList Args = Known.ParseArgs(ArrayRef(Argv.begin(), DashDash),
                                           MissingIndex, MissingCount);
  if (MissingCount)
    return makeError(Twine(Args.getArgString(MissingIndex)) + " needs a value");
  for (const opt::Arg *A : Args.filtered(OPT_UNKNOWN)) {
    std::string Spelling = A->getAsString(Args), Nearest;
    if (Known.findNearest(Spelling, Nearest) > 2)
      return makeError("unknown option '" + Spelling +
                       "'; --help lists the options");
    return makeError("unknown option '" + Spelling + "'; did you mean '" +
                     Nearest + "'?");
  }
  if (Args.hasArg(OPT_help) || Args.hasArg(OPT_version)) {
    Opts.Cmd = Args.hasArg(OPT_help) ? Command::Help : Command::Version;
    return Opts;
  }
  if (Args.hasArg(OPT_cmake_toolchain)) {
    Opts.Cmd = Command::CMakeToolchain;
    return Opts;
  }
  if (Args.hasArg(OPT_list_checks))
    Opts.Cmd = Command::ListChecks;
  if (Args.hasArg(OPT_dump_config))
    Opts.Cmd = Command::DumpConfig;
  if (Args.hasArg(OPT_verify_config))
    Opts.Cmd = Command::VerifyConfig;
  if (Args.hasArg(OPT_config_file))
    Opts.ConfigFile = Args.getLastArgValue(OPT_config_file).str();
  if (Error E = parseWords(Args.getAllArgValues(OPT_INPUT), Opts))
    return E;
  if (Error E = parseValues(Args, Opts))
    return E;
  return Opts;
}

Error checkTogether(const Options &Opts) {
  if ((Opts.BaselineWrite || Opts.BaselinePrune) && Opts.BaselineFile.empty())
    return makeError(
        Twine(Opts.BaselineWrite ? "--baseline-write" : "--baseline-prune") +
        " needs --baseline=<file>, or Baseline in "
        ".cudagraph-tidy.yaml");
  return Error::success();
}

} // namespace cudagraph::driver
