//===- FunctionTables.h - Constant tables of functions ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C programs give an object a pointer to a constant table of functions, as C++
// compilers do for virtual methods: `unit->ops->start(unit)`. A table that
// contains one function does not contain those of other tables, and an object
// has one table.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_FUNCTIONTABLES_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_FUNCTIONTABLES_H

#include "analysis/ir/FlowGraph.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"

namespace cudagraph {

class FunctionTables {
public:
  /// Starts the initializer of the next global variable.
  void begin() { Rows.clear(); }

  /// Records that the initializer \p G stores function \p F in \p Place, which
  /// has the name \p Member.
  void note(const FlowGraph &G, ExprId Place, llvm::StringRef Member,
            FunctionId F);

  /// Records the indirect call \p O, in \p G. Returns the name of the member or
  /// global from which it takes the function; nullptr if there is none.
  const std::string *noteCall(const FlowGraph &G, const Op &O);

  /// False if \p A and \p B are in tables, but not in the same one.
  bool mayShare(FunctionId A, FunctionId B) const;

  /// True if \p F is in a table.
  bool contains(FunctionId F) const { return Of.count(F); }

  /// True if \p A and \p B are in different tables of one type, and each call
  /// through such a table passes the object that has the table: their first
  /// parameters never point to the same object.
  bool haveOtherObjects(FunctionId A, FunctionId B) const;

private:
  struct Entry {
    unsigned Table;
    std::string Member;
  };
  llvm::DenseMap<FunctionId, llvm::SmallVector<Entry, 2>> Of;
  llvm::DenseMap<ExprId, unsigned> Rows; ///< of the current initializer
  unsigned NumTables = 0;
  /// Members through which a call passes another object, or none.
  llvm::StringSet<> ForOthers;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_FUNCTIONTABLES_H
