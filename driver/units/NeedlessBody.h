//===- NeedlessBody.h - Functions whose bodies are not parsed ---*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device code is no part of a capture, and much of it is not written for
// Clang's host pass; library code is described by the catalogue and never
// looked into. Such bodies are skipped, which is most of the work of a parse,
// unless something may need them: constant expressions, deduced types.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_NEEDLESSBODY_H
#define CUDAGRAPH_DRIVER_UNITS_NEEDLESSBODY_H

#include "analysis/lower/ProjectCode.h"
#include "catalogue/Catalogue.h"

namespace clang {
class Decl;
class SourceManager;
} // namespace clang

namespace cudagraph::driver {

/// Answers ASTConsumer::shouldSkipFunctionBody. \p Known says what is library
/// code, and \p Own what is the project's.
bool isBodyNeedless(const clang::Decl *D, const clang::SourceManager &SM,
                    const ProjectCode &Own, const catalogue::Catalogue &Known);

/// The same for a host that knows the main file, and nothing of a project.
class NeedlessBodies {
public:
  explicit NeedlessBodies(const clang::SourceManager &SM) : SM(SM), Own(SM) {}

  bool contains(const clang::Decl *D) const {
    return isBodyNeedless(D, SM, Own, catalogue::Catalogue::builtin());
  }

private:
  const clang::SourceManager &SM;
  ProjectCode Own;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_NEEDLESSBODY_H
