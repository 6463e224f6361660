//===- Operators.cpp - Verdicts on registered functions -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A certain or likely finding makes an operator unsafe, unless it is advice.
// Possible findings, and opaque calls, make it unknown.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include <tuple>

namespace cudagraph {

/// True for findings of checks whose remedy is applied before a capture, or
/// that show that the code is capture-aware. For example, an operator that is
/// warmed up is not unsafe.
static bool onlyAdvises(const Finding &F) {
  return F.Advice || F.Check == "cudagraph-capture-aware-branch" ||
         F.Check == "cudagraph-missing-warmup" ||
         (F.Check == "cudagraph-host-logic" &&
          F.Outcome.Kind == OutcomeKind::Stale);
}

/// Findings that every path reaches come first, then those that do not depend
/// on the value of a parameter, and then those with the highest confidence.
static auto rank(const Finding &F) {
  return std::tuple(F.Always, F.Unless.empty(), F.Sure);
}

void OperatorTable::add(FunctionId F, const RootResult &Found,
                        llvm::function_ref<bool(const Finding &)> Suppressed) {
  Judged &J = Known[F];
  std::optional<Finding> Doubt;
  unsigned Doubts = 0;
  for (const Finding &Each : Found.Findings) {
    if (onlyAdvises(Each) || (Suppressed && Suppressed(Each)))
      continue;
    if (Each.Sure == Confidence::Possible) {
      if (Each.Outcome.Kind == OutcomeKind::Stale)
        continue;
      ++Doubts;
      if (!Doubt)
        Doubt = Each;
      continue;
    }
    ++J.Causes;
    if (!J.Cause || rank(Each) > rank(*J.Cause))
      J.Cause = Each;
  }
  J.Freezes = Found.Freezes;
  J.Exceeded = Found.BudgetExceeded;
  if (!Found.OpaqueCalls.empty())
    J.Opaque = Found.OpaqueCalls.front().Callee;
  if (J.Cause) {
    J.Is = Verdict::Unsafe;
  } else if (Doubt || !J.Opaque.empty() || J.Exceeded) {
    J.Is = Verdict::Unknown;
    J.Cause = std::move(Doubt);
    J.Causes = Doubts;
  }
}

static const char *spelling(Registration::Kind K) {
  switch (K) {
  case Registration::Torch:
    return "torch";
  case Registration::Python:
    return "pybind11";
  case Registration::TvmFfi:
    return "tvm-ffi";
  case Registration::XlaFfi:
    return "xla-ffi";
  case Registration::ExternC:
    return "c";
  }
  return "";
}

Operator OperatorTable::rowOf(const Registration &R) {
  Operator Row;
  Row.Library = R.Library;
  Row.Name = R.How == Registration::Torch && !R.Library.empty()
                 ? R.Library + "::" + R.Name
                 : R.Name;
  Row.Schema = R.Schema;
  Row.How = spelling(R.How);
  Row.DispatchKey = R.DispatchKey;
  Row.Loc = R.At.Loc;
  auto F = static_cast<FunctionId>(R.Function);
  if (F == None) {
    Row.Why = "no implementation is visible";
    return Row;
  }
  const FunctionInfo &Info = Linked.info(F);
  Row.Function = Info.Signature;
  if (Info.Where.Begin)
    Row.Loc = Linked.location(Info.Where);
  auto It = Known.find(F);
  if (It == Known.end()) {
    Row.Why =
        !R.ReachesDevice
            ? "only an implementation for " + R.DispatchKey + " was seen"
            : "the body of '" + Info.Name + "' is not in the analyzed sources";
    return Row;
  }
  const Judged &J = It->second;
  Row.Is = J.Is;
  Row.Cause = J.Cause;
  if (Row.Cause)
    Row.Cause->Message = Row.Cause->Sentence.text();
  Row.Causes = J.Causes;
  Row.Opaque = J.Opaque;
  Row.Freezes = J.Freezes;
  if (J.Is == Verdict::Unknown && J.Exceeded && !J.Cause && J.Opaque.empty())
    Row.Why = "the analysis reached its limits";
  // The analysis does not see code with parse errors.
  const UnitSummary &Unit = Linked.units()[Linked.unitOf(F)];
  if (J.Is == Verdict::Safe && (Unit.Errors || !Unit.Failure.empty())) {
    Row.Is = Verdict::Unknown;
    Row.Why = "its translation unit, " +
              llvm::sys::path::filename(Unit.MainFile).str() +
              ", has parse errors";
  }
  return Row;
}

std::vector<Operator> OperatorTable::rows() {
  std::map<std::tuple<std::string, std::string>, Operator> Rows;
  for (const Registration &R : Linked.registrations()) {
    Operator Row = rowOf(R);
    auto [It, New] = Rows.try_emplace({Row.Name, Row.How}, Row);
    if (New)
      continue;
    Operator &Old = It->second;
    // An implementation takes precedence over a schema, a device implementation
    // over a host implementation, and an unsafe one over a safe one.
    auto Rank = [](const Operator &O) {
      return std::tuple(O.Why.empty(), O.Is == Verdict::Unsafe,
                        O.Is == Verdict::Unknown, !O.Function.empty());
    };
    std::string Schema = Old.Schema.empty() ? Row.Schema : Old.Schema;
    std::vector<std::string> Freezes = Old.Freezes;
    for (const std::string &Each : Row.Freezes)
      if (!llvm::is_contained(Freezes, Each))
        Freezes.push_back(Each);
    if (Rank(Row) > Rank(Old))
      Old = std::move(Row);
    Old.Schema = std::move(Schema);
    Old.Freezes = std::move(Freezes);
  }
  std::vector<Operator> Result;
  for (auto &[Key, Row] : Rows)
    Result.push_back(std::move(Row));
  return Result;
}

} // namespace cudagraph
