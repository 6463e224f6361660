//===- MemberPath.h - The path from an object to its part -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `plan.rows[2].count` is the path `rows`, 2, `count` from `plan`. A value that
// is assigned to `plan.rows` concerns it; a value for `plan.name` does not.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_MEMBERPATH_H
#define CUDAGRAPH_ANALYSIS_MODELS_MEMBERPATH_H

#include "analysis/domain/Domain.h"
#include "analysis/ir/FlowGraph.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace cudagraph {

/// A member or an element on a path.
struct MemberStep {
  llvm::StringRef Member; ///< empty: an element
  bool Any = false;       ///< the index of the element is unknown
  int64_t Index = 0;

  /// Returns true if the two steps may lead to one part.
  bool mayBe(const MemberStep &O) const {
    if (Member.empty() != O.Member.empty())
      return true; // a view of the object as something else
    return Member == O.Member && (Any || O.Any || Index == O.Index);
  }
};

/// The outermost step comes first.
using MemberPath = llvm::SmallVector<MemberStep, 2>;

/// Returns the path of the place \p P of \p G, and sets \p P to the object at
/// which it starts: a variable, a temporary, a global, or the target of a
/// pointer.
MemberPath stepsOf(const FlowGraph &G, ExprId &P);

/// Returns the path of \p L from its root.
MemberPath stepsOf(const Domain &D, LocId L);

/// Returns the part of \p To that corresponds to \p L, a part of \p From;
/// std::nullopt if \p From does not contain \p L.
std::optional<LocId> samePartOf(Domain &D, LocId L, LocId From, LocId To);

/// Returns the part of \p L at \p Path, as far as it consists of members.
LocId partOf(Domain &D, LocId L, llvm::ArrayRef<MemberStep> Path);

/// Returns the rest of the path \p Read inside the part that \p Written leads
/// to, empty if that is a part of \p Read; std::nullopt if the two parts do not
/// overlap.
std::optional<MemberPath> restOf(llvm::ArrayRef<MemberStep> Read,
                                 llvm::ArrayRef<MemberStep> Written);

/// Returns the index of the element at which \p Path starts, if that is known.
std::optional<unsigned> elementOf(llvm::ArrayRef<MemberStep> Path);

/// Returns a number for \p Path, 0 if it is empty.
unsigned numberOf(llvm::ArrayRef<MemberStep> Path);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_MEMBERPATH_H
