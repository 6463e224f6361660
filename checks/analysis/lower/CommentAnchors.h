//===- CommentAnchors.h - The positions of comment markers ------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A comment is not part of the syntax tree: a marker is anchored at the
// statement that follows it, and its stream is found by name.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_COMMENTANCHORS_H
#define CUDAGRAPH_ANALYSIS_LOWER_COMMENTANCHORS_H

#include "AnchoredOps.h"
#include "CommentMarkers.h"
#include "LocalVariables.h"

namespace cudagraph {

/// The comment markers of one body.
struct CommentAnchors {
  /// Anchors each marker of \p Markers in \p Body at the statement after it.
  CommentAnchors(llvm::ArrayRef<CommentMarker> Markers, const clang::Stmt *Body,
                 const clang::SourceManager &SM);

  std::vector<AnchoredOp> Ops;
  Span TrailingEnd; ///< an end-capture comment without a statement after it
};

/// The value of the variable or member with the name \p Name in a comment
/// inside \p Def, according to the variables of \p Vars; unknown if there is
/// none.
ExprId lookUpName(llvm::StringRef Name, const clang::FunctionDecl *Def,
                  LocalVariables &Vars, ExprBuilder &Exprs);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_COMMENTANCHORS_H
