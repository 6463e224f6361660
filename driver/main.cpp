//===- main.cpp - The command-line driver ---------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// argv -> Options -> Report -> reports -> exit status. Results go to standard
// output or the named files, everything else to standard error.
//
//===----------------------------------------------------------------------===//

#include "Explain.h"
#include "Fixes.h"
#include "Options.h"
#include "Session.h"
#include "reports/Json.h"
#include "reports/Text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace cudagraph;
using namespace cudagraph::driver;

namespace {

/// A place for one report, opened before the work begins.
struct Sink {
  Output To;
  std::unique_ptr<raw_fd_ostream> Stream;
};

Expected<std::vector<Sink>> openSinks(const Options &Opts) {
  std::vector<Sink> Result;
  for (const Output &To : Opts.Outputs) {
    std::error_code EC;
    auto Stream = std::make_unique<raw_fd_ostream>(
        To.File.empty() ? "-" : To.File, EC, sys::fs::OF_None);
    if (EC)
      return makeError("cannot write " + To.File + ": " + EC.message());
    Result.push_back({To, std::move(Stream)});
  }
  return Result;
}

bool wantsColor(const Options &Opts, const Sink &To) {
  if (Opts.Color != ColorMode::Auto || !To.To.File.empty())
    return Opts.Color == ColorMode::Always;
  auto Set = [](const char *Name) {
    auto Value = sys::Process::GetEnv(Name);
    return Value && !Value->empty() && *Value != "0";
  };
  if (sys::Process::GetEnv("NO_COLOR").value_or("") != "")
    return false;
  return Set("CLICOLOR_FORCE") || To.Stream->has_colors();
}

Error writeReport(const reports::Report &R, const Options &Opts, Sink &To,
                  reports::SourceText &Sources) {
  raw_fd_ostream &Out = *To.Stream;
  bool Findings = Opts.Cmd == Command::Check;
  if (To.To.As == Format::Json) {
    reports::writeJson(Out, R, Findings);
  } else {
    reports::TextStyle Style = {wantsColor(Opts, To), !Opts.Quiet};
    if (Findings)
      reports::writeText(Out, R, Sources, Style);
    else
      reports::writeRegionsText(Out, R, Style);
  }
  Out.flush();
  if (!Out.has_error())
    return Error::success();
  std::error_code EC = Out.error();
  Out.clear_error();
  return makeError("cannot write " +
                   (To.To.File.empty() ? "to standard output" : To.To.File) +
                   ": " + EC.message());
}

/// Writes \p Text to standard output, checked.
Error printText(function_ref<Error(raw_ostream &)> Print) {
  Error E = Print(outs());
  outs().flush();
  if (!outs().has_error())
    return E;
  std::error_code EC = outs().error();
  outs().clear_error();
  return joinErrors(
      std::move(E),
      makeError("cannot write to standard output: " + EC.message()));
}

int exitStatus(const reports::Report &R, const Options &Opts) {
  bool Failing = any_of(R.Findings, [&](const Finding &F) {
    return Opts.Threshold == FailOn::Warning ||
           (Opts.Threshold == FailOn::Error && F.Severity == "error");
  });
  if (Failing && Opts.Cmd == Command::Check)
    return ExitFindings;
  return R.Seen.Incomplete.empty() ? ExitClean : ExitIncomplete;
}

Expected<int> analyse(const Options &Opts, const std::string &Program) {
  Expected<std::vector<Sink>> Sinks = openSinks(Opts);
  if (!Sinks)
    return Sinks.takeError();
  Config Settings(Opts);
  reports::SourceText Sources;
  Expected<reports::Report> R =
      runSession(Opts, Settings, Program, Sources, errs());
  if (!R)
    return R.takeError();
  for (Sink &To : *Sinks)
    if (Error E = writeReport(*R, Opts, To, Sources))
      return E;
  if (Opts.Fix && Opts.Cmd == Command::Check)
    if (Error E = applyFixes(*R, Opts.Quiet ? nulls() : errs()))
      return E;
  return exitStatus(*R, Opts);
}

Expected<int> run(ArrayRef<const char *> Args, const std::string &Program) {
  Expected<Options> Opts = parseOptions(Args);
  if (!Opts)
    return Opts.takeError();
  auto Print = [](function_ref<Error(raw_ostream &)> Fn) -> Expected<int> {
    if (Error E = printText(Fn))
      return E;
    return ExitClean;
  };
  switch (Opts->Cmd) {
  case Command::Help:
    return Print([](raw_ostream &Out) {
      printHelp(Out);
      return Error::success();
    });
  case Command::Version:
    return Print([](raw_ostream &Out) {
      Out << "cudagraph-tidy " CUDAGRAPH_VERSION " (LLVM " LLVM_VERSION_STRING
             ")\n";
      return Error::success();
    });
  case Command::ListChecks:
    return Print([&](raw_ostream &Out) {
      Out << "Enabled checks:\n";
      for (const std::string &Check : Opts->Checks.list())
        Out << "    " << Check << "\n";
      return Error::success();
    });
  case Command::Explain:
    return Print([&](raw_ostream &Out) -> Error {
      Config Settings(*Opts);
      auto Known = Settings.catalogueWith(Opts->CatalogueFiles);
      if (!Known)
        return Known.takeError();
      return explain(Opts->Sources.front(), **Known, Out);
    });
  case Command::Check:
  case Command::Regions:
    break;
  }
  return analyse(*Opts, Program);
}

} // namespace

int main(int argc, char **argv) {
  // Not InitLLVM: its end takes LLVM's global state apart, and after a crash
  // that was survived some of that points to a dead stack.
  sys::SetOneShotPipeSignalFunction(sys::DefaultOneShotPipeSignalHandler);
  sys::PrintStackTraceOnErrorSignal(argv[0]);
  static int Anchor;
  std::string Program = sys::fs::getMainExecutable(argv[0], &Anchor);
  Expected<int> Status = run(ArrayRef(argv + 1, argv + argc), Program);
  if (Status)
    return *Status;
  errs() << "cudagraph-tidy: error: " << toString(Status.takeError()) << "\n";
  return ExitUsage;
}
