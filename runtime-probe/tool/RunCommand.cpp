//===- RunCommand.cpp - Runs an observed program, and reports -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis.h"
#include "Child.h"
#include "Commands.h"
#include "SourceLines.h"
#include "Toolkit.h"
#include "TraceDirectory.h"
#include "catalogue/Printable.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include <csignal>
#include <cstring>

using namespace llvm;

namespace cudagraph::probe {
namespace {

constexpr const char *InjectionVariable = "CUDA_INJECTION64_PATH";

raw_ostream &say() { return errs() << "cudagraph-probe: "; }

/// Python imports the companion's sitecustomize when it starts. An empty entry
/// of PYTHONPATH would mean the current directory.
void addCompanion(Variables &Out, const std::string &Program) {
  std::string Directory = companionDirectory(Program);
  if (!sys::fs::exists(Directory))
    return;
  std::optional<std::string> Users = sys::Process::GetEnv("PYTHONPATH");
  if (Users && !Users->empty())
    Directory += ":" + *Users;
  Out.emplace_back("PYTHONPATH", std::move(Directory));
}

Expected<Variables> variables(const Options &Opts, const std::string &Program,
                              const std::string &Directory) {
  SmallString<128> Library(Opts.InjectionLibrary.empty()
                               ? injectionLibrary(Program)
                               : Opts.InjectionLibrary);
  if (std::error_code EC = sys::fs::make_absolute(Library))
    return createStringError(EC, EC.message());
  if (!sys::fs::exists(Library))
    return createStringError("'" + Library.str() +
                             "': the library to inject does not exist");
  Variables Out;
  std::optional<std::string> Users = sys::Process::GetEnv(InjectionVariable);
  if (Users && !Users->empty() && *Users != Library.str())
    say() << "warning: " << InjectionVariable << " is '" << printable(*Users)
          << "' and is not changed: the program runs unobserved\n";
  else
    Out.emplace_back(InjectionVariable, Library.str().str());
  Out.emplace_back("CUDAGRAPH_PROBE_TRACE", Directory);
  std::string Cupti = findCupti(Opts.CudaPath);
  if (!Cupti.empty())
    Out.emplace_back("CUDAGRAPH_PROBE_CUPTI", Cupti);
  else if (!Opts.CudaPath.empty())
    return createStringError("'" + Opts.CudaPath + "': libcupti not found");
  addCompanion(Out, Program);
  if (!Opts.Watch.empty())
    Out.emplace_back("CUDAGRAPH_PROBE_WATCH", Opts.Watch);
  if (Opts.Halt)
    Out.emplace_back("CUDAGRAPH_PROBE_HALT", "1");
  if (Opts.CapturesOnly)
    Out.emplace_back("CUDAGRAPH_PROBE_CAPTURES_ONLY", "1");
  if (!Opts.Captures.empty())
    Out.emplace_back("CUDAGRAPH_PROBE_CAPTURES", Opts.Captures);
  if (!Opts.Replays.empty())
    Out.emplace_back("CUDAGRAPH_PROBE_REPLAYS", Opts.Replays);
  return Out;
}

} // namespace

Expected<WatchedRun> watchProgram(const Options &Opts,
                                  const std::string &Program,
                                  ArrayRef<confirm::Position> Lines) {
  WatchedRun Result;
  // A program may run for hours, so problems that would prevent writing its
  // report are reported before it starts.
  std::vector<std::string> Inputs = Opts.Program;
  std::string Executable = Inputs.front();
  if (ErrorOr<std::string> Found = sys::findProgramByName(Inputs.front()))
    Inputs.push_back(Executable = *Found);
  Inputs.push_back(Opts.Findings);
  if (Error E = checkOutput(Opts, Inputs))
    return E;
  Expected<TraceDirectory> Directory =
      TraceDirectory::make(Opts.TraceDirectory);
  if (!Directory)
    return Directory.takeError();
  Expected<Variables> Added = variables(Opts, Program, Directory->path());
  if (!Added)
    return Added.takeError();
  if (!Lines.empty()) {
    std::string File = Directory->path() + "/lines.json";
    if (Error E = writeSourceLines(Lines, Executable, File))
      return E;
    Added->emplace_back("CUDAGRAPH_PROBE_LINES", File);
  }
  Expected<ChildResult> Child = runChild(Opts.Program, *Added);
  if (!Child)
    return Child.takeError();
  Result.Status = Child->exitStatus();
  if (Child->StartError) {
    say() << "error: '" << printable(Opts.Program.front())
          << "': " << std::strerror(Child->StartError) << "\n";
    return Result;
  }
  if (Child->Abandoned) {
    Result.Status = 128 + SIGINT;
    return Result;
  }
  Expected<Trace> T = readTrace(Directory->path());
  if (!T)
    return T.takeError();
  std::unique_ptr<Symbolizer> Symbols = createSymbolizer();
  Report R = analyse(*T, *Symbols);
  R.Args = Opts.Program;
  R.Status = Child->Status;
  R.Signal = Child->Signal;
  SmallVector<StringRef, 16> Names;
  StringRef(Opts.Watch).split(Names, ',', -1, /*KeepEmpty=*/false);
  for (StringRef Name : Names)
    R.Watching.push_back(Name.str());
  if (R.Processes.empty())
    R.Problems.push_back(
        "nothing was observed: the program called no CUDA function, there is "
        "no GPU, or CUDA did not load the library to inject");
  Result.Seen = std::move(R);
  return Result;
}

int statusOf(const WatchedRun &Run, Error Written, bool Failing) {
  // The program has run: its status is returned even if the report fails.
  if (Written) {
    say() << "error: " << printable(toString(std::move(Written))) << "\n";
    return Run.Status ? Run.Status : int(ExitUsage);
  }
  return Run.Status ? Run.Status : Failing ? int(ExitFindings) : 0;
}

Expected<int> runCommand(const Options &Opts, const std::string &Program) {
  Expected<WatchedRun> Run = watchProgram(Opts, Program);
  if (!Run)
    return Run.takeError();
  if (!Run->Seen)
    return Run->Status;
  const Report &R = *Run->Seen;
  return statusOf(*Run, writeReport(R, Opts, errs()),
                  Opts.FailOnFindings && !all_of(R.Findings, isRemark));
}

} // namespace cudagraph::probe
