//===- Analysis.cpp - From a trace to a report ----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis.h"
#include "ProcessAnalysis.h"
#include "Ranks.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace cudagraph::probe {

/// A line counts as watched if one of the processes could watch it.
static void addLines(const ProcessTrace &P, Report &R) {
  for (const SourceLine &L : P.Lines) {
    auto It = find_if(R.Lines, [&](const SourceLine &Known) {
      return Known.File == L.File && Known.Line == L.Line;
    });
    if (It == R.Lines.end())
      R.Lines.push_back(L);
    else if (L.Problem.empty())
      It->Problem.clear();
  }
}

Report analyse(const Trace &T, Symbolizer &Symbols) {
  Report R;
  R.Problems = T.Problems;
  if (!T.Processes.empty())
    R.Args = T.Processes.front().Args;
  for (const ProcessTrace &P : T.Processes) {
    R.Processes.push_back({P.Pid, P.Exe, P.Driver, P.Gpu, P.Complete,
                           P.CapturesOnly, /*Detached=*/false,
                           /*Unwatched=*/P.Limited});
    addLines(P, R);
    ProcessAnalysis(P, Symbols, R).run();
  }
  compareRanks(T, R);
  append_range(R.Problems, Symbols.Problems);
  return R;
}

} // namespace cudagraph::probe
