//===- Analyze.cpp - The one entry point of all hosts ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Engine, then rules, then order: regions are numbered by place, and a finding
// that several regions reach is said once and lists them.
//
//===----------------------------------------------------------------------===//

#include "Analyze.h"
#include "../analysis/Engine.h"
#include "Rule.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <map>
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

/// What decides whether two findings say the same of the same call.
static auto identity(const Finding &F) {
  return std::tuple(F.Loc.File, F.Loc.Line, F.Loc.Column, F.Check, F.Callee);
}

/// The more specific of two findings at one call: a known outcome beats one
/// that depends, and a higher confidence a lower one.
static bool better(const Finding &A, const Finding &B) {
  auto Rank = [](const Finding &F) {
    return std::tuple(F.Outcome.Kind != OutcomeKind::Depends, F.Sure,
                      -static_cast<int>(F.Chain.size()));
  };
  return Rank(A) > Rank(B);
}

/// True if two ways to one call differ only in what CUDA does, because one
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

/// Makes \p Into say both outcomes.
static void mergeByKind(Finding &Into, const Finding &Other, const Fact &F,
                        const RuleContext &Rules) {
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
  std::string Said = Into.Message.substr(0, Into.Message.find("; "));
  for (const char *Kind : {"(non-blocking, ", "(blocking, "})
    if (size_t At = Said.find(Kind); At != std::string::npos)
      Said.replace(At, std::char_traits<char>::length(Kind), "(");
  Into.Outcome = Both;
  Into.Message = Said + "; " + Rules.consequence(F, Both);
}

UnitResult analyzeUnit(clang::ASTContext &Context,
                       const catalogue::Catalogue &Catalogue,
                       const AnalysisOptions &Options,
                       llvm::function_ref<bool(const Finding &)> Suppressed) {
  FunctionTable Table(Context);
  FactSet Facts = Engine(Table, Catalogue, Options).run();
  // A capture that a wrapper opened is the caller's region.
  std::map<CaptureId, CaptureId> Outer(Facts.Superseded.begin(),
                                       Facts.Superseded.end());
  auto Final = [&](CaptureId C) {
    for (unsigned Guard = 0; Outer.count(C) && Guard < 64; ++Guard)
      C = Outer[C];
    return C;
  };
  RuleContext Rules(Table, Facts, Catalogue);

  UnitResult Result;
  const clang::SourceManager &SM = Context.getSourceManager();
  if (auto Main = SM.getFileEntryRefForID(SM.getMainFileID()))
    Result.MainFile = Main->getName().str();
  Result.BudgetExceeded = Facts.BudgetExceeded;

  std::vector<std::pair<Region, CaptureId>> Regions;
  for (CaptureId C = 0; C < Facts.Captures.size(); ++C) {
    if (Outer.count(C))
      continue;
    const CaptureRecord &R = Facts.Captures[C];
    Region Out;
    Out.Root = R.Root;
    Out.Name = Table.info(R.Home).Name;
    Out.Mode = R.Mode;
    Out.Stream = Rules.originName(R);
    Out.Kind = R.Kind;
    Out.Begin = Rules.location(R.Site);
    for (Span E : R.Ends)
      Out.Ends.push_back(Rules.location(E));
    Regions.push_back({std::move(Out), C});
  }
  llvm::sort(Regions, [](const auto &A, const auto &B) {
    auto Key = [](const auto &X) {
      return std::tuple_cat(placeKey(X.first.Begin), std::tuple(X.second));
    };
    return Key(A) < Key(B);
  });
  // Captures of one place (walked in several contexts) are one region.
  std::map<CaptureId, unsigned> IdOf;
  for (auto &[R, C] : Regions) {
    if (!Result.Regions.empty()) {
      Region &Last = Result.Regions.back();
      if (placeKey(Last.Begin) == placeKey(R.Begin) && Last.Root == R.Root) {
        if (Last.Mode != R.Mode)
          Last.Mode.reset();
        if (Last.Kind != R.Kind)
          Last.Kind.reset();
        for (Location &E : R.Ends)
          if (std::none_of(Last.Ends.begin(), Last.Ends.end(),
                           [&](const Location &X) {
                             return placeKey(X) == placeKey(E);
                           }))
            Last.Ends.push_back(E);
        IdOf[C] = Last.Id;
        continue;
      }
    }
    R.Id = Result.Regions.size() + 1;
    IdOf[C] = R.Id;
    Result.Regions.push_back(R);
  }

  std::map<decltype(identity(Finding())), Finding> Merged;
  std::map<std::tuple<std::string, unsigned, unsigned>, OpaqueCall> Opaque;
  for (Fact &F : Facts.Facts) {
    if (F.Kind == FactKind::Opaque) {
      OpaqueCall Call{Rules.location(F.Range), F.Callee,
                      Table.info(F.Function).Signature};
      Opaque.emplace(std::tuple(Call.Loc.File, Call.Loc.Line, Call.Loc.Column),
                     Call);
      continue;
    }
    F.Capture = Final(F.Capture);
    for (auto *Check : {
#define CHECK(CLASS, ID, SEVERITY, SUMMARY) check##CLASS,
#include "../Checks.def"
         }) {
      std::optional<Finding> Found = Check(F, Rules);
      if (!Found || !Found->Loc.valid() || (Suppressed && Suppressed(*Found)))
        continue;
      for (unsigned &R : Found->Regions)
        R = IdOf[R];
      auto [It, New] = Merged.try_emplace(identity(*Found), *Found);
      if (New)
        continue;
      Finding &Old = It->second;
      if (differByKind(*Found, Old)) {
        mergeByKind(Old, *Found, F, Rules);
        Old.Regions.insert(Old.Regions.end(), Found->Regions.begin(),
                           Found->Regions.end());
        continue;
      }
      std::vector<unsigned> All = Old.Regions;
      All.insert(All.end(), Found->Regions.begin(), Found->Regions.end());
      if (better(*Found, Old))
        Old = *Found;
      std::vector<unsigned> Ordered{Old.Regions.front()};
      std::sort(All.begin(), All.end());
      for (unsigned R : All)
        if (std::find(Ordered.begin(), Ordered.end(), R) == Ordered.end())
          Ordered.push_back(R);
      Old.Regions = Ordered;
    }
  }
  for (auto &[Key, F] : Merged)
    if (F.Sure >= Options.Least)
      Result.Findings.push_back(std::move(F));
  for (auto &[Key, Call] : Opaque)
    Result.OpaqueCalls.push_back(std::move(Call));
  return Result;
}

} // namespace cudagraph
