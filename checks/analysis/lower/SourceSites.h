//===- SourceSites.h - Locations and texts of a source ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Information about a span that only the source manager has: its location, its
// text, and the lines that suppress findings.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_SOURCESITES_H
#define CUDAGRAPH_ANALYSIS_LOWER_SOURCESITES_H

#include "analysis/ir/Summary.h"
#include "clang/Basic/SourceLocation.h"

namespace clang {
class LangOptions;
class SourceManager;
} // namespace clang

namespace cudagraph {

class ProjectCode;

class SourceSites {
public:
  /// \p KeepRaw: locations store their encodings.
  SourceSites(const clang::SourceManager &SM, const clang::LangOptions &Opts,
              bool KeepRaw)
      : SM(SM), Opts(Opts), KeepRaw(KeepRaw) {}

  Site siteOf(Span S, bool WithText) const;
  Place placeOf(clang::SourceLocation L) const;
  /// The lines of user code that contain NOLINT, one entry per file.
  std::vector<NolintLines> nolint(const ProjectCode &Own) const;

private:
  std::string textOf(clang::SourceRange R, clang::CharSourceRange InFile) const;

  const clang::SourceManager &SM;
  const clang::LangOptions &Opts;
  bool KeepRaw;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_SOURCESITES_H
