//===- Units.cpp - Summaries of all translation units ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "Frontend.h"
#include "PlainUnits.h"
#include "Preambles.h"
#include "ReadyUnit.h"
#include "WorkerPool.h"
#include "analysis/ir/Archive.h"
#include "analysis/ir/SummaryCheck.h"
#include "driver/support/Log.h"
#include "driver/translation/ForeignArgs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Threading.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// The result of a worker: the unit and the messages of the cache.
std::string pack(const std::string &Problem, const std::string &Unit) {
  std::string Result;
  putNumber(Result, Problem.size());
  return Result + Problem + Unit;
}

/// Scans are quick, and those of one process share the files they read.
constexpr size_t ScansPerTask = 16;

class Summarizer {
public:
  Summarizer(std::vector<ReadyUnit> Units, const Options &Opts, Cache &Cached,
             Log &Out)
      : Ready(std::move(Units)), Opts(Opts), Cached(Cached), Out(Out),
        Shared(Cached) {
    Result.Units.resize(Ready.size());
    Result.Files.resize(Ready.size());
    Limits.Jobs =
        Opts.Jobs ? Opts.Jobs
                  : heavyweight_hardware_concurrency().compute_thread_count();
    Limits.TimeoutSeconds = Opts.TimeoutSeconds;
    Limits.RunLimit = Opts.RunLimit.forReading();
  }
  Summaries run(ContactFinder Contacts, std::optional<uint64_t> Settings);

private:
  bool repeat(uint64_t Key);
  void say(size_t Units) const;
  void fail(size_t I, std::string Why);
  void summarize(ArrayRef<size_t> Units);
  void parse(ArrayRef<size_t> ToDo);
  void receive(size_t I, TaskResult Got);
  StringRef unpack(StringRef Packed);
  std::vector<size_t> scan(ArrayRef<size_t> Units, PlainUnits &Plain);
  void drop(ArrayRef<size_t> Units);

  std::vector<ReadyUnit> Ready;
  const Options &Opts;
  Cache &Cached;
  Log &Out;
  PoolLimits Limits;
  Summaries Result;
  Preambles Shared;
  CheckedFunctions Checked;
  size_t Unchanged = 0, WithPreamble = 0, Again = 0;
  std::vector<double> LastTimes; ///< seconds, by unit; 0 if unknown
  std::vector<bool> Summarized = std::vector<bool>(Ready.size());
  bool Complete = true; ///< all scans have finished
};

void Summarizer::fail(size_t I, std::string Why) {
  UnitSummary &Summary = Result.Units[I];
  Summary.MainFile = Ready[I].File;
  Summary.Directory = Ready[I].Directory;
  Summary.Command = Ready[I].Args;
  Summary.Failure = std::move(Why);
}

/// Adds the summaries of \p Units, from the cache or from workers.
void Summarizer::summarize(ArrayRef<size_t> Units) {
  std::vector<size_t> ToDo;
  for (size_t I : Units) {
    Summarized[I] = true;
    if (!Ready[I].Failure.empty())
      fail(I, Ready[I].Failure);
    else if (Result.Signal)
      fail(I, InterruptedTask.str());
    else if (std::optional<UnitSummary> Known =
                 Cached.loadUnit(Ready[I].Key, Result.Files[I], Checked))
      Result.Units[I] = std::move(*Known);
    else
      ToDo.push_back(I);
  }
  Unchanged += Units.size() - ToDo.size();
  if (ToDo.empty())
    return;
  std::vector<double> Last;
  LastTimes.resize(Ready.size());
  for (size_t I : ToDo)
    Last.push_back(LastTimes[I] = Cached.lastTime(Ready[I].Key));
  Out.startProgress(Units.size() - ToDo.size(), Last, Limits.Jobs);
  parse(ToDo);
  Out.clear();
}

/// Parses \p ToDo in workers, each unit after the preamble that it shares.
void Summarizer::parse(ArrayRef<size_t> ToDo) {
  if (Opts.Preambles) {
    std::vector<Preambles::Unit> Commands;
    for (size_t I : ToDo)
      Commands.push_back({Ready[I].Args, Ready[I].File, Ready[I].Directory,
                          Ready[I].Project, *Ready[I].Known, Ready[I].Key});
    Shared.plan(Commands, Limits.Jobs);
  }
  auto Work = [&](size_t Number, bool WithPreamble) {
    const ReadyUnit &Unit = Ready[ToDo[Number]];
    std::optional<PreambleUse> Before =
        WithPreamble ? Shared.of(Number) : std::nullopt;
    ParsedUnit Parsed =
        parseUnit(Unit.Args, Unit.Directory, Unit.Id, Unit.Project, *Unit.Known,
                  Before ? &*Before : nullptr);
    Cached.storeUnit(Unit.Key, Parsed);
    return pack(Cached.takeProblem(), encodeUnit(Parsed));
  };
  // If the process of a unit crashed, the preamble may be the reason.
  std::vector<size_t> Again;
  size_t Builds = Shared.toBuild();
  Result.Signal = runTasks(
      Builds + ToDo.size(), Limits,
      [&](size_t Task) {
        if (Task >= Builds)
          return Work(Task - Builds, /*WithPreamble=*/true);
        std::string Message = Shared.build(Task);
        return pack(Cached.takeProblem(), Message);
      },
      [&](size_t Task, TaskResult Got) {
        if (Task < Builds)
          return Shared.built(Task, Got.Bytes ? unpack(*Got.Bytes) : "");
        if (!Got.Bytes && Got.Crashed && Shared.of(Task - Builds))
          Again.push_back(Task - Builds);
        else
          receive(ToDo[Task - Builds], std::move(Got));
      },
      [&] { Out.tick(); },
      [&](size_t Task) {
        return Task >= Builds && Shared.waits(Task - Builds);
      });
  WithPreamble += Shared.users();
  auto ReceiveAgain = [&](size_t Task, TaskResult Got) {
    receive(ToDo[Again[Task]], std::move(Got));
  };
  if (Result.Signal)
    for (size_t Task = 0; Task < Again.size(); ++Task)
      ReceiveAgain(Task, {std::nullopt, InterruptedTask.str()});
  else
    Result.Signal = runTasks(
        Again.size(), Limits,
        [&](size_t Task) { return Work(Again[Task], /*WithPreamble=*/false); },
        ReceiveAgain, [&] { Out.tick(); });
}

/// Stores the result that the worker of unit \p I has sent.
void Summarizer::receive(size_t I, TaskResult Got) {
  Out.unitDone(Ready[I].File, LastTimes[I]);
  if (!Got.Bytes)
    return fail(I, Got.Failure);
  StringRef Bytes = unpack(*Got.Bytes);
  Expected<ParsedUnit> Unit = decodeUnit(Bytes, &Checked);
  if (!Unit)
    return fail(I, "its summary " + toString(Unit.takeError()));
  Again += Unit->Again;
  Result.Units[I] = std::move(Unit->Summary);
  Result.Files[I] = std::move(Unit->Files);
  Cached.noteFiles(Result.Files[I]);
  if (Result.Units[I].MainFile.empty()) // Clang stopped before that
    Result.Units[I].MainFile = Ready[I].File;
}

/// Returns the unit in \p Packed and reports the message in it.
StringRef Summarizer::unpack(StringRef Packed) {
  uint64_t Length = takeNumber(Packed).value_or(0);
  if (Length)
    Out.notice(Packed.take_front(Length));
  return Packed.drop_front(std::min<size_t>(Length, Packed.size()));
}

/// Adds the members of \p Units that may be skipped to \p Plain; returns the
/// others.
std::vector<size_t> Summarizer::scan(ArrayRef<size_t> Units,
                                     PlainUnits &Plain) {
  std::vector<size_t> ToDo, Needed;
  auto Add = [&](size_t I, UnitScan Scan) {
    if (!Plain.add(I, std::move(Scan)))
      Needed.push_back(I);
  };
  for (size_t I : Units) {
    if (std::optional<UnitScan> Known = Cached.loadScan(Ready[I].Key))
      Add(I, std::move(*Known));
    else
      ToDo.push_back(I);
  }
  auto PartOf = [&](size_t Task) {
    return ArrayRef(ToDo).slice(Task * ScansPerTask).take_front(ScansPerTask);
  };
  auto Work = [&](size_t Task) {
    std::string Bytes;
    for (size_t I : PartOf(Task)) {
      UnitScan Scan =
          scanUnit(Ready[I].Args, Ready[I].Directory, Ready[I].Project);
      Cached.storeScan(Ready[I].Key, Scan);
      std::string One = encodeScan(Scan);
      putNumber(Bytes, One.size());
      Bytes += One;
    }
    return Bytes;
  };
  auto Done = [&](size_t Task, TaskResult Got) {
    StringRef Bytes = Got.Bytes ? StringRef(*Got.Bytes) : StringRef();
    for (size_t I : PartOf(Task)) {
      UnitScan Scan; // names of units that could not be scanned: not plain
      if (!Bytes.empty()) {
        uint64_t Length = takeNumber(Bytes).value_or(0);
        if (!decodeScan(Bytes.take_front(Length), Scan))
          Scan = UnitScan();
        Bytes = Bytes.drop_front(std::min<size_t>(Length, Bytes.size()));
      }
      Complete &= !Scan.Files.empty();
      Cached.noteFiles(Scan.Files);
      Add(I, std::move(Scan));
    }
  };
  Result.Signal = runTasks((ToDo.size() + ScansPerTask - 1) / ScansPerTask,
                           Limits, Work, Done, [] {});
  llvm::sort(Needed);
  return Needed;
}

/// Removes \p Units, which is sorted.
void Summarizer::drop(ArrayRef<size_t> Units) {
  Summaries Remaining;
  for (size_t I = 0; I < Ready.size(); ++I) {
    if (std::binary_search(Units.begin(), Units.end(), I)) {
      if (!Ready[I].Variant)
        Result.Skipped.push_back(Ready[I].File);
      continue;
    }
    Remaining.Variants.push_back(Ready[I].Variant);
    Remaining.Units.push_back(std::move(Result.Units[I]));
    Remaining.Files.push_back(std::move(Result.Files[I]));
  }
  Result.Units = std::move(Remaining.Units);
  Result.Files = std::move(Remaining.Files);
  Result.Variants = std::move(Remaining.Variants);
}

/// Takes everything from the last run under \p Key; returns false if something
/// has changed.
bool Summarizer::repeat(uint64_t Key) {
  std::optional<LastRun> Last = Cached.loadRun(Key);
  if (!Last || Last->Units.size() + Last->Skipped.size() != Ready.size())
    return false;
  Result.Units = std::move(Last->Units);
  Result.Files.assign(1, std::move(Last->Files));
  Result.Variants.assign(Result.Units.size(), 0);
  Result.Skipped = std::move(Last->Skipped);
  Result.Known = std::move(Last->Found);
  Unchanged = Result.Units.size();
  return true;
}

/// With --verbose, states how many of the units are unchanged, and what they
/// share.
void Summarizer::say(size_t Units) const {
  if (!Opts.Verbose)
    return;
  if (Cached.enabled())
    Out.line("cudagraph-tidy: " + Twine(Unchanged) + " of " + Twine(Units) +
             " translation units are unchanged");
  if (WithPreamble)
    Out.line("cudagraph-tidy: " + Twine(WithPreamble) + " translation unit" +
             (WithPreamble == 1 ? " shares its" : "s share their") +
             " leading includes (" + Twine(Shared.builtNow()) + " parsed now)");
  if (Again)
    Out.line("cudagraph-tidy: " + Twine(Again) + " translation unit" +
             (Again == 1 ? " was" : "s were") + " parsed again without them");
  if (!Shared.obstacle().empty())
    Out.line("cudagraph-tidy: some leading includes are not shared: " +
             Shared.obstacle());
}

Summaries Summarizer::run(ContactFinder Contacts,
                          std::optional<uint64_t> Settings) {
  std::optional<uint64_t> RunKey = keyOfRun(Ready, Settings);
  if (RunKey && repeat(*RunKey)) {
    say(Result.Units.size());
    Cached.prune();
    return std::move(Result);
  }
  std::vector<size_t> First, Candidates;
  for (size_t I = 0; I < Ready.size(); ++I) {
    bool IsCuda = any_of(Ready[I].Args, [](StringRef Arg) {
      return Arg == "--cuda-host-only" || Arg == "--cuda-device-only";
    });
    bool Certain = !Contacts || IsCuda || !Ready[I].Failure.empty();
    (Certain ? First : Candidates).push_back(I);
  }
  PlainUnits Plain(Cached, Opts.ReportUnusedNolint);
  if (!Candidates.empty())
    llvm::append_range(First, scan(Candidates, Plain));
  llvm::sort(First);
  summarize(First);
  while (!Result.Signal && !Plain.rest().empty()) {
    std::vector<UnitSummary> Seen;
    for (size_t I = 0; I < Ready.size(); ++I)
      if (Summarized[I])
        Seen.push_back(Result.Units[I]);
    std::optional<ContactNames> Names = Contacts(std::move(Seen));
    std::vector<size_t> Needed = Names ? Plain.take(*Names) : Plain.rest();
    if (Needed.empty())
      break;
    summarize(Needed);
    if (!Names)
      break;
  }
  std::vector<size_t> Rest;
  for (size_t I = 0; I < Ready.size(); ++I)
    if (!Summarized[I]) {
      // The run was interrupted before it was known whether the unit is needed.
      if (Result.Signal)
        fail(I, InterruptedTask.str());
      else
        Rest.push_back(I);
    }
  say(Ready.size() - Rest.size());
  drop(Rest);
  if (Result.Signal)
    return std::move(Result);
  Cached.prune();
  // Failures are not stored.
  Complete &= all_of(Result.Units, [](const UnitSummary &Unit) {
    return Unit.Failure.empty() && Unit.Checksum;
  });
  Complete &= none_of(Result.Files, [](const auto &Of) { return Of.empty(); });
  if (RunKey && Complete)
    Cached.beginRun(*RunKey, Result.Units, Result.Skipped);
  return std::move(Result);
}

} // namespace

Expected<Summaries> summarizeUnits(ArrayRef<UnitCommand> Units,
                                   const Options &Opts, const Toolchain &Tools,
                                   Cache &Cached, CatalogueFinder KnownFor,
                                   ContactFinder Contacts,
                                   std::optional<uint64_t> Settings, Log &Out) {
  std::vector<ReadyUnit> Ready;
  HeldBackOptions HeldBack;
  for (const UnitCommand &Unit : Units) {
    HeldBack.add(Unit.Command.HeldBack);
    Expected<ReadyUnit> One =
        prepareUnit(Unit, Opts, Tools, Cached, KnownFor(Unit.File), Out);
    if (!One)
      return One.takeError();
    Ready.push_back(std::move(*One));
  }
  StringRef Origin =
      Opts.CompilerArgs ? "the command after '--'" : "the compile database";
  for (const std::string &Text : {HeldBack.notice(Origin), Opts.HeldBackNotice})
    if (!Text.empty())
      Out.notice(Text);
  Summaries Result =
      Summarizer(std::move(Ready), Opts, Cached, Out).run(Contacts, Settings);
  // Units are skipped only if no sources are named, and only a named source can
  // be missing from the database.
  if (Result.Skipped.empty())
    explainDefaults(Units, Result.Units, Out);
  return Result;
}

} // namespace cudagraph::driver
