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
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "clang/Serialization/ASTWriter.h"

namespace cudagraph {

/// Creates a writer to \p Stream that stores no timestamps of files. Only
/// modules need \p Buffer.
inline clang::ASTWriter makeWriter(clang::CompilerInstance &CI,
                                   llvm::BitstreamWriter &Stream,
                                   llvm::SmallVectorImpl<char> &Buffer) {
  return clang::ASTWriter(Stream, Buffer, CI.getModuleCache(),
#if CLANG_VERSION_MAJOR >= 22
                          CI.getCodeGenOpts(),
#endif
                          /*Extensions=*/{}, /*IncludeTimestamps=*/false);
}

/// Writes the precompiled header \p Name.
inline void writeAST(clang::ASTWriter &Writer, clang::Sema &S,
                     llvm::StringRef Name) {
#if CLANG_VERSION_MAJOR >= 22
  Writer.WriteAST(&S, Name, /*WritingModule=*/nullptr, /*isysroot=*/"");
#else
  Writer.WriteAST(S, Name, /*WritingModule=*/nullptr, /*isysroot=*/"");
#endif
}

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
