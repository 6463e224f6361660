//===- LibraryCode.h - Functions that are not entered -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The catalogue describes library functions, so their bodies are neither
// lowered nor, if the driver can identify them, parsed.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_LIBRARYCODE_H
#define CUDAGRAPH_ANALYSIS_LOWER_LIBRARYCODE_H

#include "ProjectCode.h"
#include "catalogue/Catalogue.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"

namespace cudagraph {

/// True if \p FD is in a namespace that \p Known describes.
bool isInLibraryNamespace(const clang::FunctionDecl *FD,
                          const catalogue::Catalogue &Known);

/// True if \p FD is not entered: it does not belong to \p Own, and it is in a
/// system header or in a namespace that \p Known describes, unless the main
/// file itself adds to that namespace.
bool isLibraryCode(const clang::FunctionDecl *FD,
                   const clang::SourceManager &SM, const ProjectCode &Own,
                   const catalogue::Catalogue &Known);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_LIBRARYCODE_H
