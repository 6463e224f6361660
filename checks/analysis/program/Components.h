//===- Components.h - Call graphs in the order of recursion -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that call each other, directly or indirectly, form a strongly
// connected component. In the order of components, callees before callers,
// information that flows from callees to callers is collected in one pass over
// the program.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_COMPONENTS_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_COMPONENTS_H

#include "analysis/ir/FlowGraph.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace cudagraph {

class Components {
public:
  Components() = default;
  /// \p Callees contains the callees of each function; functions without an
  /// entry have none.
  explicit Components(const std::vector<std::vector<FunctionId>> &Callees);

  unsigned size() const { return Members.size(); }
  /// The functions of component \p Index. Components that it calls have smaller
  /// indexes.
  llvm::ArrayRef<FunctionId> members(unsigned Index) const {
    return Members[Index];
  }
  /// The component of \p F, or None if \p F was not in the graph.
  unsigned of(FunctionId F) const { return F < Of.size() ? Of[F] : None; }
  /// True if \p F may be called while it runs.
  bool isRecursive(FunctionId F) const {
    return F < Recursive.size() && Recursive[F];
  }

private:
  std::vector<std::vector<FunctionId>> Members;
  std::vector<unsigned> Of;
  std::vector<bool> Recursive;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_COMPONENTS_H
