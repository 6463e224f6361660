//===- CallKey.h - The part of a call that a callee can observe -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call passes to the callee the part of the state that it can observe:
// everything reachable from its arguments, globals, and objects that were not
// created here. Two calls that agree on this part share one walk. State.def
// names, for each field of a state, the functions here that compute the key,
// the entry state, and the state of the caller afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_INTERPRETER_CALLKEY_H
#define CUDAGRAPH_ANALYSIS_INTERPRETER_CALLKEY_H

#include "Widening.h"
#include "analysis/program/Limits.h"
#include "llvm/ADT/DenseSet.h"

namespace cudagraph {

/// The entries of memory that code with \p Roots can access.
MemoryItems reachable(Domain &D, const State &S, llvm::ArrayRef<ValueId> Roots);

class CallKey : Part {
public:
  /// \p Args and \p This are the arguments; \p Times is the number of times
  /// that \p Callee was walked.
  CallKey(Walk &W, FunctionId Callee, const State &S,
          llvm::ArrayRef<ValueId> Args, ValueId This, Widening &Wide);

  using Digest = std::pair<uint64_t, uint64_t>;

  /// Returns a digest of everything on which the walk of the callee depends. \p
  /// Context: its dependencies outside the state.
  Digest digest(llvm::ArrayRef<unsigned> Context) const;

  /// Returns the state in which the walk of the callee begins.
  State entry() const;

  /// Returns the state of the caller after a walk that ended in \p Exit, and
  /// returned \p Returned. \p Settled: the items of State::Changes that the
  /// walk has removed.
  State leave(const State &Exit, ValueId Returned, FunctionId Caller,
              llvm::ArrayRef<unsigned> Settled) const;

  llvm::ArrayRef<ValueId> args() const { return Passed; }
  ValueId self() const { return This; }
  /// The state that the caller passed, before generalization.
  llvm::ArrayRef<ValueId> roots() const { return Roots; }
  const MemoryItems &visible() const { return Visible; }
  /// True if the callee sees the contents of \p L.
  bool sees(LocId L) const {
    auto It = llvm::lower_bound(
        Visible, L, [](const auto &Item, LocId X) { return Item.first < X; });
    return It != Visible.end() && It->first == L;
  }

private:
  void dropUnread();
  void findOwners();
  bool isObservable(ValueId V) const;

  FactMap observed(const FactMap &Field) const;

  class Digester;
  class Entering;
  class Leaving;

  const FunctionId Callee;
  const FlowGraph &G;
  const State &S;
  llvm::SmallVector<ValueId, 8> Roots, Passed;
  ValueId This;
  MemoryItems Visible;
  FactMap Owned;      ///< see State.def
  bool Anything;      ///< the callee may call anything that it reaches
  bool WithFacts;     ///< facts about values count
  bool WithUnjoined;  ///< the order of work counts
  bool KeepsUnjoined; ///< the callee neither waits nor enqueues work
  unsigned
      MaxChanged; ///< the number of changes up to which they distinguish calls
  llvm::SmallDenseSet<ValueId, 16> ArgParts;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_INTERPRETER_CALLKEY_H
