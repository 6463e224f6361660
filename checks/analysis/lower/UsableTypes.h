//===- UsableTypes.h - Tests whether Clang can build a CFG ------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang's CFG builder needs the destructors of objects, and expects valid code.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_USABLETYPES_H
#define CUDAGRAPH_ANALYSIS_LOWER_USABLETYPES_H

#include "clang/AST/Decl.h"

namespace cudagraph {

/// False if building a CFG for \p Def would need a class without a definition:
/// after a fatal error, Clang does not instantiate templates.
bool hasUsableTypes(const clang::FunctionDecl *Def);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_USABLETYPES_H
