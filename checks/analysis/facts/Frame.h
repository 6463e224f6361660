//===- Frame.h - One activation of a function -------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The position of a walk: the function, and the calls that led to it from the
// root.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_FACTS_FRAME_H
#define CUDAGRAPH_ANALYSIS_FACTS_FRAME_H

#include "Fact.h"
#include "analysis/domain/State.h"
#include <array>
#include <map>
#include <set>

namespace cudagraph {

/// Returns of a function that leave a capture open, and those that do not.
struct Returns {
  std::vector<Fact> Open;
  std::set<unsigned> Closed; ///< where their ranges begin
  /// Capture -> the condition after which a failure leaves it open.
  std::map<CaptureId, Span> Partings;
  /// For each return, by the beginning of its range: the conditions known on
  /// the paths to it while none of the function's captures was active, and
  /// while one was.
  std::map<unsigned, std::array<std::vector<FactMap>, 2>> Known;
  /// Conditions with a known result that were tested while a stream captured.
  std::set<ValueId> TestedAgain;
  int Mode = -1;               ///< State::ThreadMode on entry
  Span Exchange;               ///< the exchange of another mode
  bool Restores = false;       ///< on some path
  std::vector<Fact> OtherMode; ///< returns in a different mode
};

/// One activation on the path from the root to the current call.
struct Frame {
  FunctionId Function = None;
  const FlowGraph *Graph = nullptr;
  const Frame *Parent = nullptr;
  const Op *CallSite = nullptr; ///< in Parent
  unsigned CallBlock = 0;       ///< in Parent
  unsigned Block = 0;           ///< current block
  uint64_t Round = 0; ///< for loops whose iterations are walked separately
  ValueId This = None;
  unsigned Depth = 0;
  bool Uncertain = false; ///< one of several possible callees
  bool Allowed = false;   ///< under CUDAGRAPH_ALLOW, from the root on
  bool Once = false;      ///< only at the first call, from the root on
  llvm::SmallVector<ValueId, 8> Params; ///< its arguments
  llvm::SmallVector<ValueId, 4> Passed; ///< see Walk::argumentsOf()
  Returns *Left = nullptr;              ///< of this activation
  /// Returns the activation at which the path starts.
  const Frame &root() const { return Parent ? Parent->root() : *this; }
  /// True if this activation, or one on the path to it, is one of \p F.
  bool isIn(FunctionId F) const {
    for (const Frame *A = this; A; A = A->Parent)
      if (A->Function == F)
        return true;
    return false;
  }
  /// Returns the number for objects created at \p Site in this iteration.
  int64_t named(int64_t Site) const {
    constexpr uint64_t Spread = 0x9e3779b97f4a7c15, Tag = 15;
    uint64_t Mixed = static_cast<uint64_t>(Site) ^ (Round * Spread & ~Tag);
    return static_cast<int64_t>(Mixed);
  }
  /// See Sink::isFirmAbove(): the capture of the last query.
  mutable std::optional<CaptureId> FirmFor;
  mutable bool FirmAbove = false;
};

/// True if \p L belongs to a function that has returned to \p F or a caller: a
/// variable, or a result that the caller has already stored.
inline bool isOver(const Domain &D, const Frame &F, LocId L) {
  const LocNode Root = D.at(D.root(L));
  return (Root.Kind == LocKind::Var || Root.Kind == LocKind::Return) &&
         !F.isIn(Root.A);
}

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_FACTS_FRAME_H
