//===- CallKey.h - What a callee can observe of a call ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call hands the callee the part of the state that it can observe: what its
// arguments reach, globals, and the objects nobody here created. Two calls that
// agree on that share one walk. State.def says, for each field of a state,
// which function here makes the key, the entry, and what the caller gets back.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_INTERPRETER_CALLKEY_H
#define CUDAGRAPH_ANALYSIS_INTERPRETER_CALLKEY_H

#include "Widening.h"
#include "llvm/ADT/DenseSet.h"

namespace cudagraph {

/// The entries of memory that code holding \p Roots can see.
MemoryItems reachable(Domain &D, const State &S, llvm::ArrayRef<ValueId> Roots);

/// The largest set of captures, or of changes, that distinguishes two calls;
/// that of changes for callees that capture, launch, or give up graphs.
inline constexpr unsigned MaxDistinguishing = 3;
inline constexpr unsigned MaxOnGraphs = 16;

class CallKey : Part {
public:
  /// \p Args and \p This are what is called with; \p Times says how often
  /// \p Callee was walked.
  CallKey(Walk &W, FunctionId Callee, const State &S,
          llvm::ArrayRef<ValueId> Args, ValueId This, Widening &Wide);

  using Digest = std::pair<uint64_t, uint64_t>;

  /// Returns a digest of all that the walk of the callee depends on. \p
  /// Context: what it depends on beside the state.
  Digest digest(llvm::ArrayRef<unsigned> Context) const;

  /// Returns the state in which the walk of the callee begins.
  State entry() const;

  /// Returns the state of the caller after a walk that ended in \p Exit, and
  /// returned \p Returned.
  State leave(const State &Exit, ValueId Returned, FunctionId Caller) const;

  llvm::ArrayRef<ValueId> args() const { return Passed; }
  ValueId self() const { return This; }
  /// What the caller handed over, before it was generalised.
  llvm::ArrayRef<ValueId> roots() const { return Roots; }
  const MemoryItems &visible() const { return Visible; }

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
  FactMap Owned;       ///< see State.def
  bool Anything;       ///< the callee may call whatever it comes upon
  bool WithFacts;      ///< what is known of values counts
  bool WithLags;       ///< who waits for whom counts
  bool KeepsLags;      ///< the callee makes nobody wait, and nobody work
  unsigned MaxChanged; ///< so many changes distinguish calls
  llvm::SmallDenseSet<ValueId, 16> ArgParts;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_INTERPRETER_CALLKEY_H
