//===- QualifiedName.h - Names in the catalogue's spelling ------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang prints inline namespaces and template arguments, which differ between
// versions of a library; the catalogue's names have neither.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_QUALIFIEDNAME_H
#define CUDAGRAPH_ANALYSIS_LOWER_QUALIFIEDNAME_H

#include "clang/AST/Decl.h"
#include <string>

namespace cudagraph {

/// Qualified name without inline namespaces, anonymous namespaces, or template
/// arguments: the catalogue's spelling.
std::string canonicalQualifiedName(const clang::NamedDecl *D);

/// The last part of that name.
std::string canonicalName(const clang::NamedDecl *D);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_QUALIFIEDNAME_H
