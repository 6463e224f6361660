//===- ChangedLines.cpp - The changed lines -------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChangedLines.h"
#include "driver/support/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

using Range = std::pair<unsigned, unsigned>;

/// The lines of the new side that \p H affects. If lines were only removed,
/// their neighbors may have lost a join or a guard.
Range touched(const Hunk &H) {
  if (H.NewCount)
    return {H.NewStart, H.NewStart + H.NewCount - 1};
  return {std::max(H.NewStart, 1u), H.NewStart + 1};
}

/// The position on the new side of the lines \p R of the old side.
Range moved(Range R, const std::vector<Hunk> &Hunks) {
  auto Place = [&](unsigned Line, bool Last) {
    int64_t Shift = 0;
    for (const Hunk &H : Hunks) {
      // If the old side has no lines, OldStart is the line before the change.
      unsigned First = H.OldCount ? H.OldStart : H.OldStart + 1;
      if (Line < First)
        break;
      if (Line < First + H.OldCount)
        return Last ? touched(H).second : touched(H).first;
      Shift += int64_t(H.NewCount) - int64_t(H.OldCount);
    }
    return static_cast<unsigned>(Line + Shift);
  };
  return {Place(R.first, false), Place(R.second, true)};
}

std::string realPath(StringRef File) {
  SmallString<256> Path(File), Real;
  (void)sys::fs::make_absolute(Path);
  if (!sys::fs::real_path(Path, Real))
    return Real.str().str();
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

std::string below(const std::string &Top, StringRef Path) {
  return realPath((Top + "/" + Path).str());
}

} // namespace

Expected<ChangedLines> ChangedLines::since(StringRef Directory, StringRef Ref) {
  std::string Option = ("--diff-base=" + Ref).str();
  Expected<Git> Repository = Git::at(Directory);
  if (!Repository)
    return makeError(Option + " needs the repository of " + Directory + ": " +
                     toString(Repository.takeError()));
  // After --end-of-options, the name of the commit cannot be an option.
  Expected<std::string> Commit =
      Repository->run({"rev-parse", "--verify", "--quiet", "--end-of-options",
                       (Ref + "^{commit}").str()});
  if (!Commit) {
    consumeError(Commit.takeError());
    return makeError(
        Option + ": " + Repository->top() +
        " does not contain this commit; fetch it first (in CI, clone with "
        "full history: fetch-depth: 0, GIT_DEPTH: 0)");
  }
  Expected<std::string> Base =
      Repository->run({"merge-base", StringRef(*Commit).trim(), "HEAD"});
  if (!Base) {
    consumeError(Base.takeError());
    return makeError(
        Option + " and HEAD have no common ancestor in " + Repository->top() +
        "; a shallow clone does not contain it (in CI, clone with full "
        "history: fetch-depth: 0, GIT_DEPTH: 0)");
  }
  Expected<std::vector<FileDiff>> Changed =
      Repository->diff({StringRef(*Base).trim(), "--"});
  if (!Changed)
    return makeError(Option + ": " + toString(Changed.takeError()));
  Expected<std::string> Untracked = Repository->run(
      {"ls-files", "--others", "--exclude-standard", "--full-name", "-z"});
  if (!Untracked)
    return makeError(Option + ": " + toString(Untracked.takeError()));

  ChangedLines Result;
  for (const FileDiff &File : *Changed) {
    Ranges &Lines = Result.Files[below(Repository->top(), File.Path)];
    for (const Hunk &H : File.Hunks)
      Lines.push_back(touched(H));
  }
  SmallVector<StringRef> Names;
  StringRef(*Untracked).split(Names, '\0', -1, /*KeepEmpty=*/false);
  for (StringRef Name : Names)
    Result.Files.try_emplace(below(Repository->top(), Name));
  return Result;
}

Expected<ChangedLines> ChangedLines::staged(StringRef Directory) {
  Expected<Git> Repository = Git::at(Directory);
  if (!Repository)
    return makeError("--staged needs the repository of " + Directory + ": " +
                     toString(Repository.takeError()));
  Expected<std::vector<FileDiff>> InIndex =
      Repository->diff({"--cached", "--"});
  if (!InIndex)
    return makeError("--staged: " + toString(InIndex.takeError()));
  Expected<std::vector<FileDiff>> After = Repository->diff({"--"});
  if (!After)
    return makeError("--staged: " + toString(After.takeError()));

  ChangedLines Result;
  for (const FileDiff &File : *InIndex) {
    // If there are no lines, only the modification time may differ.
    auto Later = find_if(*After, [&](const FileDiff &F) {
      return F.Path == File.Path && !F.Hunks.empty();
    });
    if (Later != After->end())
      Result.Unstaged.push_back(File.Path);
    Ranges &Lines = Result.Files[below(Repository->top(), File.Path)];
    for (const Hunk &H : File.Hunks)
      Lines.push_back(Later == After->end() ? touched(H)
                                            : moved(touched(H), Later->Hunks));
  }
  return Result;
}

std::vector<std::string> ChangedLines::files() const {
  std::vector<std::string> Result;
  for (StringRef File : Files.keys())
    Result.push_back(File.str());
  sort(Result);
  return Result;
}

const ChangedLines::Ranges *ChangedLines::rangesOf(StringRef File) {
  auto [Slot, New] = RealPaths.try_emplace(File);
  if (New)
    Slot->second = realPath(File);
  auto It = Files.find(Slot->second);
  return It == Files.end() ? nullptr : &It->second;
}

bool ChangedLines::contains(const Location &L) {
  if (!L.valid())
    return false;
  const Ranges *Lines = rangesOf(L.File);
  if (!Lines)
    return false;
  unsigned Last = std::max(L.Line, L.EndLine);
  return Lines->empty() || any_of(*Lines, [&](const Range &R) {
           return R.first <= Last && L.Line <= R.second;
         });
}

bool ChangedLines::touches(Finding &F) {
  if (contains(F.Loc))
    return true;
  // The step nearest to the call is the most informative.
  for (const auto *Steps : {&F.Chain, &F.Notes})
    for (const Step &S : reverse(*Steps))
      if (contains(S.Loc)) {
        F.ChangedAt = S.Loc;
        return true;
      }
  return any_of(F.Loc.Written, [&](const Place &W) {
    Location Where;
    Where.File = W.File;
    Where.Line = Where.EndLine = W.Line;
    Where.Column = Where.EndColumn = W.Column;
    if (!contains(Where))
      return false;
    F.ChangedAt = Where;
    return true;
  });
}

} // namespace cudagraph::driver
