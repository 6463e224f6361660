//===- Link.cpp - From summaries to a report ------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Link.h"
#include "IncompleteUnits.h"
#include "Merge.h"
#include "analysis/program/Program.h"
#include "driver/selection/Fingerprint.h"
#include "driver/selection/UnusedNolint.h"
#include "driver/support/Log.h"
#include "rules/Analyze.h"
#include "rules/Suppression.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/BuryPointer.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Memory.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// The engine recurses as deep as the code that it follows.
constexpr unsigned StackSize = 256u << 20, LeastStackSize = 8u << 20;

/// As much of StackSize as a limit on the address space leaves, with as much
/// again for all else: a thread that cannot start would end the process.
unsigned availableStack() {
  unsigned Size = StackSize;
  for (; Size > LeastStackSize; Size /= 2) {
    std::error_code EC;
    sys::MemoryBlock Room = sys::Memory::allocateMappedMemory(
        size_t(Size) * 2, nullptr, sys::Memory::MF_READ, EC);
    if (EC)
      continue;
    (void)sys::Memory::releaseMappedMemory(Room);
    break;
  }
  return Size;
}

/// The findings that a NOLINT hides on each way to them.
class SilencedFindings {
public:
  void see(const Finding &F) { All.try_emplace(identity(F), F); }

  /// Returns those that are sure enough to be shown, and are not, on another
  /// way, among \p Shown.
  std::vector<Finding> take(const std::vector<Finding> &Shown,
                            Confidence Least) {
    for (const Finding &F : Shown)
      All.erase(identity(F));
    std::vector<Finding> Result;
    for (auto &[Key, F] : All)
      if (F.Sure >= Least)
        Result.push_back(std::move(F));
    return Result;
  }

private:
  using Identity =
      std::tuple<std::string, unsigned, unsigned, std::string, std::string>;
  static Identity identity(const Finding &F) {
    return {F.Loc.File, F.Loc.Line, F.Loc.Column, F.Check, F.Callee};
  }
  std::map<Identity, Finding> All;
};

class Linker {
public:
  Linker(const Options &Opts, Config &Settings, Cache &Kept, Log &Out)
      : Opts(Opts), Settings(Settings), Kept(Kept), Out(Out) {}

  Expected<reports::Report> run(std::vector<UnitSummary> Units);

private:
  const Options &Opts;
  Config &Settings;
  Cache &Kept;
  Log &Out;
  std::vector<reports::IncompleteUnit> Incomplete;

  std::string describeCuts(ArrayRef<UnitResult::Cut> Cuts, unsigned Unit) const;
  void shorten(UnitResult &R) const;
  void judgeUnused(std::vector<reports::Remark> &Unused,
                   const std::vector<std::string> &Files);
};

/// What the walks from the roots of \p Unit left out; empty if nothing.
std::string Linker::describeCuts(ArrayRef<UnitResult::Cut> Cuts,
                                 unsigned Unit) const {
  const UnitResult::Cut *First = nullptr;
  unsigned Others = 0;
  for (const UnitResult::Cut &Each : Cuts) {
    if (Each.Unit != Unit)
      continue;
    if (First)
      ++Others;
    else
      First = &Each;
  }
  if (!First)
    return "";
  std::string Rest;
  if (Others)
    Rest = " (and so did that of " +
           reports::counted(Others, "other function") + ")";
  if (First->OutOfTime)
    return "the analysis of '" + First->Root + "' stopped after " +
           reports::counted(First->Steps, "step") + Rest + ": " +
           Opts.RunLimit.reason();
  return "the analysis of '" + First->Root + "' reached its limits after " +
         reports::counted(First->Steps, "step") + Rest +
         " and left out some paths";
}

void Linker::shorten(UnitResult &R) const {
  auto Steps = [&](std::vector<Step> &All) {
    for (Step &S : All)
      Log::shorten(S.Loc.File);
  };
  Log::shorten(R.MainFile);
  for (Region &G : R.Regions) {
    Log::shorten(G.Begin.File);
    for (Location &End : G.Ends)
      Log::shorten(End.File);
    for (TimelineEntry &E : G.Timeline)
      Log::shorten(E.Loc.File);
  }
  auto Shorten = [&](Finding &F) {
    Log::shorten(F.Loc.File);
    Steps(F.Chain);
    Steps(F.Notes);
    for (Fix &Edit : F.Fixes)
      Log::shorten(Edit.Range.File);
  };
  for (Finding &F : R.Findings)
    Shorten(F);
  for (Operator &Row : R.Operators) {
    Log::shorten(Row.Loc.File);
    if (Row.Cause)
      Shorten(*Row.Cause);
  }
  for (OpaqueCall &Call : R.OpaqueCalls)
    Log::shorten(Call.Loc.File);
  Steps(R.SkippedBranches);
}

/// Removes what another unit than those of this run may need.
void Linker::judgeUnused(std::vector<reports::Remark> &Unused,
                         const std::vector<std::string> &Files) {
  if (!Opts.ReportUnusedNolint)
    return;
  if (!Incomplete.empty()) {
    Unused.clear();
    Out.notice("unused NOLINT are not reported: what an incomplete translation "
               "unit lacks may need them");
  }
  if (Opts.Cmd != Command::Link && !Opts.Sources.empty())
    llvm::erase_if(Unused, [&](const reports::Remark &Each) {
      return !is_contained(Files, Each.Loc.File);
    });
}

/// Puts \p Units in order, which decides which of several equals comes first.
/// The same summary, given twice, is one.
void sortUnits(std::vector<UnitSummary> &Units) {
  llvm::sort(Units, [](const UnitSummary &A, const UnitSummary &B) {
    return std::tuple(mainFileOf(A), A.Id) < std::tuple(mainFileOf(B), B.Id);
  });
  Units.erase(llvm::unique(Units,
                           [](const UnitSummary &A, const UnitSummary &B) {
                             return A.Id == B.Id && A.Storage && B.Storage &&
                                    *A.Storage == *B.Storage;
                           }),
              Units.end());
}

void addDirectory(reports::Report &Result) {
  SmallString<256> Here;
  if (sys::fs::current_path(Here))
    return;
  Result.WorkingDirectory = Here.str().str();
  Result.Root = rootOf((Here + "/x").str());
}

Expected<reports::Report> Linker::run(std::vector<UnitSummary> Units) {
  sortUnits(Units);
  std::vector<UnitSettings> Chosen;
  std::vector<std::string> Files;
  bool Strict = false;
  Confidence Least = Confidence::Certain;
  for (const UnitSummary &Unit : Units) {
    Files.push_back(mainFileOf(Unit));
    Expected<UnitSettings> One = Settings.settingsFor(Files.back());
    if (!One)
      return One.takeError();
    One->Analysis.AllRegistered = Opts.Cmd == Command::Ops;
    Strict |= One->Analysis.Strict;
    Least = std::min(Least, One->Analysis.Least);
    Chosen.push_back(*One);
    if (Unit.Errors || !Unit.Failure.empty())
      Incomplete.push_back(describeIncomplete(Unit, Files.back()));
  }
  unsigned Count = Units.size();
  sayIncomplete(Incomplete, Count, Opts.Verbose, Out);
  size_t Said = Incomplete.size();

  UnitResult Found;
  std::vector<reports::Remark> Unused;
  SilencedFindings Hidden;
  static const std::vector<NolintLines> NoDirectives;
  auto Analyse = [&] {
    // To take it apart would take longer than the system needs for it.
    auto *Linked = new Program(std::move(Units));
    BuryPointer(Linked);
    Suppression Silenced(Linked->nolint());
    UnusedNolint Directives(Opts.ReportUnusedNolint ? Linked->nolint()
                                                    : NoDirectives);
    Found = analyzeProgram(
        *Linked, Chosen,
        [&](const Finding &F) {
          Directives.see(F);
          if (!Opts.Checks.enabled(F.Check))
            return true;
          if (!Silenced.suppresses(F))
            return false;
          Hidden.see(F);
          return true;
        },
        Kept.enabled() ? &Kept : nullptr,
        [&] { return Opts.RunLimit.passed(); });
    Unused = Directives.unused();
  };
  CrashRecoveryContext::Enable();
  CrashRecoveryContext Guard;
  bool Finished = Guard.RunSafelyOnThread(Analyse, availableStack());
  CrashRecoveryContext::Disable();
  auto Cut = [&](const std::string &File, const std::string &Why) {
    UnitSummary Note;
    Note.Failure = Why;
    if (none_of(Incomplete, [&](const reports::IncompleteUnit &Known) {
          std::string Short = File;
          Log::shorten(Short);
          return Known.File == Short;
        }))
      Incomplete.push_back(describeIncomplete(Note, File));
  };
  if (!Finished) {
    Found = UnitResult(); // what was half done may be half written
    Hidden = SilencedFindings();
    Unused.clear();
    for (const std::string &File : Files)
      Cut(File, "the analysis crashed");
  }
  // A bound that was hit is said, never hidden.
  for (unsigned Index = 0; Index < Files.size(); ++Index)
    if (std::string Why = describeCuts(Found.Cuts, Index); !Why.empty())
      Cut(Files[Index], Why);
  sayIncomplete(ArrayRef(Incomplete).drop_front(Said), Count, Opts.Verbose,
                Out);
  judgeUnused(Unused, Files);
  if (Opts.Verbose && Kept.enabled())
    Out.line("cudagraph-tidy: " + Twine(Kept.rootsFound()) + " of " +
             Twine(Kept.rootsAsked()) +
             " capturing functions reach nothing that has changed");
  for (const std::string &Each : Kept.takeDamage())
    Out.notice(Each);
  if (std::string Problem = Kept.takeProblem(); !Problem.empty())
    Out.notice(Problem);

  UnitResult Aside;
  Aside.Findings = Hidden.take(Found.Findings, Least);
  shorten(Aside);
  shorten(Found);
  std::vector<UnitResult> All;
  All.push_back(std::move(Found));
  reports::Report Result = mergeUnits(std::move(All));
  Result.Silenced = std::move(Aside.Findings);
  Result.Seen.TranslationUnits = Count;
  Result.Seen.Incomplete = std::move(Incomplete);
  Result.Strict = Strict;
  Result.Checks = Opts.Checks.list();
  Result.MainFiles = std::move(Files);
  for (std::string &File : Result.MainFiles)
    Log::shorten(File);
  llvm::sort(Result.MainFiles);
  for (reports::Remark &Each : Unused)
    Log::shorten(Each.Loc.File);
  Result.Remarks = std::move(Unused);
  addDirectory(Result);
  return Result;
}

} // namespace

std::string mainFileOf(const UnitSummary &Unit) {
  SmallString<256> Path(Unit.Directory);
  sys::path::append(Path, Unit.MainFile);
  if (sys::path::is_absolute(Unit.MainFile))
    Path = Unit.MainFile;
  (void)sys::fs::make_absolute(Path);
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

Expected<reports::Report> linkUnits(std::vector<UnitSummary> Units,
                                    const Options &Opts, Config &Settings,
                                    Cache &Kept, reports::SourceText &Sources,
                                    Log &Out) {
  Expected<reports::Report> Result =
      Linker(Opts, Settings, Kept, Out).run(std::move(Units));
  if (Result)
    fingerprint(Result->Findings, Sources);
  return Result;
}

} // namespace cudagraph::driver
