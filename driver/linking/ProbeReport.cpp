//===- ProbeReport.cpp - Compares findings with recorded runs -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProbeReport.h"
#include "driver/options/Options.h"
#include "driver/support/Errors.h"
#include "support/InputFile.h"
#include "llvm/ADT/ArrayRef.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

confirm::Position positionOf(const Location &L) {
  return {L.File, L.Line, L.Column, L.EndLine};
}

confirm::Prediction predictionOf(const Outcome &O) {
  confirm::Prediction P;
  P.Kind = spelling(O.Kind);
  if (O.Code && *O.Code)
    P.Code = *O.Code;
  if (O.ByMode.size() == 3)
    P.ByMode = {O.ByMode[0], O.ByMode[1], O.ByMode[2]};
  for (const Alternative &A : O.Alternatives) {
    P.OtherKinds.push_back(spelling(A.Kind));
    if (A.Code)
      P.OtherCodes.push_back(A.Code);
  }
  return P;
}

confirm::StaticFinding plain(const Finding &F) {
  confirm::StaticFinding Result;
  Result.Check = F.Check;
  Result.Message = F.Message;
  Result.Callee = F.Callee;
  Result.Function = F.Function;
  Result.At = positionOf(F.Loc);
  // The first location is where the call is spelled: in the definition of the
  // macro.
  for (const Place &P :
       ArrayRef(F.Loc.Written)
           .drop_front(std::min<size_t>(1, F.Loc.Written.size())))
    Result.Expansions.push_back({P.File, P.Line, P.Column, P.Line});
  for (const Step &S : F.Chain)
    Result.addStep({positionOf(S.Loc), S.Function, S.Message});
  for (const Step &S : F.Notes)
    Result.Notes.push_back({positionOf(S.Loc), S.Function, S.Message});
  Result.Regions = F.Regions;
  Result.Outcome = predictionOf(F.Outcome);
  return Result;
}

} // namespace

Expected<confirm::Run> readProbeReports(const std::vector<std::string> &Files) {
  confirm::Run Result;
  for (const std::string &File : Files) {
    std::string Text;
    if (support::InputError E =
            support::readInput(File, support::Bound::Data, Text))
      return makeError("cannot read " + File + ": " + E.message() +
                       "; 'cudagraph-probe run --output FILE' writes one");
    std::string Why;
    if (!confirm::readReport(Text, File, Result, Why))
      return makeError(Why);
  }
  return Result;
}

void joinWithRun(reports::Report &R, const confirm::Run &Seen) {
  confirm::StaticResult Static;
  for (const Region &G : R.Regions)
    Static.Regions.push_back({G.Id, G.Name, positionOf(G.Begin)});
  for (const Finding &F : R.Findings)
    Static.Findings.push_back(plain(F));
  R.InRun = confirm::join(Static, Seen);
}

} // namespace cudagraph::driver
