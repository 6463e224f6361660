//===- OpRanges.h - Operations in a source range ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statements under CUDAGRAPH_ALLOW and initializers of static variables are
// identified by their source ranges: operations there are marked after the
// function is lowered.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_OPRANGES_H
#define CUDAGRAPH_ANALYSIS_LOWER_OPRANGES_H

#include "analysis/ir/FlowGraph.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace clang {
class FunctionDecl;
class SourceManager;
} // namespace clang

namespace cudagraph {

/// The initializer of a static local variable.
struct OnceInitializer {
  clang::SourceRange Range;
  ExprId OnceOf; ///< see Op
};

/// Marks the operations under CUDAGRAPH_ALLOW in \p Body.
void markAllowed(FlowGraph &G, const clang::Stmt *Body,
                 const clang::SourceManager &SM);

/// Records the try blocks of \p Body and marks the calls in them. \p IdOf
/// numbers functions.
void markTries(
    FlowGraph &G, const clang::Stmt *Body, const clang::SourceManager &SM,
    llvm::function_ref<FunctionId(const clang::FunctionDecl *)> IdOf);

/// Marks operations that run only at the first call. The temporaries of an
/// initializer end after the declaration, but before the mark that the
/// initializer has run.
void markOnce(FlowGraph &G, llvm::ArrayRef<OnceInitializer> Initializers,
              const clang::SourceManager &SM);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_OPRANGES_H
