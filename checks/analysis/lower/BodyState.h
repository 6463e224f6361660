//===- BodyState.h - The state of lowering one function ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks of a function share state: numbers of variables, expressions, and
// results of calls.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_BODYSTATE_H
#define CUDAGRAPH_ANALYSIS_LOWER_BODYSTATE_H

#include "BodyIndex.h"
#include "FunctionTable.h"
#include "InitTargets.h"
#include "LambdaCaptures.h"
#include "LocalVariables.h"
#include "OpRanges.h"
#include "SplitBlocks.h"

namespace cudagraph {

/// Exists while one function is lowered, because its blocks use each other's
/// results.
struct BodyState {
  /// Adds the parameters of \p Def to \p G, which is empty.
  BodyState(const clang::FunctionDecl *Def, FunctionTable &Table, FlowGraph &G);

  const clang::FunctionDecl *const Def;
  FunctionTable &Table;
  LibraryNames &Names;
  clang::ASTContext &Ctx;
  FlowGraph &G;
  ExprBuilder Exprs;
  LocalVariables Vars;
  LambdaCaptures Captures;
  const BodyIndex Index;
  InitTargets Targets;
  /// Temporaries, by the calls and braced lists that create them.
  llvm::DenseMap<const clang::Expr *, ExprId> Returned;
  /// The values of calls, constructions, new expressions, and lambdas that are
  /// lowered: each is evaluated once.
  llvm::DenseMap<const clang::Expr *, ExprId> Results;
  /// The statements of the CFG that are lowered. Instantiation of a fold
  /// expression may repeat a node: each occurrence is an evaluation.
  llvm::DenseSet<const clang::Stmt *> Seen;
  /// The initializers of the static variables that are lowered.
  std::vector<OnceInitializer> Once;
  /// Operations between which Clang's CFG has no branch; see splitBlocks().
  std::vector<Choice> Choices;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_BODYSTATE_H
