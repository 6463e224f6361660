//===- AnchoredOps.h - Operations without a statement -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comments and source that does not parse have no position in Clang's CFG. Each
// is anchored at a statement and becomes an operation where lowering first
// reaches a part of that statement.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_ANCHOREDOPS_H
#define CUDAGRAPH_ANALYSIS_LOWER_ANCHOREDOPS_H

#include "analysis/ir/FlowGraph.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace clang {
class SourceManager;
}

namespace cudagraph {

struct AnchoredOp {
  const clang::Stmt *Anchor;
  Op Operation;
};

class AnchoredOps {
public:
  AnchoredOps(std::vector<AnchoredOp> Ops, const clang::SourceManager &SM);

  /// The operations before \p S, in order. Each is returned once.
  std::vector<Op> takeBefore(const clang::Stmt *S);

  /// The operations that were not returned.
  std::vector<Op> left() const;

private:
  llvm::MapVector<const clang::Stmt *, std::vector<Op>> At;
  /// The anchor of each part of an anchor.
  llvm::DenseMap<const clang::Stmt *, const clang::Stmt *> AnchorOf;
};

/// The compound statements of \p Body, outermost first, except for those
/// of lambdas.
std::vector<const clang::CompoundStmt *> compoundsOf(const clang::Stmt *Body);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_ANCHOREDOPS_H
