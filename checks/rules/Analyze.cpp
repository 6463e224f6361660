//===- Analyze.cpp - The entry point for all hosts ------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the roots, evaluates each, and merges their findings into one result.
//
//===----------------------------------------------------------------------===//

#include "Analyze.h"
#include "Evaluate.h"
#include "Operators.h"
#include "Rule.h"
#include "analysis/lower/Summarize.h"
#include "analysis/program/Limits.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace cudagraph {

const std::vector<CheckInfo> &allChecks() {
  static const std::vector<CheckInfo> All = {
#define CHECK(CLASS, ID, SEVERITY, SUMMARY) {#CLASS, ID, SEVERITY, SUMMARY},
#include "../Checks.def"
  };
  return All;
}

static auto placeKey(const Location &L) {
  return std::tie(L.File, L.Line, L.Column);
}

/// Returns \p Found with its message. The result must not be merged again.
static Finding said(Finding Found) {
  Found.Message = Found.Sentence.text();
  return Found;
}

/// The fields that determine whether two findings are equal.
static auto identity(const Finding &F) {
  return std::tuple(F.Loc.File, F.Loc.Line, F.Loc.Column, F.Check, F.Callee);
}

/// True if two paths to one call differ only in the outcome, because one
/// capture is on a blocking stream and the other is not.
static bool differByKind(const Finding &A, const Finding &B) {
  auto Plain = [](const Finding &F) {
    return F.Outcome.Kind == OutcomeKind::Error ||
           F.Outcome.Kind == OutcomeKind::Escapes;
  };
  return Plain(A) && Plain(B) && A.CapturingKind && B.CapturingKind &&
         *A.CapturingKind != *B.CapturingKind &&
         (A.Outcome.Kind != B.Outcome.Kind || A.Outcome.Code != B.Outcome.Code);
}

/// Adds the other outcome to \p Into.
static void mergeByKind(Finding &Into, const Finding &Other) {
  Outcome Both;
  Both.Kind = OutcomeKind::Depends;
  Both.Evidence = Into.Outcome.Evidence;
  const Finding *First = &Into, *Second = &Other;
  if (*First->CapturingKind != catalogue::StreamKind::Blocking)
    std::swap(First, Second);
  for (const Finding *Each : {First, Second})
    Both.Alternatives.push_back(
        {Each == First ? "the capturing stream is blocking"
                       : "the capturing stream is non-blocking",
         Each->Outcome.Kind, Each->Outcome.Code.value_or(0)});
  Into.Outcome = Both;
  Into.TwoKinds = true;
  Into.Sentence.forBothKinds();
  Into.Sentence.Consequence = RuleContext::dependence(Both, Into.OfEvent);
}

namespace {
/// Merges many results: regions are numbered by location, and a finding that
/// several regions reach is reported once and lists them.
class Combiner {
public:
  /// If \p Advice is true, advice is also reported.
  Combiner(llvm::function_ref<bool(const Finding &)> Suppressed, bool Advice)
      : Suppressed(Suppressed), Advice(Advice) {}

  UnitResult run(std::vector<RootResult> Roots, Confidence Least) {
    numberRegions(Roots);
    for (size_t Index = 0; Index < Roots.size(); ++Index) {
      for (Finding &F : Roots[Index].Findings) {
        if (Suppressed && Suppressed(F))
          continue;
        for (unsigned &R : F.Regions)
          R = Ids[{Index, R}];
        add(std::move(F));
      }
      for (OpaqueCall &Call : Roots[Index].OpaqueCalls)
        Opaque.emplace(
            std::tuple(Call.Loc.File, Call.Loc.Line, Call.Loc.Column),
            std::move(Call));
      Result.BudgetExceeded |= Roots[Index].BudgetExceeded;
    }
    for (auto &[Key, Each] : Merged)
      if (Each.Found.Sure >= Least && Each.Found.Advice && !Advice)
        ++Result.Advice;
      else if (Each.Found.Sure >= Least)
        Result.Findings.push_back(said(Each.take()));
      else if (Each.Found.IfParsed && *Each.Found.IfParsed >= Least)
        ++Result.HeldBack;
    for (auto &[Key, Call] : Opaque)
      Result.OpaqueCalls.push_back(std::move(Call));
    return std::move(Result);
  }

private:
  /// A finding and the regions of all findings that were merged into it.
  struct Item {
    Finding Found;
    std::set<unsigned> Regions;
    bool Ordered = false; ///< Regions counts, not Found.Regions
    Finding take();
  };
  void numberRegions(std::vector<RootResult> &Roots);
  bool isBetter(const Finding &A, const Finding &B) const;
  void add(Finding Found);

  llvm::function_ref<bool(const Finding &)> Suppressed;
  bool Advice;
  UnitResult Result;
  /// The final number of each region, by its root and its Id in that root.
  std::map<std::pair<size_t, unsigned>, unsigned> Ids;
  std::map<decltype(identity(Finding())), Item> Merged;
  std::map<std::tuple<std::string, unsigned, unsigned>, OpaqueCall> Opaque;
};
} // namespace

/// Inserts the events that are only in \p Other into \p Into, after their
/// predecessors.
static void mergeTimelines(Region &Into, const Region &Other) {
  Into.Truncated |= Other.Truncated;
  auto &All = Into.Timeline;
  auto From = All.begin();
  for (const TimelineEntry &E : Other.Timeline) {
    auto Same = llvm::find_if(All, [&](const TimelineEntry &X) {
      return X.Kind == E.Kind && placeKey(X.Loc) == placeKey(E.Loc) &&
             X.Stream == E.Stream;
    });
    if (Same == All.end() && All.size() >= MaxTimeline) {
      Into.Truncated = true;
      return;
    }
    From = Same != All.end() ? Same : All.insert(From, E);
    ++From;
  }
}

void Combiner::numberRegions(std::vector<RootResult> &Roots) {
  struct Item {
    Region *R;
    std::pair<size_t, unsigned> From;
  };
  std::vector<Item> All;
  for (size_t Index = 0; Index < Roots.size(); ++Index)
    for (Region &R : Roots[Index].Regions)
      All.push_back({&R, {Index, R.Id}});
  llvm::sort(All, [](const Item &A, const Item &B) {
    return std::tuple_cat(placeKey(A.R->Begin), std::tie(A.From)) <
           std::tuple_cat(placeKey(B.R->Begin), std::tie(B.From));
  });
  // Captures at one location (walked in several contexts) are one region.
  for (const Item &Each : All) {
    const Region &R = *Each.R;
    Region *Last = Result.Regions.empty() ? nullptr : &Result.Regions.back();
    if (Last && placeKey(Last->Begin) == placeKey(R.Begin) &&
        Last->Root == R.Root) {
      if (Last->Mode != R.Mode)
        Last->Mode.reset();
      if (Last->Kind != R.Kind)
        Last->Kind.reset();
      for (const Location &E : R.Ends)
        if (llvm::none_of(Last->Ends, [&](const Location &X) {
              return placeKey(X) == placeKey(E);
            }))
          Last->Ends.push_back(E);
      mergeTimelines(*Last, R);
    } else {
      Result.Regions.push_back(R);
      Result.Regions.back().Id = Result.Regions.size();
    }
    Ids[Each.From] = Result.Regions.size();
  }
}

/// True if \p A is more specific than \p B, a finding at the same call. A known
/// outcome takes precedence over one that depends on unknowns, and a higher
/// confidence over a lower one. A requested region takes precedence over one
/// that exists only because a function has a stream parameter.
bool Combiner::isBetter(const Finding &A, const Finding &B) const {
  auto Rank = [&](const Finding &F) {
    // A finding that two kinds of captures share may have no remaining region.
    unsigned Id = F.Regions.empty() ? 0 : F.Regions.front();
    bool Requested = Id == 0 || Id > Result.Regions.size() ||
                     Result.Regions[Id - 1].Root != RootKind::StreamParam;
    return std::tuple(F.TwoKinds || F.Outcome.Kind != OutcomeKind::Depends,
                      F.TwoKinds, F.Sure, Requested,
                      -static_cast<int>(F.Chain.size()));
  };
  return Rank(A) > Rank(B);
}

void Combiner::add(Finding Found) {
  auto [It, New] = Merged.try_emplace(identity(Found));
  Item &Known = It->second;
  Finding &Old = Known.Found;
  Known.Regions.insert(Found.Regions.begin(), Found.Regions.end());
  if (New) {
    Old = std::move(Found);
    return;
  }
  if (differByKind(Found, Old)) {
    if (Known.Ordered)
      Old = Known.take();
    mergeByKind(Old, Found);
    llvm::append_range(Old.Regions, Found.Regions);
    Known.Ordered = false;
    return;
  }
  bool OnlyAdvises = Old.Advice && Found.Advice;
  if (isBetter(Found, Old))
    Old = std::move(Found);
  Old.Advice = OnlyAdvises;
  Known.Ordered = true;
}

/// Returns the finding, with its own region first.
Finding Combiner::Item::take() {
  if (Ordered) {
    unsigned First = Found.Regions.front();
    Found.Regions.assign(1, First);
    llvm::copy_if(Regions, std::back_inserter(Found.Regions),
                  [&](unsigned R) { return R != First; });
  }
  return std::move(Found);
}

/// A hash of everything that determines the result of a root.
static uint64_t keyOf(const Relevance &Rel, const catalogue::Catalogue &Known,
                      const Root &From, const WalkLimits &Limits,
                      uint64_t StreamsHash) {
  std::string Text = std::to_string(Rel.reachHash(From.Function)) + " " +
                     std::to_string(Known.textHash()) + " ";
  if (From.Assumed)
    Text += spelling(*From.Assumed);
  if (Limits.Elsewhere)
    Text += " near " + std::to_string(StreamsHash);
  if (Limits.Steps != MaxSteps)
    Text += " " + std::to_string(Limits.Steps);
  return llvm::xxh3_64bits(llvm::StringRef(Text));
}

UnitResult
combineResults(std::vector<RootResult> Results,
               std::vector<UnitResult::Walk> Walks,
               llvm::ArrayRef<UnitSettings> Settings,
               llvm::function_ref<bool(const Finding &)> Suppressed) {
  Confidence Least = Confidence::Certain;
  bool Advice = false;
  for (const UnitSettings &Each : Settings) {
    Least = std::min(Least, Each.Analysis.Least);
    Advice |= Each.Analysis.Advice;
  }
  std::vector<UnitResult::Cut> Cuts;
  for (const auto &[R, From] : llvm::zip_equal(Results, Walks))
    if (R.BudgetExceeded)
      Cuts.push_back({From.Unit, From.Root, R.Steps, R.OutOfTime});
  UnitResult Result =
      Combiner(Suppressed, Advice).run(std::move(Results), Least);
  Result.Cuts = std::move(Cuts);
  Result.Walks = std::move(Walks);
  return Result;
}

UnitResult analyzeProgram(Program &Linked,
                          llvm::ArrayRef<UnitSettings> Settings,
                          llvm::function_ref<bool(const Finding &)> Suppressed,
                          RootStore *Store,
                          llvm::function_ref<bool()> OutOfTime) {
  std::vector<RootResult> Results;
  std::vector<UnitResult::Walk> Walks;
  uint64_t Work = 0; // of all walks; see MaxRunWork
  bool AllRegistered = false, AllStored = Store != nullptr;
  OperatorTable Operators(Linked);
  std::vector<const catalogue::Catalogue *> Catalogues;
  for (const UnitSettings &Each : Settings) {
    AllRegistered |= Each.Analysis.AllRegistered;
    if (!llvm::is_contained(Catalogues, Each.Known))
      Catalogues.push_back(Each.Known);
  }
  for (const catalogue::Catalogue *Known : Catalogues) {
    Relevance Rel(Linked, *Known);
    Linked.freeGraphs(); // walks enter a part of the functions
    RootFinder Finder(Linked, Rel);
    GraphShapes Shapes(Linked, Rel);
    std::set<uint64_t> Visited;
    llvm::BitVector Streams(Linked.size()); // roots with a stream parameter
    uint64_t StreamsHash = 0;
    auto Walk = [&](const Root &From) {
      UnitIndex Unit = Linked.unitOf(From.Function);
      if (Settings[Unit].Known != Known)
        return; // another catalogue is processed
      WalkLimits Limits;
      Limits.OutOfTime = OutOfTime;
      uint64_t Functions = Linked.collected().size();
      if (Work > MaxRunWork + MaxRunWorkPerFunction * Functions)
        Limits.Steps = ManySteps;
      if (From.Assumed == RootKind::StreamParam &&
          Work > ManyRunWork + ManyRunWorkPerFunction * Functions)
        Limits.Elsewhere = &Streams;
      uint64_t Key = Store ? keyOf(Rel, *Known, From, Limits, StreamsHash) : 0;
      std::optional<RootResult> Cached;
      if (Store)
        Cached = Store->load(Key);
      RootResult R;
      if (Cached) {
        R = std::move(*Cached);
      } else if (OutOfTime && OutOfTime()) {
        R.BudgetExceeded = R.OutOfTime = true;
        R.Visited = {Linked.stableId(From.Function)};
      } else {
        R = evaluateRoot(Linked, Rel, *Known, Shapes, From, Limits);
      }
      if (Store && !Cached && !R.OutOfTime)
        Store->store(Key, R);
      Work += R.Work;
      Visited.insert(R.Visited.begin(), R.Visited.end());
      AllStored &= !R.OutOfTime;
      Walks.push_back({Key, Unit, Linked.info(From.Function).Name});
      if (AllRegistered && From.Assumed &&
          (*From.Assumed == RootKind::TorchOps ||
           *From.Assumed == RootKind::EntryPoints))
        Operators.add(From.Function, R, Suppressed);
      Results.push_back(std::move(R));
    };
    for (const Root &From : Finder.outermost())
      Walk(From);
    size_t After = 0;
    while (std::optional<Root> From = Finder.missed(Visited, After))
      Walk(*From);
    std::vector<Root> Assumed =
        Finder.assumed([&](FunctionId F) -> const AnalysisOptions & {
          return Settings[Linked.unitOf(F)].Analysis;
        });
    for (const Root &From : Assumed)
      if (From.Assumed == RootKind::StreamParam &&
          From.Function < Streams.size()) {
        Streams.set(From.Function);
        StreamsHash += Linked.stableId(From.Function);
      }
    for (const Root &From : Assumed)
      Walk(From);
  }
  UnitResult Result = combineResults(std::move(Results), std::move(Walks),
                                     Settings, Suppressed);
  Result.AllStored = AllStored;
  if (AllRegistered)
    Result.Operators = Operators.rows();
  return Result;
}

UnitResult analyzeUnit(clang::ASTContext &Context,
                       const catalogue::Catalogue &Catalogue,
                       const AnalysisOptions &Options,
                       llvm::function_ref<bool(const Finding &)> Suppressed,
                       const ParseErrors *Errors) {
  std::vector<UnitSummary> Units;
  Units.push_back(
      summarizeUnit(Context, "", /*KeepRaw=*/true, Errors, Catalogue));
  std::string MainFile = Units.front().MainFile;
  Program Linked(std::move(Units));
  UnitResult Result =
      analyzeProgram(Linked, UnitSettings{Options, &Catalogue}, Suppressed);
  Result.MainFile = MainFile;
  return Result;
}

} // namespace cudagraph
