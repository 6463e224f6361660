//===- Lowering.h - From Clang's CFG to a FlowGraph -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function is lowered by small classes, each in a file of its name:
//
//   ExprBuilder, LocalVariables, LambdaCaptures, InitTargets
//                     what a FlowGraph is made of, for one function
//   BlockLowering     the statements of one block
//   ExprLowering      the expressions in them; PlaceLowering, ValueLowering,
//                     CallLowering, ConstructLowering and others one kind each
//   CommentAnchors, ErrorAnchors, OpRanges
//                     what stands in the source, but not in Clang's CFG
//   FailureTests, GraphPasses
//                     what the shape of the function tells
//
// Nothing outside these files looks at function bodies.
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
/// build a CFG for it. In a unit with parse errors the graph says where they
/// are, and a body that is beyond Clang is a graph of one such mark.
std::unique_ptr<FlowGraph> lowerFunction(const clang::FunctionDecl *Def,
                                         FunctionTable &Table);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_LOWERING_H
