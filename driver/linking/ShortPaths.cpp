//===- ShortPaths.cpp - Paths as the report shows them --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShortPaths.h"
#include "driver/support/Log.h"

namespace cudagraph::driver {

void shortenPaths(UnitResult &R) {
  auto Steps = [&](std::vector<Step> &All) {
    for (Step &S : All)
      Log::shorten(S.Loc.File);
  };
  Log::shorten(R.MainFile);
  for (Region &G : R.Regions) {
    Log::shorten(G.Begin.File);
    for (Location &End : G.Ends)
      Log::shorten(End.File);
    for (TimelineEntry &E : G.Timeline)
      Log::shorten(E.Loc.File);
  }
  auto Shorten = [&](Finding &F) {
    Log::shorten(F.Loc.File);
    Steps(F.Chain);
    Steps(F.Notes);
    for (Fix &Edit : F.Fixes)
      Log::shorten(Edit.Range.File);
  };
  for (Finding &F : R.Findings)
    Shorten(F);
  for (Operator &Row : R.Operators) {
    Log::shorten(Row.Loc.File);
    if (Row.Cause)
      Shorten(*Row.Cause);
  }
  for (OpaqueCall &Call : R.OpaqueCalls)
    Log::shorten(Call.Loc.File);
}

} // namespace cudagraph::driver
