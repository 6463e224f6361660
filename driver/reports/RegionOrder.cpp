//===- RegionOrder.cpp - The order of regions in a report -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionOrder.h"
#include "llvm/ADT/BitVector.h"

namespace cudagraph::reports {

std::vector<const Region *> orderedRegions(const Report &R) {
  llvm::BitVector Found(R.Regions.size() + 1);
  for (const Finding &F : R.Findings)
    for (unsigned Id : F.Regions)
      if (Id < Found.size())
        Found.set(Id);
  std::vector<const Region *> Result, Clean;
  for (const Region &G : R.Regions)
    (G.Id < Found.size() && Found[G.Id] ? Result : Clean).push_back(&G);
  Result.insert(Result.end(), Clean.begin(), Clean.end());
  return Result;
}

} // namespace cudagraph::reports
