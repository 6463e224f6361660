//===- Selection.cpp - The selection of findings to report ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Selection.h"
#include "driver/database/DbFile.h"
#include "driver/support/Paths.h"
#include "versions/LLVMVersions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// The directory for git: the repository of the analyzed sources.
std::string placeOf(const Options &Opts) {
  if (Opts.Cmd == Command::Check && !Opts.Sources.empty()) {
    StringRef Parent = sys::path::parent_path(Opts.Sources.front());
    if (!Parent.empty() && sys::fs::is_directory(Parent))
      return Parent.str();
  }
  return ".";
}

/// Keeps the findings that \p Keep selects and the results of runs for them.
unsigned keepIf(reports::Report &R, function_ref<bool(Finding &)> Keep) {
  std::vector<Finding> Remaining;
  std::vector<confirm::Confirmation> Confirmations;
  for (auto [Index, F] : enumerate(R.Findings)) {
    if (!Keep(F))
      continue;
    Remaining.push_back(std::move(F));
    if (R.InRun)
      Confirmations.push_back(std::move(R.InRun->Confirmations[Index]));
  }
  unsigned Gone = R.Findings.size() - Remaining.size();
  R.Findings = std::move(Remaining);
  if (R.InRun)
    R.InRun->Confirmations = std::move(Confirmations);
  return Gone;
}

StringRef majorOf(StringRef Version) { return Version.split('.').first; }

Expected<ChangedLines> queryGit(const Options &Opts) {
  return Opts.Staged ? ChangedLines::staged(placeOf(Opts))
                     : ChangedLines::since(placeOf(Opts), Opts.DiffBase);
}

} // namespace

Error nameChangedSources(Options &Opts) {
  if ((Opts.DiffBase.empty() && !Opts.Staged) || Opts.Cmd == Command::Link ||
      !Opts.Sources.empty() || !Opts.BuildPath.empty() || Opts.CompilerArgs ||
      findDatabase(absolutePath(".")))
    return Error::success();
  Expected<ChangedLines> Changed = queryGit(Opts);
  if (!Changed)
    return Changed.takeError();
  for (std::string &File : Changed->files())
    if (isSourceName(File) || isHeaderName(File))
      Opts.Sources.push_back(std::move(File));
  Opts.NothingChanged = Opts.Sources.empty();
  return Error::success();
}

Expected<Selection> Selection::prepare(const Options &Opts) {
  Selection Result(Opts);
  if (!Opts.DiffBase.empty() || Opts.Staged) {
    Expected<ChangedLines> Changed = queryGit(Opts);
    if (!Changed)
      return Changed.takeError();
    Result.Changed = std::move(*Changed);
  }
  if (!Opts.BaselineFile.empty()) {
    bool Fresh = Opts.BaselineWrite && !sys::fs::exists(Opts.BaselineFile);
    Expected<Baseline> Known = Fresh ? Baseline::empty(Opts.BaselineFile)
                                     : Baseline::read(Opts.BaselineFile);
    if (!Known)
      return Known.takeError();
    Result.Known = std::move(*Known);
  }
  return Result;
}

bool Selection::inFilters(const reports::Report &R, const Finding &F) const {
  SmallString<256> Path(F.Loc.File);
  sys::path::make_absolute(R.WorkingDirectory, Path);
  if (!is_contained(R.MainFiles, F.Loc.File) && !Opts->HeaderFilter.empty() &&
      !HeaderFilter.match(F.Loc.File) && !HeaderFilter.match(Path))
    return false;
  if (Opts->LineFilter.empty())
    return true;
  // As in clang-tidy, the first filter that names the file applies.
  for (const clang::tidy::FileFilter &Filter : Opts->LineFilter)
    if (Path.str().ends_with(Filter.Name))
      return Filter.LineRanges.empty() ||
             any_of(Filter.LineRanges, [&](auto Range) {
               return Range.first <= F.Loc.Line && F.Loc.Line <= Range.second;
             });
  return false;
}

/// True if this run would have found the finding of \p E if it still existed.
bool Selection::couldSee(const reports::Report &R,
                         const BaselineEntry &E) const {
  if (!is_contained(R.Checks, E.Check) || !Opts->LineFilter.empty())
    return false;
  // Code that one unit lacks may be on the path to a finding in any other unit.
  if (!R.Seen.Incomplete.empty())
    return false;
  bool WholeProgram = Opts->Cmd == Command::Link || Opts->Sources.empty();
  return (WholeProgram && Opts->HeaderFilter.empty()) ||
         any_of(R.MainFiles, [&](const std::string &File) {
           return reports::fromRoot(R, File) == E.File;
         });
}

Error Selection::updateBaseline(reports::Report &R, Log &Out) {
  if (StringRef Version = Known->toolVersion();
      !Version.empty() && !Opts->BaselineWrite &&
      majorOf(Version) != majorOf(CUDAGRAPH_VERSION))
    Out.notice(Known->path() + " was written by version " + Version +
               "; this is " CUDAGRAPH_VERSION
               ", which may distinguish findings differently");
  StringMap<bool> Found;
  for (const Finding &F : R.Findings)
    Found[F.Fingerprint] = true;
  auto IsStale = [&](const BaselineEntry &E) {
    return !Found.contains(E.Fingerprint) && couldSee(R, E);
  };
  size_t Before = Known->entries().size();
  if (Opts->BaselineWrite) {
    Known->removeIf(IsStale);
    for (const Finding &F : R.Findings)
      Known->add(entryFor(R, F));
    if (Error E = Known->write())
      return E;
    Out.notice("wrote " + reports::counted(Known->entries().size(), "finding") +
               " to " + Known->path());
  } else if (Opts->BaselinePrune) {
    Known->removeIf(IsStale);
    if (size_t Gone = Before - Known->entries().size()) {
      if (Error E = Known->write())
        return E;
      Out.notice("removed " + reports::counted(Gone, "stale finding") +
                 " from " + Known->path());
    } else {
      Out.notice("nothing to remove from " + Known->path());
    }
    if (!R.Seen.Incomplete.empty())
      Out.notice("entries of " + Known->path() +
                 " are not considered stale while a translation unit is "
                 "incomplete");
  } else {
    for (const BaselineEntry &E : Known->entries())
      if (IsStale(E)) {
        reports::Remark Said;
        Said.Is = reports::Remark::StaleBaseline;
        Said.Loc.File = Known->path();
        Said.Loc.Line = Said.Loc.EndLine = E.Line;
        Said.Loc.Column = Said.Loc.EndColumn = 1;
        Said.Message = "no finding of " + E.Check + " in '" + E.Function +
                       "', " + E.File +
                       ", matches this entry; remove it with --baseline-prune";
        R.Remarks.push_back(std::move(Said));
      }
  }
  return Error::success();
}

Error Selection::apply(reports::Report &R, bool Finished, Log &Out) {
  keepIf(R, [&](Finding &F) { return inFilters(R, F); });
  R.Hidden.Nolint = count_if(R.Silenced, [&](Finding &F) {
    return inFilters(R, F) && (!Changed || Changed->touches(F));
  });
  if (Known) {
    if (Error E = Finished ? updateBaseline(R, Out) : Error::success())
      return E;
    R.Hidden.Baseline =
        keepIf(R, [&](Finding &F) { return !Known->contains(F.Fingerprint); });
  }
  if (Changed) {
    R.Hidden.Unchanged =
        keepIf(R, [&](Finding &F) { return Changed->touches(F); });
    llvm::erase_if(R.Remarks, [&](const reports::Remark &Each) {
      return Each.Is == reports::Remark::UnusedNolint &&
             !Changed->contains(Each.Loc);
    });
    for (const std::string &File : Changed->alsoUnstaged())
      Out.notice(
          File +
          " has changes that are not staged; the analysis includes them");
  }
  return Error::success();
}

} // namespace cudagraph::driver
