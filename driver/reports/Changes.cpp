//===- Changes.cpp - Lines that fixes change ------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Changes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <map>

using namespace llvm;

namespace cudagraph::reports {

static std::vector<std::string> linesOf(StringRef Text) {
  SmallVector<StringRef, 4> Rows;
  Text.rtrim('\n').split(Rows, '\n');
  return {Rows.begin(), Rows.end()};
}

/// Returns the result of \p Edits, which begin in line \p First.
static Change changeOf(StringRef File, unsigned First,
                       std::vector<const Fix *> Edits, SourceText &Sources) {
  unsigned Last = First;
  for (const Fix *Each : Edits)
    Last = std::max(Last, Each->Range.EndLine);
  Last = std::min(Last, Sources.count(File));
  std::string Old;
  std::vector<size_t> Starts;
  for (unsigned N = First; N <= Last; ++N) {
    Starts.push_back(Old.size());
    Old += Sources.line(File, N).str() + "\n";
  }
  std::string New = Old;
  llvm::sort(Edits, [](const Fix *A, const Fix *B) {
    return A->Range.Column > B->Range.Column;
  });
  for (const Fix *Each : Edits) {
    const Location &L = Each->Range;
    size_t From = std::min(L.Column ? L.Column - 1 : 0, unsigned(New.size()));
    unsigned Row = std::min<unsigned>(L.EndLine - L.Line, Starts.size() - 1);
    size_t To = Starts[L.EndLine < L.Line ? 0 : Row] +
                (L.EndColumn ? L.EndColumn - 1 : 0);
    To = std::min(std::max(To, From), New.size());
    New.replace(From, To - From, Each->Text);
  }
  return {File.str(), First, linesOf(Old), linesOf(New)};
}

std::vector<Change> changesOf(const std::vector<Fix> &Fixes,
                              SourceText &Sources) {
  std::map<std::pair<std::string, unsigned>, std::vector<const Fix *>> Lines;
  for (const Fix &Each : Fixes)
    if (Each.Range.Line && Each.Range.Line <= Sources.count(Each.Range.File))
      Lines[{Each.Range.File, Each.Range.Line}].push_back(&Each);
  std::vector<Change> Result;
  for (const auto &[Where, Edits] : Lines)
    Result.push_back(changeOf(Where.first, Where.second, Edits, Sources));
  return Result;
}

} // namespace cudagraph::reports
