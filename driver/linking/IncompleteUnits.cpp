//===- IncompleteUnits.cpp - Messages about incomplete units --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IncompleteUnits.h"
#include "driver/reports/Diagnosis.h"
#include "driver/support/Log.h"
#include "driver/translation/Toolchain.h"
#include "driver/units/WorkerPool.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace cudagraph::driver {
namespace {

using reports::counted;
using reports::ErrorGroup;
using reports::IncompleteUnit;
using UnitRefs = std::vector<const IncompleteUnit *>;

/// The number of error groups that are shown and the number of causes that are
/// shown for one unit.
constexpr size_t ShownGroups = 10, ShownCauses = 3;
/// The maximum number of units that have a line each and the number of names in
/// a line for more units.
constexpr size_t SingleUnits = 3, ShownNames = 3;

/// Returns "a.cu, b.cu, c.cu, and 19 more".
std::string namesOf(const UnitRefs &Units) {
  std::string Result;
  for (const IncompleteUnit *Unit : ArrayRef(Units).take_front(ShownNames))
    Result += (Result.empty() ? "" : ", ") + Unit->File;
  if (Units.size() > ShownNames)
    Result += ", and " + std::to_string(Units.size() - ShownNames) + " more";
  return Result;
}

void reportUnit(const IncompleteUnit &Unit, bool Verbose, Log &Out) {
  for (const std::string &Text : Unit.Errors)
    Out.line(Text);
  std::string Said =
      "cudagraph-tidy: " + Unit.File + " is incomplete: " + Unit.Reason;
  if (Unit.Errors.size() < Unit.ErrorCount)
    Said += ", the first " + std::to_string(Unit.Errors.size()) + " shown";
  if (!Verbose && Unit.ErrorCount)
    Said += "; --verbose shows the command";
  Out.line(Said);
}

/// Crashes, timeouts, and similar failures.
void reportFailures(const UnitRefs &Units, bool Verbose, Log &Out) {
  std::map<std::string, UnitRefs> ByReason;
  for (const IncompleteUnit *Unit : Units)
    ByReason[Unit->Reason].push_back(Unit);
  for (const auto &[Reason, Same] : ByReason) {
    if (Verbose || Same.size() <= SingleUnits)
      for (const IncompleteUnit *Unit : Same)
        reportUnit(*Unit, Verbose, Out);
    else
      Out.line("cudagraph-tidy: " + counted(Same.size(), "unit") +
               " are incomplete: " + Reason + " (" + namesOf(Same) + ")");
  }
}

void reportErrors(const UnitRefs &Units, size_t Total, bool Verbose, Log &Out) {
  bool One = Units.size() == 1;
  if (One || Verbose)
    for (const IncompleteUnit *Unit : Units)
      reportUnit(*Unit, Verbose, Out);
  std::vector<IncompleteUnit> Values;
  for (const IncompleteUnit *Unit : Units)
    Values.push_back(*Unit);
  std::vector<ErrorGroup> Groups = reports::groupErrors(Values);
  if (One)
    llvm::erase_if(Groups,
                   [](const ErrorGroup &G) { return G.Advice.empty(); });
  size_t Shown = std::min(Groups.size(), One ? ShownCauses : ShownGroups);
  for (const ErrorGroup &G : ArrayRef(Groups).take_front(Shown)) {
    if (!One && !Verbose)
      Out.line(G.First);
    Out.line("cudagraph-tidy: " + reports::described(G));
  }
  if (One)
    return;
  if (Shown < Groups.size())
    Out.line("cudagraph-tidy: " + Twine(Groups.size() - Shown) +
             " more kinds of errors are not shown; none is more frequent");
  Out.line("cudagraph-tidy: " + std::to_string(Units.size()) + " of " +
           counted(Total, "translation unit") +
           " have parse errors: " + namesOf(Units) +
           (Verbose ? "" : "; --verbose shows their errors and commands"));
}

} // namespace

IncompleteUnit describeIncomplete(const UnitSummary &Unit,
                                  const std::string &File,
                                  const std::string &Variant) {
  IncompleteUnit Result;
  Result.File = File;
  Log::shorten(Result.File);
  Result.ErrorCount = Unit.Errors;
  Result.Errors = Unit.FirstErrors;
  Result.Kinds = Unit.ErrorKinds;
  // Each error begins with a path.
  for (std::string &Text : Result.Errors)
    Log::shorten(Text);
  for (ErrorKind &Kind : Result.Kinds)
    Log::shorten(Kind.First);
  Result.Directory = Unit.Directory;
  Result.Command = Unit.Command;
  Result.MockToolkit = usesMockToolkit(Unit.Command);
  Result.Reason =
      Unit.Failure.empty() ? counted(Unit.Errors, "parse error") : Unit.Failure;
  Result.Variant = Variant;
  if (!Variant.empty() && Result.Reason != InterruptedTask)
    Result.Reason += " (with " + Variant + ")";
  return Result;
}

void reportIncomplete(ArrayRef<IncompleteUnit> Units, size_t Total,
                      bool Verbose, Log &Out) {
  UnitRefs Failed, WithErrors;
  for (const IncompleteUnit &Unit : Units)
    if (Unit.Reason != InterruptedTask) // reportInterrupted() counts them
      (Unit.Kinds.empty() ? Failed : WithErrors).push_back(&Unit);
  if (!Failed.empty())
    reportFailures(Failed, Verbose, Out);
  if (!WithErrors.empty())
    reportErrors(WithErrors, Total, Verbose, Out);
}

void reportInterrupted(const reports::Report &R, Log &Out) {
  size_t Lost = count_if(R.Seen.Incomplete, [](const IncompleteUnit &Unit) {
    return Unit.Reason == InterruptedTask;
  });
  size_t Total = R.Seen.TranslationUnits;
  Out.line("cudagraph-tidy: interrupted after " + Twine(Total - Lost) + " of " +
           counted(Total, "unit") + "; " +
           (R.Findings.empty()
                ? std::string("nothing found so far")
                : counted(R.Findings.size(), "finding") + " so far"));
}

} // namespace cudagraph::driver
