//===- Lowering.h - From Clang's CFG to a FlowGraph -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small classes lower a function, each in a file with its name:
//
// ExprBuilder, LocalVariables, LambdaCaptures, InitTargets
//                     the parts of a FlowGraph, for one function
//   BlockLowering     the statements of one block
//   ExprLowering      the expressions in them; PlaceLowering, ValueLowering,
//                     CallLowering, ConstructLowering, and others one kind each
//   CommentAnchors, ErrorAnchors, OpRanges
//                     parts of the source that are not in Clang's CFG
//   SplitBlocks       branches that Clang's CFG lacks
//   FailureTests, GraphPasses
//                     properties of the form of the function
//
// No other files use function bodies.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_LOWERING_H
#define CUDAGRAPH_ANALYSIS_LOWER_LOWERING_H

#include "analysis/ir/FlowGraph.h"
#include "clang/AST/Decl.h"
#include <memory>

namespace cudagraph {

class FunctionTable;

/// Lowers the body of \p Def, a definition. Returns nullptr if Clang cannot
/// build a CFG for it. In a unit with parse errors, the graph contains their
/// locations, and a body that Clang cannot process is a graph with one such
/// mark.
std::unique_ptr<FlowGraph> lowerFunction(const clang::FunctionDecl *Def,
                                         FunctionTable &Table);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_LOWERING_H
