//===- Fact.cpp - The observations of the engine --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Fact.h.
//
//===----------------------------------------------------------------------===//

#include "Fact.h"

namespace cudagraph {

llvm::ArrayRef<Situation> Fact::situations() const {
  if (const auto *Call = details<CallDetails>())
    return Call->Situations;
  if (const auto *Work = details<LeftWork>())
    return Work->Situations;
  if (const auto *Return = details<OpenReturn>())
    return Return->Situations;
  return {};
}

std::string Fact::subject() const {
  if (const auto *Change = details<HostChange>())
    return Change->Variable;
  if (const auto *Value = details<VaryingValue>())
    return Value->Argument                ? "argument " + *Value->Argument
           : Kind == FactKind::HostBranch ? ""
           : !Value->Part.empty()         ? Value->Part
           : Kind == FactKind::VaryingUse ? "size"
                                          : "";
  if (const auto *End = details<MemoryEnd>())
    return End->Object;
  if (const auto *Work = details<BranchWork>())
    return Work->Capturing;
  if (const auto *First = details<FirstWork>())
    return First->Work;
  if (const auto *Return = details<OpenReturn>())
    return Return->Keyword;
  if (const auto *Why = details<Reason>())
    return Why->Text;
  return "";
}

void FactSet::refute() {
  Captures.clear();
  Superseded.clear();
  Facts.clear();
  Frozen.clear();
}

} // namespace cudagraph
