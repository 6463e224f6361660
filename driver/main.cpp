//===- main.cpp - The command-line driver ---------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// argv -> Options -> Report -> reports -> exit status. Results go to standard
// output or the named files, and everything else to standard error.
//
//===----------------------------------------------------------------------===//

#include "Explain.h"
#include "ExportDb.h"
#include "Session.h"
#include "ShowConfig.h"
#include "catalogue/Printable.h"
#include "driver/options/Arguments.h"
#include "driver/options/Options.h"
#include "driver/options/ProjectFile.h"
#include "driver/output/Fixes.h"
#include "driver/output/Output.h"
#include "driver/output/OutputCheck.h"
#include "driver/selection/Selection.h"
#include "driver/support/Errors.h"
#include "driver/support/Paths.h"
#include "driver/support/ProcessMemory.h"
#include "driver/translation/Toolchain.h"
#include "support/OutOfMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <fcntl.h>

using namespace llvm;
using namespace cudagraph;
using namespace cudagraph::driver;

namespace {

int exitStatus(const reports::Report &R, const Options &Opts) {
  bool Failing = any_of(R.Findings, [&](const Finding &F) {
    return Opts.Threshold == FailOn::Warning ||
           (Opts.Threshold == FailOn::Error && F.Severity == "error");
  });
  if (Opts.Cmd == Command::Ops && Opts.Threshold == FailOn::Unsafe &&
      any_of(R.Operators,
             [](const Operator &O) { return O.Is == Verdict::Unsafe; }))
    return ExitFindings;
  bool IsTable = Opts.Cmd == Command::Regions || Opts.Cmd == Command::Ops;
  if (Failing && !IsTable)
    return ExitFindings;
  return R.Seen.Incomplete.empty() ? ExitClean : ExitIncomplete;
}

Expected<int> analyse(const Options &Opts, ArrayRef<std::string> Read,
                      const std::string &Program) {
  Expected<OutputCheck> Outputs = OutputCheck::prepare(Opts);
  if (!Outputs)
    return Outputs.takeError();
  if (Error E = Outputs->against(Read))
    return E;
  Expected<ReportWriter> Writer = ReportWriter::open(Opts);
  if (!Writer)
    return Writer.takeError();
  Config Settings(Opts);
  reports::SourceText Sources;
  Expected<SessionResult> Run =
      runSession(Opts, Settings, *Outputs, Program, Sources, errs());
  if (!Run)
    return Run.takeError();
  if (Error E = Writer->write(Run->Report, Sources, Run->Signal == 0, errs()))
    return E;
  if (Run->Signal)
    return 128 + Run->Signal;
  if (!Opts.ExportFixes.empty())
    if (Error E = exportFixes(Run->Report, Opts.ExportFixes))
      return E;
  if (Opts.Fix && Opts.Cmd != Command::Regions && Opts.Cmd != Command::Ops)
    if (Error E = applyFixes(Run->Report, Opts.Quiet ? nulls() : errs()))
      return E;
  return exitStatus(Run->Report, Opts);
}

/// A first word that does not name a file may be a misspelled command.
Error checkFirstWord(const Options &Opts) {
  if (Opts.Cmd != Command::Check || Opts.Sources.empty())
    return Error::success();
  const std::string &Word = Opts.Sources.front();
  if (sys::fs::exists(Word))
    return Error::success();
  StringRef Meant = nearestCommand(Word);
  if (Meant.empty())
    return Error::success();
  return makeError("there is no file '" + Word +
                   "'; did you mean the command '" + Meant + "'?");
}

/// The revision is in a file next to the program: if it were part of the
/// program, each commit would invalidate the cache.
void printVersion(StringRef Program, raw_ostream &Out) {
  Out << "cudagraph-tidy " CUDAGRAPH_VERSION " (LLVM " LLVM_VERSION_STRING;
  std::string File = joinPath(sys::path::parent_path(Program), "..",
                              CUDAGRAPH_DATADIR "/revision");
  if (auto Text = MemoryBuffer::getFile(File))
    if (StringRef Revision = (*Text)->getBuffer().trim();
        !Revision.empty() && all_of(Revision, isHexDigit))
      Out << ", revision " << Revision;
  Out << ")\nApache License v2.0 with LLVM Exceptions; it comes without any "
         "warranty.\nThird-party parts and their licenses are "
         "listed in the file NOTICE.\n";
}

Expected<int> run(ArrayRef<const char *> Words, const std::string &Program) {
  std::vector<std::string> Read;
  // A build may have more summaries than fit on a command line, so they are
  // passed in @FILE.
  auto Expanded = expandArguments(Words, Read);
  if (!Expanded)
    return Expanded.takeError();
  SmallVector<const char *, 32> Args;
  for (const std::string &Word : *Expanded)
    Args.push_back(Word.c_str());
  Expected<Options> CommandLine = parseOptions(Args);
  if (!CommandLine)
    return CommandLine.takeError();
  Expected<ProjectFile> Project = ProjectFile::find(*CommandLine);
  if (!Project)
    return Project.takeError();
  // The command line comes last: it overrides the file, or adds to it.
  std::vector<std::string> Configured = Project->arguments(*CommandLine);
  std::vector<const char *> All;
  for (const std::string &Each : Configured)
    All.push_back(Each.c_str());
  llvm::append_range(All, Args);
  Expected<Options> Opts = parseOptions(All);
  if (!Opts)
    return Opts.takeError();
  if (Error E = checkTogether(*Opts))
    return E;
  if (Error E = checkFirstWord(*Opts))
    return E;
  if (Error E = Project->checkOutputs(*CommandLine))
    return E;
  Opts->HeldBackNotice = Project->heldBack();
  for (const std::string &File : reverse(Project->files()))
    Opts->ProjectFolders.push_back(sys::path::parent_path(File).str());
  auto Print = [](function_ref<Error(raw_ostream &)> Fn) -> Expected<int> {
    if (Error E = printToStdout(Fn))
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
    return Print([&](raw_ostream &Out) {
      printVersion(Program, Out);
      return Error::success();
    });
  case Command::CMakeToolchain: {
    Expected<std::string> File = cmakeToolchainFile(Program);
    if (!File)
      return File.takeError();
    return Print([&](raw_ostream &Out) {
      Out << *File << "\n";
      return Error::success();
    });
  }
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
  case Command::DumpConfig:
    return Print([&](raw_ostream &Out) -> Error {
      Config Settings(*Opts);
      return dumpConfig(*Opts, *CommandLine, *Project, Settings, Out);
    });
  case Command::VerifyConfig: {
    unsigned Mistakes = 0;
    Expected<int> Printed = Print([&](raw_ostream &Out) -> Error {
      Config Settings(*Opts);
      return verifyConfig(*Opts, Settings, Out).moveInto(Mistakes);
    });
    return Printed && Mistakes ? Expected<int>(ExitUsage) : std::move(Printed);
  }
  case Command::Summarize:
    return runSummarize(*Opts, Program, errs());
  case Command::ExportDb:
    if (Error E = exportDatabase(*Opts, Program, errs()))
      return E;
    return ExitClean;
  case Command::Check:
  case Command::Regions:
  case Command::Ops:
  case Command::Link:
    break;
  }
  SmallString<256> Here;
  if (sys::fs::current_path(Here))
    return makeError("the working directory no longer exists; change to a "
                     "directory that exists");
  if (Error E = nameChangedSources(*Opts))
    return E;
  append_range(Read, Project->files());
  return analyse(*Opts, Read, Program);
}

/// Opens the standard streams that the caller has closed. Otherwise, files and
/// pipes of this process would have their numbers and receive the output.
void openStandardStreams() {
  // Writing to standard output then fails, as it should.
  const int Modes[] = {O_WRONLY, O_RDONLY, O_RDWR};
  for (int Stream = 0; Stream < 3; ++Stream)
    if (fcntl(Stream, F_GETFD) < 0)
      (void)open("/dev/null", Modes[Stream]);
}

} // namespace

int main(int argc, char **argv) {
  // InitLLVM is not used: its destructor destroys LLVM's global state, parts of
  // which point to a dead stack after recovery from a crash. LLVM's handler for
  // SIGPIPE is not used either: as with other programs, SIGPIPE ends this one.
  sys::PrintStackTraceOnErrorSignal(argv[0]);
  cudagraph::support::handleOutOfMemory(
      "cudagraph-tidy: error: out of memory; no report was written; use -j1, "
      "or analyze fewer sources at a time\n",
      ExitUsage);
  openStandardStreams();
  keepMemory();
  // A write beyond the file size limit then fails, as on a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  static int Anchor;
  std::string Program = sys::fs::getMainExecutable(argv[0], &Anchor);
  Expected<int> Status =
      run(ArrayRef(argv + std::min(argc, 1), argv + argc), Program);
  if (Status)
    return *Status;
  handleAllErrors(Status.takeError(), [](const ErrorInfoBase &E) {
    errs() << "cudagraph-tidy: error: " << printable(E.message()) << "\n";
  });
  return ExitUsage;
}
