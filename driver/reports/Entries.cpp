//===- Entries.cpp - The entries of a report of locations -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entries.h"
#include "Text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace cudagraph::reports {
namespace {

class Collector {
public:
  Collector(const Report &R, SourceText &Sources) : R(R), Sources(Sources) {}

  std::vector<Entry> run() {
    for (auto [Index, F] : enumerate(R.Findings))
      finding(F, R.InRun ? &R.InRun->Confirmations[Index] : nullptr);
    if (R.InRun)
      for (const confirm::RunOnly &Other : R.InRun->Others)
        runOnly(Other);
    for (const IncompleteUnit &Unit : R.Seen.Incomplete)
      incomplete(Unit);
    for (const Remark &Each : R.Remarks)
      remark(Each);
    return std::move(All);
  }

private:
  const Report &R;
  SourceText &Sources;
  std::vector<Entry> All;
  StringMap<unsigned> Ordinals;

  void finding(const Finding &F, const confirm::Confirmation *InRun) {
    Entry &E = All.emplace_back();
    E.Check = F.Check;
    E.Severity = F.Severity;
    E.Message = F.Message;
    E.Loc = F.Loc;
    E.Fingerprint = F.Fingerprint;
    E.Of = &F;
    E.InRun = InRun;
    for (const auto *Steps : {&F.Chain, &F.Notes})
      for (const Step &S : *Steps)
        add(E, S.Loc, S.Message);
    if (InRun)
      add(E, F.Loc, InRun->Note);
  }

  void runOnly(const confirm::RunOnly &Other) {
    Entry &E = All.emplace_back();
    E.Check = SeenInRun;
    E.Severity = Other.Seen.Remark ? "note" : "warning";
    E.Message = confirm::described(Other);
    E.Only = &Other;
    confirm::Position At = confirm::placeOf(Other);
    E.Loc.File = At.File;
    E.Loc.Line = At.Line;
    E.Loc.Column = At.Column;
    E.Loc.EndLine = At.EndLine;
    if (Other.Region && Other.Region <= R.Regions.size()) {
      const Region &G = R.Regions[Other.Region - 1];
      if (!E.Loc.valid()) {
        E.Loc = G.Begin;
        E.Message += ", somewhere in the region that begins here";
      } else {
        add(E, G.Begin, "in the region that begins here");
      }
    }
    E.Fingerprint = identity(
        {E.Check, fromRoot(R, E.Loc.File), Other.Seen.Kind, Other.Seen.Api,
         Sources.line(E.Loc.File, E.Loc.Line).trim().str()});
  }

  void incomplete(const IncompleteUnit &Unit) {
    Entry &E = All.emplace_back();
    E.Check = IncompleteAnalysis;
    E.Severity = "error";
    E.Message = "this translation unit was not fully analyzed: " + Unit.Reason;
    E.Loc.File = Unit.File;
    E.Loc.Line = 1;
    for (const std::string &Text : Unit.Errors)
      parseError(E, Text);
    if (Unit.Errors.size() < Unit.ErrorCount)
      add(E, E.Loc,
          counted(Unit.ErrorCount - Unit.Errors.size(), "more error"));
    E.Fingerprint = identity({E.Check, fromRoot(R, E.Loc.File)});
  }

  void remark(const Remark &Each) {
    Entry &E = All.emplace_back();
    E.Check = Each.Is == Remark::UnusedNolint ? UnusedNolint : StaleBaseline;
    E.Severity = "note";
    E.Message = Each.Message;
    E.Loc = Each.Loc;
    E.Fingerprint = identity({E.Check, fromRoot(R, E.Loc.File), E.Message});
  }

  /// Adds "a.cu:7:3: error: what" at its location.
  static void parseError(Entry &E, const std::string &Text) {
    static const Regex Diagnostic("^(.+):([0-9]+):([0-9]+): (.*)$");
    SmallVector<StringRef> Parts;
    Location At;
    if (Diagnostic.match(Text, &Parts) && to_integer(Parts[2], At.Line) &&
        to_integer(Parts[3], At.Column)) {
      At.File = Parts[1].str();
      add(E, At, Parts[4].str());
    } else {
      add(E, E.Loc, Text);
    }
  }

  static void add(Entry &E, const Location &L, const std::string &Message) {
    Step &S = E.Steps.emplace_back();
    S.Loc = L.valid() ? L : E.Loc;
    S.Message = Message;
  }

  /// Hashes \p Parts in the same way as findings.
  std::string identity(std::initializer_list<std::string> Parts) {
    std::string Key = join(Parts, StringRef("\0", 1));
    unsigned Ordinal = Ordinals[Key]++;
    Key += '\0' + std::to_string(Ordinal);
    return utohexstr(xxh3_64bits(Key), /*LowerCase=*/true, 16);
  }
};

unsigned weight(const Entry &E) {
  unsigned BySeverity = E.Severity == "error"  ? 0
                        : E.Severity == "note" ? 2
                                               : 1;
  // An entry that a run observed is certain.
  Confidence Sure = E.Of ? E.Of->Sure : Confidence::Certain;
  return BySeverity * 3 + (2 - static_cast<unsigned>(Sure));
}

} // namespace

std::vector<Entry> entriesOf(const Report &R, SourceText &Sources) {
  return Collector(R, Sources).run();
}

void sortByWeight(std::vector<Entry> &Entries) {
  std::vector<std::pair<unsigned, size_t>> Order;
  for (auto [Index, E] : enumerate(Entries))
    Order.emplace_back(weight(E), Index);
  llvm::sort(Order);
  std::vector<Entry> Sorted;
  for (auto [Weight, Index] : Order)
    Sorted.push_back(std::move(Entries[Index]));
  Entries = std::move(Sorted);
}

std::string rendered(const Entry &E, SourceText &Sources) {
  Finding Shown;
  Shown.Check = E.Check;
  Shown.Severity = E.Severity;
  Shown.Message = E.Message;
  Shown.Loc = E.Loc;
  Shown.Chain = E.Steps;
  Report One;
  One.Findings.push_back(std::move(Shown));
  std::string Result;
  raw_string_ostream Out(Result);
  writeText(Out, One, Sources, {/*Color=*/false, /*ClosingLine=*/false});
  return Result;
}

} // namespace cudagraph::reports
