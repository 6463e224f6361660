//===- GlobalVariables.h - Global and static variables ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Flow graphs refer to globals by name, and the program needs the functions
// stored in them from the start.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_GLOBALVARIABLES_H
#define CUDAGRAPH_ANALYSIS_LOWER_GLOBALVARIABLES_H

#include "analysis/ir/FlowGraph.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace clang {
class VarDecl;
}

namespace cudagraph {

class FunctionTable;

/// The name, unique in the program, that flow graphs use for \p VD, a variable
/// of static storage duration.
std::string globalName(const clang::VarDecl *VD);

/// The initializers of \p Globals, as assignments of the functions that they
/// store, which may be called later. Adds these functions to \p Table.
FlowGraph lowerInitializers(llvm::ArrayRef<const clang::VarDecl *> Globals,
                            FunctionTable &Table);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_GLOBALVARIABLES_H
