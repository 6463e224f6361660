//===- Link.cpp - From summaries to a report ------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Link.h"
#include "IncompleteUnits.h"
#include "Merge.h"
#include "ShortPaths.h"
#include "SilencedFindings.h"
#include "UnseenCode.h"
#include "analysis/program/Program.h"
#include "driver/selection/Fingerprint.h"
#include "driver/selection/UnusedNolint.h"
#include "driver/support/Log.h"
#include "rules/Analyze.h"
#include "rules/Suppression.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BuryPointer.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Memory.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// The engine recurses as deeply as the analyzed code nests.
constexpr unsigned StackSize = 256u << 20, LeastStackSize = 8u << 20;

/// StackSize, or less if the address space is limited. The same amount must
/// remain for everything else, because a thread that cannot start would crash
/// the process.
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

/// A variant of the program and its results.
struct Variant {
  std::string Arguments;
  std::vector<UnitSummary> Units;
  std::optional<KnownWalks> Known; ///< then Units have no functions
  std::vector<UnitSettings> Chosen;
  std::vector<std::string> Files; ///< the main files
  UnitResult Found;
};

class Linker {
public:
  Linker(const Options &Opts, Config &Settings, Cache &Cached, Log &Out)
      : Opts(Opts), Settings(Settings), Cached(Cached), Out(Out) {}

  Expected<reports::Report> run(std::vector<ProgramUnits> Programs);

private:
  const Options &Opts;
  Config &Settings;
  Cache &Cached;
  Log &Out;
  std::vector<reports::IncompleteUnit> Incomplete;
  std::vector<Variant> Variants;
  UnseenCode Unseen;
  SilencedFindings Hidden;
  std::vector<reports::Remark> Unused;
  bool Strict = false;
  Confidence Least = Confidence::Certain;

  Error prepare(Variant &V);
  void noteIncomplete(const UnitSummary &Unit, const std::string &File,
                      const Variant &V);
  void analyse(Variant &V);
  void analyseAll();
  reports::Report merge();
  std::string describeCuts(ArrayRef<UnitResult::Cut> Cuts, unsigned Unit) const;
  void judgeUnused(const std::vector<std::string> &Files);
};

/// The part of the analysis from the roots of \p Unit that was cut; empty if
/// none.
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
    Rest = " (and the analysis of " +
           reports::counted(Others, "other function") + ")";
  if (First->OutOfTime)
    return "the analysis of '" + First->Root + "' stopped after " +
           reports::counted(First->Steps, "step") + Rest + ": " +
           Opts.RunLimit.reason();
  return "the analysis of '" + First->Root + "' reached its limits after " +
         reports::counted(First->Steps, "step") + Rest +
         " and skipped some paths";
}

/// Removes directives that a unit outside this run may need.
void Linker::judgeUnused(const std::vector<std::string> &Files) {
  if (!Opts.ReportUnusedNolint)
    return;
  if (!Incomplete.empty()) {
    Unused.clear();
    Out.notice("unused NOLINT comments are not reported, because an incomplete "
               "translation unit may need them");
  }
  if (Opts.Cmd != Command::Link && !Opts.Sources.empty())
    llvm::erase_if(Unused, [&](const reports::Remark &Each) {
      return !is_contained(Files, Each.Loc.File);
    });
}

/// Sorts \p Units, because the order determines which of several equal items
/// comes first. Removes duplicate summaries.
void sortUnits(std::vector<UnitSummary> &Units) {
  llvm::sort(Units, [](const UnitSummary &A, const UnitSummary &B) {
    return std::tuple(mainFileOf(A), A.Id) < std::tuple(mainFileOf(B), B.Id);
  });
  Units.erase(llvm::unique(Units,
                           [](const UnitSummary &A, const UnitSummary &B) {
                             return A.Id == B.Id && A.Checksum &&
                                    A.Checksum == B.Checksum;
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

/// An error that occurs in each variant is reported once.
void Linker::noteIncomplete(const UnitSummary &Unit, const std::string &File,
                            const Variant &V) {
  reports::IncompleteUnit New = describeIncomplete(Unit, File, V.Arguments);
  bool Said = any_of(Incomplete, [&](const reports::IncompleteUnit &Known) {
    return Known.File == New.File && Known.Variant.empty() &&
           Known.ErrorCount == New.ErrorCount;
  });
  if (V.Arguments.empty() || !Said)
    Incomplete.push_back(std::move(New));
}

/// Finds the settings of the units of \p V and the incomplete units.
Error Linker::prepare(Variant &V) {
  sortUnits(V.Units);
  for (const UnitSummary &Unit : V.Units) {
    V.Files.push_back(mainFileOf(Unit));
    Expected<UnitSettings> One = Settings.settingsFor(V.Files.back());
    if (!One)
      return One.takeError();
    One->Analysis.AllRegistered = Opts.Cmd == Command::Ops;
    Strict |= One->Analysis.Strict;
    Least = std::min(Least, One->Analysis.Least);
    V.Chosen.push_back(*One);
    Unseen.add(Unit, *One->Known);
  }
  for (auto [Unit, File] : zip_equal(V.Units, V.Files))
    if (Unit.Errors || !Unit.Failure.empty())
      noteIncomplete(Unit, File, V);
  return Error::success();
}

void Linker::analyse(Variant &V) {
  static const std::vector<NolintLines> NoDirectives;
  const std::vector<NolintLines> Lines = nolintOf(V.Units);
  Suppression Silenced(Lines);
  UnusedNolint Directives(Opts.ReportUnusedNolint ? Lines : NoDirectives);
  auto Suppressed = [&](const Finding &F) {
    Directives.see(F);
    if (!Opts.Checks.enabled(F.Check))
      return true;
    if (!Silenced.suppresses(F))
      return false;
    Hidden.see(F);
    return true;
  };
  if (V.Known) {
    V.Found = combineResults(std::move(V.Known->Results),
                             std::move(V.Known->Walks), V.Chosen, Suppressed);
  } else {
    // Destroying the program would take longer than letting the process end.
    auto *Linked = new Program(std::move(V.Units));
    BuryPointer(Linked);
    V.Found = analyzeProgram(*Linked, V.Chosen, Suppressed,
                             Cached.enabled() ? &Cached : nullptr,
                             [&] { return Opts.RunLimit.passed(); });
    if (V.Found.AllStored)
      Cached.endRun(V.Found.Walks);
  }
  // A directive counts as used if some variant needs it.
  std::vector<reports::Remark> Here = Directives.unused();
  if (&V == &Variants.front())
    Unused = std::move(Here);
  else
    llvm::erase_if(Unused, [&](const reports::Remark &Old) {
      return none_of(Here, [&](const reports::Remark &Each) {
        return Each.Loc.File == Old.Loc.File && Each.Loc.Line == Old.Loc.Line &&
               Each.Message == Old.Message;
      });
    });
  if (Variants.size() == 1)
    return;
  auto Stamp = [&](auto &All) {
    for (auto &Each : All)
      Each.Variants = {V.Arguments};
  };
  Stamp(V.Found.Regions);
  Stamp(V.Found.Findings);
  Stamp(V.Found.Operators);
}

void Linker::analyseAll() {
  CrashRecoveryContext::Enable();
  CrashRecoveryContext Guard;
  bool Finished = Guard.RunSafelyOnThread(
      [&] {
        for (Variant &V : Variants)
          analyse(V);
      },
      availableStack());
  CrashRecoveryContext::Disable();
  auto Cut = [&](const Variant &V, const std::string &File, std::string Why) {
    UnitSummary Note;
    Note.Failure = std::move(Why);
    std::string Short = File;
    Log::shorten(Short);
    if (none_of(Incomplete, [&](const reports::IncompleteUnit &Known) {
          return Known.File == Short;
        }))
      Incomplete.push_back(describeIncomplete(Note, File, V.Arguments));
  };
  if (!Finished) {
    Hidden = SilencedFindings();
    Unused.clear();
  }
  for (Variant &V : Variants) {
    if (!Finished) {
      V.Found = UnitResult(); // partial results may be inconsistent
      for (const std::string &File : V.Files)
        Cut(V, File, "the analysis crashed");
    }
    // A limit that was reached is always reported.
    for (unsigned Index = 0; Index < V.Files.size(); ++Index)
      if (std::string Why = describeCuts(V.Found.Cuts, Index); !Why.empty())
        Cut(V, V.Files[Index], Why);
  }
}

/// Combines all variants into one report.
reports::Report Linker::merge() {
  std::vector<UnitResult> All;
  // The number of omitted findings is the largest among the variants.
  unsigned HeldBack = 0, Advice = 0;
  for (Variant &V : Variants) {
    HeldBack = std::max(HeldBack, V.Found.HeldBack);
    Advice = std::max(Advice, V.Found.Advice);
    shortenPaths(V.Found);
    All.push_back(std::move(V.Found));
  }
  reports::Report Result = mergeUnits(std::move(All));
  Result.Seen.HeldBack = HeldBack;
  Result.Hidden.Advice = Advice;
  if (Variants.size() == 1)
    return Result;
  for (const Variant &V : Variants)
    Result.Variants.push_back(V.Arguments);
  for (Finding &F : Result.Findings)
    if (!is_contained(F.Variants, ""))
      F.Notes.push_back(
          {F.Loc, F.Function, "only with " + join(F.Variants, ", and with ")});
  return Result;
}

Expected<reports::Report> Linker::run(std::vector<ProgramUnits> Programs) {
  for (ProgramUnits &Each : Programs) {
    Variants.emplace_back();
    Variants.back().Arguments = std::move(Each.Variant);
    Variants.back().Units = std::move(Each.Units);
    Variants.back().Known = std::move(Each.Known);
  }
  for (Variant &V : Variants)
    if (Error E = prepare(V))
      return std::move(E);
  unsigned Count = Variants.front().Files.size();
  reportIncomplete(Incomplete, Count, Opts.Verbose, Out);
  size_t Said = Incomplete.size();
  analyseAll();
  reportIncomplete(ArrayRef(Incomplete).drop_front(Said), Count, Opts.Verbose,
                   Out);
  std::vector<std::string> &Files = Variants.front().Files;
  judgeUnused(Files);
  if (Opts.Verbose && Cached.enabled())
    Out.line("cudagraph-tidy: " + Twine(Cached.rootsFound()) + " of " +
             Twine(Cached.rootsAsked()) +
             " capturing functions are unaffected by the changes");
  for (const std::string &Each : Cached.takeDamage())
    Out.notice(Each);
  if (std::string Problem = Cached.takeProblem(); !Problem.empty())
    Out.notice(Problem);

  std::vector<Finding> Shown;
  for (const Variant &V : Variants)
    append_range(Shown, V.Found.Findings);
  UnitResult Aside;
  Aside.Findings = Hidden.take(Shown, Least);
  shortenPaths(Aside);
  reports::Report Result = merge();
  Result.Silenced = std::move(Aside.Findings);
  Result.Seen.TranslationUnits = Count;
  Result.Seen.Incomplete = std::move(Incomplete);
  Result.Seen.Unseen = Unseen.take();
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

Expected<reports::Report> linkUnits(std::vector<ProgramUnits> Programs,
                                    const Options &Opts, Config &Settings,
                                    Cache &Cached, reports::SourceText &Sources,
                                    Log &Out) {
  Expected<reports::Report> Result =
      Linker(Opts, Settings, Cached, Out).run(std::move(Programs));
  if (Result)
    fingerprint(Result->Findings, Sources);
  return Result;
}

} // namespace cudagraph::driver
