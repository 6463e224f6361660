//===- NeedlessBody.h - Functions whose bodies are not parsed ---*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device code is not part of a capture, and much of it is not written for
// Clang's host pass. The catalogue describes library code, which is never
// entered. Such bodies are skipped unless other code, such as constant
// expressions and deduced types, may need them. This saves most of the work of
// a parse.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_NEEDLESSBODY_H
#define CUDAGRAPH_DRIVER_UNITS_NEEDLESSBODY_H

#include "analysis/lower/ProjectCode.h"
#include "catalogue/Catalogue.h"

namespace clang {
class Decl;
class FunctionDecl;
class SourceManager;
} // namespace clang

namespace cudagraph::driver {

/// Implements ASTConsumer::shouldSkipFunctionBody for one unit.
class NeedlessBodies {
public:
  /// \p Known identifies library code, and \p Own the project's code.
  NeedlessBodies(
      const clang::SourceManager &SM, const ProjectCode &Own,
      const catalogue::Catalogue &Known = catalogue::Catalogue::builtin())
      : SM(SM), Own(Own), Known(Known) {}

  /// True if no other code needs the body of \p D. Must be called in the order
  /// of the source.
  bool contains(const clang::Decl *D);

  /// True if the source so far has random number generators. A source that
  /// continues another source begins with the result for that source.
  bool seenGenerators() const { return Generators; }
  void continueAfter(bool SeenGenerators) { Generators = SeenGenerators; }

private:
  bool seesGenerator(const clang::FunctionDecl *F);

  const clang::SourceManager &SM;
  const ProjectCode &Own;
  const catalogue::Catalogue &Known;
  bool Generators = false; ///< the source so far has generators
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_NEEDLESSBODY_H
