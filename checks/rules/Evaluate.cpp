//===- Evaluate.cpp - The findings from one root --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"
#include "Analyze.h"
#include "Rule.h"
#include "analysis/findings/Fields.h"
#include "analysis/interpreter/Interpreter.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

RootStore::~RootStore() = default;

/// True if the walk has visited a unit that has parse errors.
static bool hasErrors(Program &Linked, const FactSet &Facts) {
  return llvm::any_of(Facts.Visited, [&](FunctionId F) {
    return Linked.units()[Linked.unitOf(F)].Errors != 0;
  });
}

/// Returns the parse errors that concern \p F: those of its state, or errors
/// inside the capture if units have errors and no end of the capture is
/// visible. An error in a declaration drops the statements that use it, without
/// an error at their location.
static uint8_t unparsedFor(const FactSet &Facts, const Fact &F, bool Errors) {
  const CaptureRecord &R = Facts.Captures[F.Capture];
  bool Begun = R.Root == RootKind::ApiPair || R.Root == RootKind::Wrapper ||
               R.Root == RootKind::Libtorch;
  bool Goes = R.Ends.empty() || F.Kind == FactKind::OpenEnd;
  return Errors && Begun && Goes && !R.Refused ? State::UnparsedWithin
                                               : F.Unparsed;
}

/// The effect of source that does not parse is unknown: a statement that Clang
/// dropped may end the capture, or create the object whose absence is reported.
static void lowerConfidence(Finding &Found, uint8_t Unparsed) {
  if (Unparsed == State::AllParsed)
    return;
  Confidence Most =
      levelOf(Unparsed == State::UnparsedWithin ? Evidence::ErrorWithin
                                                : Evidence::ErrorBefore);
  if (Found.Sure <= Most)
    return;
  Found.IfParsed = Found.Sure;
  Found.Sure = Most;
}

RootResult evaluateRoot(Program &Linked, const Relevance &Rel,
                        const catalogue::Catalogue &Catalogue,
                        GraphShapes &Shapes, const Root &From,
                        const WalkLimits &Limits) {
  Walk W(Linked, Rel, Catalogue, Shapes, Limits);
  FactSet Facts = Interpreter(W).run(From);
  // A capture that a wrapper begins is a region of its caller.
  std::map<CaptureId, CaptureId> Outer(Facts.Superseded.begin(),
                                       Facts.Superseded.end());
  auto Final = [&](CaptureId C) {
    for (unsigned Guard = 0; Outer.count(C) && Guard < 64; ++Guard)
      C = Outer[C];
    return C;
  };
  RuleContext Rules(Linked, Facts, Catalogue);
  RootResult Result;
  Result.BudgetExceeded = Facts.BudgetExceeded;
  Result.OutOfTime = Facts.OutOfTime;
  Result.Steps = Facts.Steps;
  Result.Work = Facts.Work;
  if (const FlowGraph *G = Linked.graph(From.Function))
    for (unsigned Param : Facts.Frozen)
      Result.Freezes.push_back(G->Vars[Param].Name);
  for (FunctionId F : Facts.Visited)
    Result.Visited.push_back(Linked.stableId(F));

  std::map<CaptureId, unsigned> IdOf;
  for (CaptureId C = 0; C < Facts.Captures.size(); ++C) {
    if (Outer.count(C))
      continue;
    const CaptureRecord &R = Facts.Captures[C];
    Region Out;
    Out.Id = IdOf[C] = Result.Regions.size() + 1;
    Out.Root = R.Root;
    Out.Name = Linked.info(R.Home).Name;
    Out.Mode = R.Mode;
    Out.Stream = Rules.originName(R);
    Out.Kind = R.Kind;
    Out.Begin = Rules.location(R.Site);
    for (Span E : R.Ends)
      Out.Ends.push_back(Rules.location(E));
    Out.Truncated = R.Truncated;
    for (const Happening &H : R.Timeline)
      if (const Location &L = Rules.location(H.Where); L.valid())
        Out.Timeline.push_back({H.Kind, H.Part, H.Stream, H.Label, H.Named,
                                H.In == None ? "" : Linked.info(H.In).Name,
                                H.Depth, H.Always, L});
    Result.Regions.push_back(std::move(Out));
  }
  const bool Errors = hasErrors(Linked, Facts);
  for (Fact &F : Facts.Facts) {
    if (F.Kind == FactKind::Opaque) {
      Result.OpaqueCalls.push_back({Rules.location(F.Range), F.Callee,
                                    Linked.info(F.Function).Signature});
      continue;
    }
    F.Capture = Final(F.Capture);
    for (auto *Check : {
#define CHECK(CLASS, ID, SEVERITY, SUMMARY) check##CLASS,
#include "../Checks.def"
         }) {
      std::optional<Finding> Found = Check(F, Rules);
      if (!Found || !Found->Loc.valid())
        continue;
      for (unsigned &R : Found->Regions)
        R = IdOf[R];
      lowerConfidence(*Found, unparsedFor(Facts, F, Errors));
      Result.Findings.push_back(std::move(*Found));
    }
  }
  return Result;
}

template <typename A> static void fields(A &Ar, RootResult &R) {
  Ar.list(R.Regions, [&](Region &Each) { fields(Ar, Each); });
  Ar.list(R.Findings, [&](Finding &Each) { fields(Ar, Each); });
  Ar.list(R.OpaqueCalls, [&](OpaqueCall &Each) { fields(Ar, Each); });
  Ar.list(R.Freezes, [&](std::string &Each) { Ar.text(Each); });
  Ar.list(R.Visited, [&](uint64_t &Each) { Ar.num(Each); });
  Ar.flags(R.BudgetExceeded);
  Ar.num(R.Steps);
  Ar.num(R.Work);
}

std::string encodeResult(const RootResult &Result) {
  ArchiveWriter Ar;
  fields(Ar,
         const_cast<RootResult &>(Result)); // one function for both directions
  return Ar.take();
}

/// True if \p R can be a result of evaluateRoot(): regions are numbered from 1,
/// and each finding belongs to existing checks and regions.
static bool isSound(const RootResult &R) {
  for (unsigned I = 0; I < R.Regions.size(); ++I)
    if (R.Regions[I].Id != I + 1)
      return false;
  return llvm::all_of(R.Findings, [&](const Finding &F) {
    return F.Outcome.ByMode.size() <= 3 && !F.Regions.empty() &&
           llvm::all_of(F.Regions,
                        [&](unsigned Id) {
                          return Id >= 1 && Id <= R.Regions.size();
                        }) &&
           llvm::any_of(allChecks(),
                        [&](const CheckInfo &C) { return F.Check == C.Id; });
  });
}

std::optional<RootResult> decodeResult(llvm::StringRef Bytes) {
  ArchiveReader Ar(Bytes);
  RootResult Result;
  fields(Ar, Result);
  if (Ar.failed() || !Ar.atEnd() || !isSound(Result))
    return std::nullopt;
  return Result;
}

} // namespace cudagraph
