//===- UnseenCallers.cpp - Captures that a function leaves to callers -----===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library function that begins a capture and returns does not know the other
// threads of its callers, which the mode of the capture restricts.
//
//===----------------------------------------------------------------------===//

#include "CaptureModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// A function that begins a capture for its callers, and ends none, chooses the
/// mode for threads that it knows nothing of.
void CaptureModel::noteForCallers(const Call &C, const State &S) {
  ValueId Mode = C.arg("mode");
  const FunctionInfo &Info = Table.info(C.F.Function);
  if (Mode == None || D.asInt(Mode) != 0 || S.Active.empty() || C.F.Parent ||
      Info.IsStatic || Info.IsLambda || W.isWholeProgram(C.F.Function) ||
      Rel.bits(C.F.Function) &
          (Relevance::Ends | Relevance::Unknown | Relevance::Unparsed))
    return;
  // A lambda may end it, and another unit may call an inline function.
  auto Ends = [&](FunctionId F) { return Rel.bits(F) & Relevance::Ends; };
  auto IsCalled = [&](FunctionId F) { return !Rel.callersOf(F).empty(); };
  if (llvm::any_of(Rel.calleesOf(C.F.Function), Ends) ||
      llvm::any_of(Table.definitionsOf(C.F.Function), IsCalled))
    return;
  Fact Result = Facts.at(C.F, C.O, S, S.Active.back());
  Result.become<FactKind::ForCallers>();
  Result.Api = &C.Api;
  Result.Callee = C.Api.Name;
  Result.Advice = true;
  Result.restOn(Evidence::OtherThread);
  Facts.record(std::move(Result));
}

} // namespace cudagraph
