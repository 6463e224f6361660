//===- Edits.cpp - New text built from old text ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Edits.h"
#include <algorithm>

using namespace cudagraph::rewrite;
using llvm::StringRef;

namespace {

class Renderer {
public:
  Renderer(StringRef Old, const std::vector<Edit> &Edits) : Old(Old) {
    for (unsigned I = 0; I < Old.size(); ++I)
      if (Old[I] == '\n')
        Ends.push_back(I);
    for (const Edit &E : Edits)
      Sorted.push_back(&E);
    // At one location, insertions are rendered first, then each edit before the
    // edits that it contains.
    std::sort(Sorted.begin(), Sorted.end(), [](const Edit *A, const Edit *B) {
      if (A->Where.Begin != B->Where.Begin)
        return A->Where.Begin < B->Where.Begin;
      bool EmptyA = A->Where.Begin == A->Where.End;
      bool EmptyB = B->Where.Begin == B->Where.End;
      if (EmptyA != EmptyB)
        return EmptyA;
      // Equal ranges keep their order in the vector.
      return A->Where.End != B->Where.End ? A->Where.End > B->Where.End : A < B;
    });
    Active.resize(Sorted.size());
    New.Lines.push_back(0);
  }

  Rendered run() {
    stretch({0, static_cast<unsigned>(Old.size())});
    if (New.Code.empty() || New.Code.back() == '\n')
      New.Lines.pop_back();
    return std::move(New);
  }

private:
  unsigned line(unsigned Offset) const {
    return std::lower_bound(Ends.begin(), Ends.end(), Offset) - Ends.begin() +
           1;
  }

  void emit(char C, std::optional<unsigned> Origin) {
    New.Code += C;
    if (C == '\n')
      New.Lines.push_back(0);
    else if (Origin && New.Lines.back() == 0 && C != ' ' && C != '\t')
      New.Lines.back() = line(*Origin);
  }

  /// Renders the old text of \p R, with each edit in it that is not active.
  void stretch(Range R) {
    unsigned At = R.Begin;
    for (unsigned I = 0; I < Sorted.size(); ++I) {
      const Edit &E = *Sorted[I];
      if (Active[I] || !R.contains(E.Where) || E.Where.Begin < At)
        continue;
      // An edit is not applied again to the text that it moves.
      if (E.Where == R)
        continue;
      // Text at the very end of a copy belongs to the text that follows it.
      if (E.Where.Begin == R.End && R.End != Old.size())
        continue;
      for (; At < E.Where.Begin; ++At)
        emit(Old[At], At);
      Active[I] = true;
      for (const Piece &P : E.New.pieces()) {
        if (P.Copy) {
          stretch(*P.Copy);
          continue;
        }
        for (char C : P.Literal)
          emit(C, P.Origin);
      }
      Active[I] = false;
      At = E.Where.End;
    }
    for (; At < R.End; ++At)
      emit(Old[At], At);
  }

  StringRef Old;
  std::vector<unsigned> Ends;
  std::vector<const Edit *> Sorted;
  std::vector<bool> Active;
  Rendered New;
};

} // namespace

Rendered cudagraph::rewrite::render(StringRef Old,
                                    const std::vector<Edit> &Edits) {
  return Renderer(Old, Edits).run();
}
