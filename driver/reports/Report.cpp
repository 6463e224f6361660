//===- Report.cpp - The input of every report -----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace cudagraph::reports {
namespace {

/// The classes of outcomes that are counted.
enum Class { Refused, Escapes, RefusedOrEscapes, Stale, Dangling, Unknown };

Class classify(const Outcome &O) {
  switch (O.Kind) {
  case OutcomeKind::Error:
    return Refused;
  case OutcomeKind::Escapes:
    return Escapes;
  case OutcomeKind::Stale:
    return Stale;
  case OutcomeKind::Dangling:
    return Dangling;
  case OutcomeKind::Unknown:
    return Unknown;
  case OutcomeKind::Depends:
    break;
  }
  bool MayEscape = any_of(O.Alternatives, [](const Alternative &A) {
    return A.Kind == OutcomeKind::Escapes;
  });
  return MayEscape ? RefusedOrEscapes : Refused;
}

} // namespace

unsigned Report::findingsIn(unsigned Id) const {
  return count_if(
      Findings, [&](const Finding &F) { return is_contained(F.Regions, Id); });
}

std::string fromRoot(const Report &R, StringRef File) {
  SmallString<256> Path(File);
  if (!sys::path::is_absolute(Path)) {
    Path = R.WorkingDirectory;
    sys::path::append(Path, File);
  }
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  StringRef Result = Path;
  if (!R.Root.empty() && Result.starts_with(R.Root) &&
      Result.drop_front(R.Root.size()).starts_with("/"))
    Result = Result.drop_front(R.Root.size() + 1);
  return Result.str();
}

std::string spelled(const Location &L) {
  // Debug information may have no columns.
  return L.File + ":" + std::to_string(L.Line) +
         (L.Column ? ":" + std::to_string(L.Column) : std::string());
}

std::string counted(size_t Count, const char *Noun) {
  return std::to_string(Count) + " " + Noun + (Count == 1 ? "" : "s");
}

std::string heldBackUntil(const Coverage &Seen) {
  std::vector<std::string> Headers;
  for (const IncompleteUnit &Unit : Seen.Incomplete)
    for (StringRef Error : Unit.Errors)
      if (Error.consume_back(" file not found"))
        if (std::string Name = Error.substr(Error.find('\'')).str();
            !is_contained(Headers, Name))
          Headers.push_back(std::move(Name));
  if (Headers.empty())
    return "the source parses";
  if (Headers.size() == 1)
    return Headers.front() + " is found";
  return Headers.front() + " and " +
         counted(Headers.size() - 1, "other header") + " are found";
}

std::string countedUnits(const Report &R) {
  const Coverage &Seen = R.Seen;
  std::string Result =
      counted(Seen.TranslationUnits, "translation unit") + ", " +
      (Seen.Incomplete.empty() ? std::string("none")
                               : std::to_string(Seen.Incomplete.size())) +
      " incomplete";
  if (Seen.SkippedUnits) {
    std::string Number = std::to_string(Seen.SkippedUnits);
    for (int At = Number.size() - 3; At > 0; At -= 3)
      Number.insert(At, ",");
    Result += ", " + Number + " plain C++ unit" +
              (Seen.SkippedUnits == 1 ? "" : "s") + " skipped";
  }
  if (Seen.Interrupted)
    Result += " (the run was interrupted)";
  return Result;
}

std::string countedOutcomes(const Report &R, unsigned Region) {
  // Singular and plural.
  static constexpr const char *Words[][2] = {
      {"refused", "refused"},
      {"escapes", "escape"},
      {"refused or escapes", "refused or escape"},
      {"stale", "stale"},
      {"dangling", "dangling"},
      {"unknown", "unknown"},
  };
  size_t Counts[std::size(Words)] = {};
  for (const Finding &F : R.Findings)
    if (!Region || is_contained(F.Regions, Region))
      ++Counts[classify(F.Outcome)];
  std::vector<std::string> Parts;
  for (auto [Count, Word] : zip(Counts, Words))
    if (Count)
      Parts.push_back(std::to_string(Count) + " " + Word[Count != 1]);
  return join(Parts, ", ");
}

unsigned callsIn(const Region &G) {
  return count_if(G.Timeline, [](const TimelineEntry &E) {
    return E.Kind != TimelineKind::Begin && E.Kind != TimelineKind::End;
  });
}

} // namespace cudagraph::reports
