//===- UnitContents.h - The definitions in a unit ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks declarations, not bodies: functions that are only called are found when
// calls to them are lowered.
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

class ContentsLog;
class FunctionTable;
class StoredDecls;

/// The definitions in user code of a unit.
struct UnitContents {
  /// Each function with a body outside system headers, once, including
  /// instances of templates.
  std::vector<FunctionId> Functions;
  /// The variables that are initialized.
  std::vector<const clang::VarDecl *> Globals;
};

/// Finds the definitions in the unit of \p Table. Adds the functions, and their
/// overriders, to \p Table. \p Stored lists the contents of a precompiled
/// header; \p Log receives the contents of the unit. Either may be null.
UnitContents collectContents(FunctionTable &Table,
                             StoredDecls *Stored = nullptr,
                             ContentsLog *Log = nullptr);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_UNITCONTENTS_H
