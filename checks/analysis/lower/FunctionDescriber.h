//===- FunctionDescriber.h - Properties of a declaration --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that depends on the form of a declaration (names, attributes,
// linkage) is determined here, once for each function.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_FUNCTIONDESCRIBER_H
#define CUDAGRAPH_ANALYSIS_LOWER_FUNCTIONDESCRIBER_H

#include "LibraryShape.h"
#include "ProjectCode.h"
#include "SeedFinder.h"
#include "analysis/ir/FlowGraph.h"
#include "clang/AST/ASTContext.h"
#include <map>

namespace cudagraph {

class FunctionDescriber {
public:
  FunctionDescriber(const clang::ASTContext &Ctx, LibraryNames &Names,
                    const ProjectCode &Own)
      : Ctx(Ctx), Names(Names), Own(Own), Seeds(Names) {}

  /// The properties of \p FD, a canonical declaration, except its body and its
  /// overrides.
  FunctionInfo describe(const clang::FunctionDecl *FD);

private:
  unsigned headerVersion(const clang::FunctionDecl *FD);
  void describeMethod(const clang::CXXMethodDecl *M, FunctionInfo &Info);

  const clang::ASTContext &Ctx;
  LibraryNames &Names;
  const ProjectCode &Own;
  SeedFinder Seeds;
  std::map<clang::FileID, unsigned> HeaderVersions; ///< see headerVersion()
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_FUNCTIONDESCRIBER_H
