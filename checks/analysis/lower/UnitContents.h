//===- UnitContents.h - What a unit defines ---------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks declarations, not bodies: functions that are only called are found
// where calls of them are lowered.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_UNITCONTENTS_H
#define CUDAGRAPH_ANALYSIS_LOWER_UNITCONTENTS_H

#include "analysis/ir/FlowGraph.h"
#include <vector>

namespace clang {
class VarDecl;
}

namespace cudagraph {

class FunctionTable;

/// What user code of a unit defines.
struct UnitContents {
  /// Each function once that has a body outside system headers, instances of
  /// templates included.
  std::vector<FunctionId> Functions;
  /// The variables that are initialized.
  std::vector<const clang::VarDecl *> Globals;
};

/// Finds what the unit of \p Table defines. Adds the functions to \p Table, and
/// which of them override which.
UnitContents collectContents(FunctionTable &Table);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_UNITCONTENTS_H
