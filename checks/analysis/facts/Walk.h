//===- Walk.h - What all parts of one walk share ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk serves one root: what it finds depends on nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_FACTS_WALK_H
#define CUDAGRAPH_ANALYSIS_FACTS_WALK_H

#include "Fact.h"
#include "analysis/domain/State.h"
#include "analysis/program/GraphShapes.h"
#include "analysis/program/Limits.h"
#include "analysis/program/Program.h"
#include "analysis/program/Relevance.h"
#include <map>
#include <set>

namespace cudagraph {

struct Walk {
  /// \p Shapes serves all roots of a program.
  Walk(Program &Table, const Relevance &Rel,
       const catalogue::Catalogue &Catalogue, GraphShapes &Shapes,
       const WalkLimits &Limits)
      : Table(Table), Rel(Rel), Catalogue(Catalogue), Shapes(Shapes),
        Limits(Limits) {
    using catalogue::Role;
    D.Numbers = {Catalogue.values(Role::HostDevice),
                 Catalogue.values(Role::CudaDevice),
                 Catalogue.values(Role::BooleanScalar)};
  }

  Program &Table;
  const Relevance &Rel;
  const catalogue::Catalogue &Catalogue;
  GraphShapes &Shapes;
  const WalkLimits Limits;
  Domain D;
  FactSet Result;
  uint64_t Steps = 0;
  FunctionId OperatorRoot = None; ///< whose parameters are tensors of a device
  std::set<FunctionId> Eager;     ///< walked while nothing captured
  /// Walked while something captured, by name: units may have a definition each
  /// of one inline function.
  std::set<FunctionKey> InRegion;
  /// What functions without source, which are given numbers at most, return.
  std::set<ValueId> Getters;
  /// Streams that functions without source may keep, to return them later.
  std::set<ValueId> Handed;
  /// Members and globals that were counted or swapped while something captured.
  std::set<std::string> SteppedInside;
  /// With WalkLimits::Recheck: calls that shared a walk, and those for which a
  /// walk of their own ended otherwise.
  unsigned Rechecked = 0, Differing = 0;

  /// True if the walk has used up what it may cost.
  bool isSpent();

  /// The next number in the order of what is found.
  unsigned next() { return ++Order; }

  /// True if somebody may call \p F before capture \p C begins: here, or from
  /// code that does not capture.
  bool mayRunBefore(FunctionId F, CaptureId C) const;

  /// True if \p F was walked while something captured.
  bool isInRegion(FunctionId F) const { return InRegion.count(Table.key(F)); }

  /// While capture \p C is active, the call at \p Site reaches \p Callee.
  void noteCall(CaptureId C, Span Site, FunctionId Callee) {
    unsigned Begin = Result.Captures[C].BeginCall.Begin;
    auto [It, New] = CalledFrom.try_emplace({Begin, Callee}, Site.Begin);
    if (!New && It->second != Site.Begin)
      It->second = None;
  }
  /// True if one call alone reaches \p Callee while capture \p C is active:
  /// what it does might as well stand there.
  bool isCalledOnce(CaptureId C, FunctionId Callee) const {
    auto It = CalledFrom.find({Result.Captures[C].BeginCall.Begin, Callee});
    return It != CalledFrom.end() && It->second != None;
  }

  /// True if \p F is the function from which everything starts, and nothing
  /// that it reaches is defined where nobody looks.
  bool isWholeProgram(FunctionId F) const {
    return Table.info(F).Name == "main" && !(Rel.bits(F) & Relevance::Hides);
  }

  /// True for two views of one capture: a wrapper's and its caller's.
  bool sameCapture(CaptureId A, CaptureId B) const;

  /// The name of the variable or member \p L; empty if it has none.
  std::string nameOf(LocId L) const;

private:
  /// By where a capture begins, and the function: the call that reaches it
  /// then; None if there are several.
  std::map<std::pair<unsigned, FunctionId>, unsigned> CalledFrom;
  uint64_t NextLook = 0; ///< at the clock, in steps
  unsigned Order = 0;
};

/// Gives a part of a walk short names for what all parts share.
class Part {
protected:
  explicit Part(Walk &W)
      : W(W), D(W.D), Table(W.Table), Rel(W.Rel), Shapes(W.Shapes),
        Result(W.Result) {}
  Part(const Part &) = delete;

  Walk &W;
  Domain &D;
  Program &Table;
  const Relevance &Rel;
  GraphShapes &Shapes;
  FactSet &Result;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_FACTS_WALK_H
