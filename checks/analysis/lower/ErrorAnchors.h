//===- ErrorAnchors.h - Source in a body that does not parse ----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Marks source that does not parse: at the statement that contains the error,
// or at the next one if Clang dropped the statement. A body for which Clang
// cannot build a CFG becomes a graph with one mark.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_ERRORANCHORS_H
#define CUDAGRAPH_ANALYSIS_LOWER_ERRORANCHORS_H

#include "AnchoredOps.h"
#include "clang/AST/Decl.h"
#include <memory>

namespace cudagraph {

class ParseErrors;

/// The errors of one function.
class ErrorAnchors {
public:
  /// There are no errors.
  ErrorAnchors() = default;
  /// \p Known contains the errors of the unit.
  ErrorAnchors(const clang::FunctionDecl *Def, const ParseErrors &Known);

  /// The marks with a statement.
  const std::vector<AnchoredOp> &ops() const { return Ops; }

  /// Marks the first block of \p G if there are errors without a statement, or
  /// errors, listed in \p Left, whose statement lowering has not reached.
  void markEntry(FlowGraph &G, llvm::ArrayRef<Op> Left) const;

private:
  void anchor(clang::SourceLocation At,
              llvm::ArrayRef<const clang::CompoundStmt *> Compounds,
              const clang::SourceManager &SM);

  std::vector<AnchoredOp> Ops;
  std::vector<clang::SourceLocation> AtEntry;
};

/// The graph of a body that cannot be lowered.
std::unique_ptr<FlowGraph> unparsedGraph(const clang::FunctionDecl *Def);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_ERRORANCHORS_H
