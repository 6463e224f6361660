//===- Units.cpp - Summaries of all translation units ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "ForeignArgs.h"
#include "Frontend.h"
#include "Log.h"
#include "ShellCommand.h"
#include "WorkerPool.h"
#include "analysis/Archive.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// A unit whose command is ready to run.
struct ReadyUnit {
  std::string File, Directory;
  std::vector<std::string> Args;
  std::string Id; ///< tells it from others of the same file
  uint64_t Key = 0;
  std::string Failure; ///< why there is nothing to run, or empty
};

Expected<ReadyUnit> prepare(const UnitCommand &Unit, const Options &Opts,
                            const Toolchain &Tools, const Cache &Kept,
                            Log &Out) {
  ReadyUnit Result;
  Result.File = Unit.File;
  Result.Directory = Unit.Directory;
  std::string Name = Unit.File;
  Log::shorten(Name);
  if (!Unit.Origin.empty() && !Unit.Unrelated)
    Out.notice(Name + ": " + Unit.Origin);
  for (const std::string &Note : Unit.Command.Notes)
    Out.notice(Note);
  Translation Command = Unit.Command;
  std::vector<std::string> &Args = Command.Args;
  Args.insert(Args.begin() + 1, Opts.ExtraArgsBefore.begin(),
              Opts.ExtraArgsBefore.end());
  Args.insert(find(Args, "--"), Opts.ExtraArgs.begin(), Opts.ExtraArgs.end());
  Args = withoutOutputs(Args);
  if (!sys::fs::exists(Unit.File)) {
    Result.Args = Args;
    Result.Failure = "the compile database names it, but there is no such file";
    return Result;
  }
  Expected<Toolchain::Completed> Ready = Tools.complete(Command, Unit.File);
  if (!Ready)
    return Ready.takeError();
  if (!Ready->Toolkit.empty())
    Out.notice(Ready->Toolkit);
  if (Opts.Verbose)
    Out.line("cudagraph-tidy: cd " + quoteForShell(Unit.Directory) + " && " +
             quoteForShell(Ready->Args));
  Result.Args = std::move(Ready->Args);
  Result.Id = utohexstr(
      xxh3_64bits(StringRef(join(Result.Args, "\n") + "\n" + Unit.Directory)));
  Result.Key = Kept.unitKey(Result.Args, Result.Directory);
  return Result;
}

/// What a worker sends: the unit, and what the cache had to say.
std::string pack(const std::string &Problem, const std::string &Unit) {
  std::string Result;
  putNumber(Result, Problem.size());
  return Result + Problem + Unit;
}

/// Says that files that did not parse had default arguments, where a compile
/// database was found that does not know them. Names the first of them.
void explainDefaults(ArrayRef<UnitCommand> Units, ArrayRef<UnitSummary> Done,
                     Log &Out) {
  const UnitCommand *First = nullptr;
  size_t Count = 0;
  for (auto [Unit, Summary] : zip_equal(Units, Done))
    if (Unit.Unrelated && Summary.Errors && ++Count == 1)
      First = &Unit;
  if (!First)
    return;
  std::string Name = First->File;
  Log::shorten(Name);
  if (Count > 1)
    Name += " and " + std::to_string(Count - 1) +
            (Count == 2 ? " other file" : " other files");
  Out.notice(Name + ": " + First->Origin);
}

} // namespace

Expected<Summaries> summarizeUnits(ArrayRef<UnitCommand> Units,
                                   const Options &Opts, const Toolchain &Tools,
                                   Cache &Kept, Log &Out) {
  Summaries Result;
  Result.Units.resize(Units.size());
  Result.Files.resize(Units.size());
  std::vector<ReadyUnit> Ready;
  HeldBackOptions HeldBack;
  for (const UnitCommand &Unit : Units) {
    HeldBack.add(Unit.Command.HeldBack);
    Expected<ReadyUnit> One = prepare(Unit, Opts, Tools, Kept, Out);
    if (!One)
      return One.takeError();
    Ready.push_back(std::move(*One));
  }
  for (const std::string &Text :
       {HeldBack.notice("the compile database"), Opts.HeldBackNotice})
    if (!Text.empty())
      Out.notice(Text);

  auto Fail = [&](size_t I, std::string Why) {
    UnitSummary &Summary = Result.Units[I];
    Summary.MainFile = Ready[I].File;
    Summary.Directory = Ready[I].Directory;
    Summary.Command = Ready[I].Args;
    Summary.Failure = std::move(Why);
  };
  std::vector<size_t> ToDo;
  for (size_t I = 0; I < Ready.size(); ++I) {
    if (!Ready[I].Failure.empty())
      Fail(I, Ready[I].Failure);
    else if (std::optional<UnitSummary> Known =
                 Kept.loadUnit(Ready[I].Key, Result.Files[I]))
      Result.Units[I] = std::move(*Known);
    else
      ToDo.push_back(I);
  }

  if (Opts.Verbose && Kept.enabled())
    Out.line("cudagraph-tidy: " + Twine(Units.size() - ToDo.size()) + " of " +
             Twine(Units.size()) + " translation units are unchanged");

  PoolLimits Limits;
  Limits.Jobs = Opts.Jobs
                    ? Opts.Jobs
                    : heavyweight_hardware_concurrency().compute_thread_count();
  Limits.TimeoutSeconds = Opts.TimeoutSeconds;
  Limits.RunLimit = Opts.RunLimit.forReading();
  auto Work = [&](size_t Task) {
    const ReadyUnit &Unit = Ready[ToDo[Task]];
    ParsedUnit Parsed = parseUnit(Unit.Args, Unit.Directory, Unit.Id);
    Kept.storeUnit(Unit.Key, Parsed);
    return pack(Kept.takeProblem(), encodeUnit(Parsed));
  };
  auto Done = [&](size_t Task, TaskResult Got) {
    size_t I = ToDo[Task];
    Out.unitDone();
    if (!Got.Bytes)
      return Fail(I, Got.Failure);
    unsigned Size = 0;
    StringRef Bytes(*Got.Bytes);
    uint64_t Length = decodeULEB128(Bytes.bytes_begin(), &Size);
    if (Length)
      Out.notice(Bytes.substr(Size, Length));
    Expected<ParsedUnit> Unit = decodeUnit(Bytes.drop_front(Size + Length));
    if (!Unit)
      return Fail(I, "its summary " + toString(Unit.takeError()));
    Result.Units[I] = std::move(Unit->Summary);
    Result.Files[I] = std::move(Unit->Files);
    if (Result.Units[I].MainFile.empty()) // Clang did not get so far
      Result.Units[I].MainFile = Ready[I].File;
  };
  Out.startProgress(Ready.size(), Ready.size() - ToDo.size());
  Result.Signal =
      runTasks(ToDo.size(), Limits, Work, Done, [&] { Out.tick(); });
  Out.clear();
  explainDefaults(Units, Result.Units, Out);
  if (!Result.Signal)
    Kept.prune();
  return Result;
}

} // namespace cudagraph::driver
