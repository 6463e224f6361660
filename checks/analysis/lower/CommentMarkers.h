//===- CommentMarkers.h - Comments that mark captures -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds `// cudagraph: begin-capture(stream)` and `// cudagraph: end-capture`
// in the main file and in user headers.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_COMMENTMARKERS_H
#define CUDAGRAPH_ANALYSIS_LOWER_COMMENTMARKERS_H

#include "clang/Basic/LangOptions.h"
#include "clang/Basic/SourceLocation.h"
#include <string>
#include <vector>

namespace clang {
class SourceManager;
}

namespace cudagraph {

/// A `// cudagraph: begin-capture(stream)` or `end-capture` comment.
struct CommentMarker {
  clang::SourceLocation Loc;
  bool Begin = false;
  std::string Stream; ///< text between the parentheses
};

/// The markers of a unit, by location.
std::vector<CommentMarker> findCommentMarkers(const clang::SourceManager &SM,
                                              const clang::LangOptions &Opts);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_COMMENTMARKERS_H
