//===- Edits.h - New text from old text -------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rewriting describes its result in pieces: literal text, and ranges of the
// old file. Each rendered line has the number of the old line from which it
// comes, so that findings can be compared. Clang's Rewriter is not sufficient:
// it loses the origin of moved text.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_TEST_REWRITE_EDITS_H
#define CUDAGRAPH_TEST_REWRITE_EDITS_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace cudagraph::rewrite {

/// Characters of the old file: from Begin to before End.
struct Range {
  unsigned Begin = 0, End = 0;
  bool contains(Range O) const { return Begin <= O.Begin && O.End <= End; }
  bool operator==(const Range &O) const {
    return Begin == O.Begin && End == O.End;
  }
};

/// A piece of new text.
struct Piece {
  std::string Literal;
  /// The range to copy, with the edits inside it, if there is no literal.
  std::optional<Range> Copy;
  /// The location in the old file that literal text represents.
  std::optional<unsigned> Origin;
};

/// New text, piece by piece.
class Text {
public:
  Text() = default;
  Text(llvm::StringRef Literal) { add(Literal); }
  Text(const char *Literal) { add(Literal); }
  Text(Range R) { copy(R); }
  Text &add(llvm::StringRef Literal) {
    Pieces.push_back({Literal.str(), std::nullopt, std::nullopt});
    return *this;
  }
  /// Adds text whose findings count as those at offset \p Origin.
  Text &add(llvm::StringRef Literal, unsigned Origin) {
    Pieces.push_back({Literal.str(), std::nullopt, Origin});
    return *this;
  }
  Text &copy(Range R) {
    Pieces.push_back({"", R, std::nullopt});
    return *this;
  }
  Text &append(const Text &Other) {
    Pieces.insert(Pieces.end(), Other.Pieces.begin(), Other.Pieces.end());
    return *this;
  }
  const std::vector<Piece> &pieces() const { return Pieces; }

private:
  std::vector<Piece> Pieces;
};

/// Text that replaces a range, which is empty for an insertion.
struct Edit {
  Range Where;
  Text New;
};

/// One place at which a rewriting applies.
struct Site {
  /// The location that a reader sees.
  unsigned Offset = 0;
  std::vector<Edit> Edits;
  /// Creates a second unit of the program from the old file, if there is
  /// one.
  std::optional<std::vector<Edit>> Other = std::nullopt;
};

/// New text, and the old line number of each of its lines; 0 if there is none.
struct Rendered {
  std::string Code;
  std::vector<unsigned> Lines;
};

/// Returns \p Old with \p Edits applied. Edits must not overlap, but an edit
/// may be inside a range that another edit copies.
Rendered render(llvm::StringRef Old, const std::vector<Edit> &Edits);

} // namespace cudagraph::rewrite

#endif // CUDAGRAPH_TEST_REWRITE_EDITS_H
