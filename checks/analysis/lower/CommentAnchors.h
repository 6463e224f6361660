//===- CommentAnchors.h - Where comment markers stand -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A comment is no part of the syntax tree: a marker is anchored at the
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
  /// Anchors those of \p Markers that stand in \p Body at the statement after
  /// them.
  CommentAnchors(llvm::ArrayRef<CommentMarker> Markers, const clang::Stmt *Body,
                 const clang::SourceManager &SM);

  std::vector<AnchoredOp> Ops;
  Span TrailingEnd; ///< an end-capture comment that no statement follows
};

/// The value of the variable or member that a comment inside \p Def calls
/// \p Name, as far as the variables of \p Vars go; unknown if there is none.
ExprId lookUpName(llvm::StringRef Name, const clang::FunctionDecl *Def,
                  LocalVariables &Vars, ExprBuilder &Exprs);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_COMMENTANCHORS_H
