//===- SearchedBefore.cpp - Code that a search excludes -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls for elements that a search before the capture excludes. See Vetting.h.
//
//===----------------------------------------------------------------------===//

#include "Sink.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// True if the current block of \p F is executed only for elements for which
/// capture \p C does not begin.
bool Sink::isExcluded(const Frame &F, CaptureId C) {
  const CaptureRecord &R = Result.Captures[C];
  llvm::SmallVector<const std::vector<TestSet> *, 4> Excluded;
  bool Inside = true;
  unsigned Block = R.HomeBlock;
  for (const Frame *A = &F; A; A = A->Parent) {
    Inside &= A->Function != R.Home;
    if (Inside)
      continue;
    const auto &Here = Shapes.Searches.excludedBefore(A->Function, Block);
    if (!Here.empty())
      Excluded.push_back(&Here);
    Block = A->CallBlock;
  }
  if (Excluded.empty())
    return false;
  TestSet Known;
  llvm::SmallVector<const Cases *, 8> Several;
  Block = F.Block;
  for (const Frame *A = &F; A; Block = A->CallBlock, A = A->Parent) {
    Shapes.Searches.eachAt(A->Function, Block, [&](const Cases &Each) {
      if (Each.Any.size() == 1)
        Known.insert(Each.Any[0].begin(), Each.Any[0].end());
      else
        Several.push_back(&Each);
    });
    if (A->Function == R.Home)
      break;
    if (A->CallSite && A->CallSite->How == Dispatch::Virtual)
      for (const auto *Lists : Excluded)
        Known.merge(Shapes.Searches.holdsInClassOf(A->Function, *Lists));
  }
  auto IsExcluded = [&](const TestSet &Also) {
    return llvm::any_of(Excluded, [&](const std::vector<TestSet> *Lists) {
      return llvm::any_of(*Lists, [&](const TestSet &All) {
        return llvm::all_of(All, [&](const Test &Each) {
          return Known.count(Each) || Also.count(Each);
        });
      });
    });
  };
  return IsExcluded({}) || llvm::any_of(Several, [&](const Cases *Each) {
           return llvm::all_of(Each->Any, IsExcluded);
         });
}

} // namespace cudagraph
