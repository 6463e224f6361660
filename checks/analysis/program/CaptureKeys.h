//===- CaptureKeys.h - State that records whether there is a graph -*- C++ -*-//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scan for keys: see Relevance.h. CaptureKeys.cpp examines the conditions
// of functions that begin captures. KeyTables.cpp examines the tables of
// graphs, their indexes, and the copies with which keys are compared.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_CAPTUREKEYS_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_CAPTUREKEYS_H

#include "KeyShapes.h"
#include <set>
#include <tuple>
#include <vector>

namespace cudagraph {

class Relevance::Keys {
public:
  explicit Keys(Relevance &R) : R(R) {}

  void run() {
    noteCopies();
    for (FunctionId F : R.Scanned)
      if (R.bits(F) & Begins)
        noteAsked(F);
    notePassed();
  }

private:
  /// The maximum number of blocks of an accessor, and of a function that is
  /// examined for its computation, and of local flags whose values are.
  static constexpr unsigned MaxAccessor = 6, MaxAsked = 40, MaxFlags = 64;

  void noteAsked(FunctionId F);
  bool isBetween(const FlowGraph &G, unsigned At) const;
  void noteIndexes(FunctionId F);
  void noteTables(FunctionId F);
  void notePassed();
  void take(FunctionId F, ExprId Id, llvm::StringRef Part = {});
  void noteNamed(FunctionId F, ExprId Id);
  void noteCopies();
  void noteCompared(const FlowGraph &G, ExprId A, ExprId B);
  void noteTested(FunctionId F, ExprId Id);
  bool onlyComputes(const FlowGraph &G, const Block &B) const;
  bool skipsLaunch(const FlowGraph &G, const Block &B) const;
  bool onlyPrepares(FunctionId F, const Block &B) const;
  void noteAccessor(const FlowGraph &G, int64_t Index, unsigned Depth = 0);
  void noteComputed(FunctionId F);
  bool noteReturned(FunctionId F);
  void noteRemembered(FunctionId F);

  Relevance &R;
  /// Parameters, or members of parameters, that are keys or inputs of keys, by
  /// function. NewParams contains those whose callers have not been examined.
  /// Flow graphs own the names.
  std::set<std::tuple<FunctionId, unsigned, llvm::StringRef>> KeyParams;
  std::vector<std::tuple<FunctionId, unsigned, llvm::StringRef>> NewParams;
  std::set<FunctionId> Computed; ///< functions whose results are keys
  std::set<FunctionId> Returned; ///< by noteReturned
  std::set<std::pair<FunctionId, ExprId>> Named;  ///< by noteNamed
  std::set<std::pair<FunctionId, ExprId>> Tested; ///< by noteTested
  unsigned Flags = 0; ///< examined for the function that noteAsked examines
  /// Members and globals, and others that functions set to their contents. Flow
  /// graphs own the names.
  std::set<std::pair<llvm::StringRef, llvm::StringRef>> Copies;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_CAPTUREKEYS_H
