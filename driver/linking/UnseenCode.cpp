//===- UnseenCode.cpp - Code that no command of a run compiles ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnseenCode.h"
#include "driver/support/Log.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

using catalogue::Catalogue;
using catalogue::Effect;
using catalogue::Entry;

/// True for effects that concern captures and devices.
bool matters(Effect E) {
  switch (E) {
  case Effect::Neutral:
  case Effect::AllocHost:
  case Effect::FreeHost:
  case Effect::Invoke:
  case Effect::Terminate:
    return false;
  default:
    return !isHostEffect(E);
  }
}

/// The entry for a call with this spelling; null if it does not matter. The
/// class of a member is unknown: only names that are specific to beginning and
/// ending captures count.
const Entry *entryOf(const SkippedBranch::Calls &Call, const Catalogue &Known) {
  const Entry *E = Known.lookup(Call.Name);
  if (!E && Call.Qualified) {
    StringRef Name = StringRef(Call.Name).rsplit(':').second;
    if (Name.empty())
      Name = Call.Name;
    for (const Entry *Each : Known.entries())
      if (boundsCapture(Each->Does) &&
          StringRef(Each->Name).ends_with(("::" + Name).str()))
        E = Each;
  }
  return E && matters(E->Does) ? E : nullptr;
}

reports::UnseenBranch judged(const SkippedBranch &Branch,
                             const Catalogue &Known) {
  reports::UnseenBranch Result;
  for (const SkippedBranch::Calls &Call : Branch.Names) {
    const Entry *E = entryOf(Call, Known);
    if (!E)
      continue;
    if (E->Does == Effect::CaptureBegin)
      Result.Begins += Call.Count;
    if (E->Does == Effect::CaptureEnd)
      Result.Ends += Call.Count;
    if (!is_contained(Result.Calls, E->Name))
      Result.Calls.push_back(E->Name);
  }
  Result.Loc.File = Branch.File;
  Result.Loc.Line = Branch.Line;
  Result.Loc.EndLine = Branch.EndLine;
  Result.Loc.Column = Result.Loc.EndColumn = 1;
  Result.Condition = Branch.Condition;
  Result.Otherwise = Branch.Otherwise;
  Result.Why = Branch.Why;
  Result.Macro = Branch.Macro;
  return Result;
}

} // namespace

void UnseenCode::add(const UnitSummary &Unit, const Catalogue &Known) {
  for (const std::string &File : Unit.ReadFiles)
    ++Files[File].Units;
  for (const SkippedBranch &Branch : Unit.Skipped) {
    Seen &In = Files[Branch.File];
    std::pair Lines(Branch.Line, Branch.EndLine);
    if (++In.Skipped[Lines] > 1)
      continue;
    reports::UnseenBranch New = judged(Branch, Known);
    if (!New.Calls.empty())
      In.Matters.emplace(Lines, std::move(New));
  }
}

std::vector<reports::UnseenBranch> UnseenCode::take() const {
  std::vector<StringRef> Names;
  for (const auto &Each : Files)
    if (!Each.getValue().Matters.empty())
      Names.push_back(Each.getKey());
  llvm::sort(Names);
  std::vector<reports::UnseenBranch> Result;
  for (StringRef Name : Names) {
    const Seen &In = Files.find(Name)->getValue();
    std::pair<unsigned, unsigned> Last;
    for (const auto &[Lines, Branch] : In.Matters) {
      // A range that contains this one also skips it.
      unsigned Blind = 0;
      for (const auto &[Each, Units] : In.Skipped)
        if (Each.first <= Lines.first && Lines.second <= Each.second)
          Blind += Units;
      bool Within = Last.first <= Lines.first && Lines.second <= Last.second;
      if (Blind < In.Units || Within)
        continue;
      Last = Lines;
      Result.push_back(Branch);
      Log::shorten(Result.back().Loc.File);
    }
  }
  return Result;
}

} // namespace cudagraph::driver
