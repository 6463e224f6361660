//===- TemplateStreams.h - Streams that a template loses --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instances show only the code that their arguments select, and a header often
// contains no instance of a method. The template itself shows whether a
// function with a stream parameter calls another function without passing the
// stream on: the default for the stream of the callee is usually the legacy
// default stream. Only such calls and the work that they lead to are lowered,
// each under an unknown condition.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_TEMPLATESTREAMS_H
#define CUDAGRAPH_ANALYSIS_LOWER_TEMPLATESTREAMS_H

#include "analysis/ir/FlowGraph.h"
#include "clang/AST/Decl.h"
#include <memory>

namespace cudagraph {

class FunctionTable;

/// True if \p Def, the definition of a template, has a stream parameter, but
/// does not pass the stream to a called function that could work on it.
bool losesStream(const clang::FunctionDecl *Def, FunctionTable &Table);

/// Lowers the calls in \p Def, the definition of a template, that involve its
/// stream parameter. Returns nullptr if there are none.
std::unique_ptr<FlowGraph> lowerTemplate(const clang::FunctionDecl *Def,
                                         FunctionTable &Table);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_TEMPLATESTREAMS_H
