//===- PCHVersions.h - Writers of precompiled headers -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The differences between versions of Clang in how they write precompiled
// headers. This file is separate from ClangVersions.h, because few files need
// the headers that it includes.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_VERSIONS_PCHVERSIONS_H
#define CUDAGRAPH_VERSIONS_PCHVERSIONS_H

#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Sema/Sema.h"
#include "clang/Serialization/ASTWriter.h"

namespace cudagraph {

/// Writes the precompiled header of a unit to a buffer, without file times, and
/// not if the AST has errors.
class PCHWriter : public clang::PCHGenerator {
public:
  PCHWriter(clang::CompilerInstance &CI, llvm::StringRef Name,
            std::shared_ptr<clang::PCHBuffer> Buffer)
      : PCHGenerator(CI.getPreprocessor(), CI.getModuleCache(), Name,
                     /*isysroot=*/"", std::move(Buffer),
#if CLANG_VERSION_MAJOR >= 22
                     CI.getCodeGenOpts(),
#endif
                     /*Extensions=*/{}, /*AllowASTWithErrors=*/false,
                     /*IncludeTimestamps=*/false) {
  }
};

/// Removes the declarations for which \p Matches returns true from those that
/// Clang checks for deferred errors. Clang 19 checks all of them.
template <typename Predicate>
void dropDeferredChecks([[maybe_unused]] clang::Sema &S,
                        [[maybe_unused]] Predicate Matches) {
#if CLANG_VERSION_MAJOR >= 22
  S.DeclsToCheckForDeferredDiags.remove_if(Matches);
#endif
}

} // namespace cudagraph

#endif // CUDAGRAPH_VERSIONS_PCHVERSIONS_H
