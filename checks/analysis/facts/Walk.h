//===- Walk.h - The state that all parts of one walk share ------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk serves one root: its result depends only on that root.
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
  FunctionId OperatorRoot = None; ///< its parameters are device tensors
  std::set<FunctionId> Eager;     ///< walked outside captures
  /// The functions walked during a capture, by name, because several units may
  /// define the same inline function.
  std::set<FunctionKey> InRegion;
  /// The results of functions without source that have no arguments other than
  /// numbers.
  std::set<ValueId> Getters;
  /// Streams and addresses that functions without source may store and use
  /// later.
  std::set<ValueId> Handed;
  /// A stream, and the name of a member that contained it when a capture began
  /// on it.
  std::set<std::pair<ValueId, unsigned>> OriginMembers;
  /// Members and globals that were counted or swapped during a capture.
  std::set<std::string> SteppedInside;
  /// With WalkLimits::Recheck: calls that shared a walk, and those for which a
  /// separate walk ended differently.
  unsigned Rechecked = 0, Differing = 0;

  /// True if the walk has exceeded its limits.
  bool isSpent();

  /// The next number in the order of the facts.
  unsigned next() { return ++Order; }

  /// True if a function that begins a capture also calls \p F, directly or
  /// through others, in code that does not follow the begin call.
  bool isWarmedUp(FunctionId F) const;

  /// True if \p F may be called before capture \p C begins: here, or from code
  /// that is not captured.
  bool mayRunBefore(FunctionId F, CaptureId C) const;

  using Arguments = llvm::SmallVector<ValueId, 4>;
  /// Returns the object and the arguments of the call \p O. The numbers in a
  /// variable replace its address if the callee does not change them. The
  /// addresses of other local variables are excluded, because results are
  /// returned there.
  Arguments argumentsOf(const Op &O, const State &S, ValueId This,
                        llvm::ArrayRef<ValueId> Args);
  /// Records a call to \p F, a function with effects, outside captures, with
  /// the arguments \p Key.
  void noteRun(FunctionId F, Arguments Key);
  /// True if such a call, with the same numbers, was recorded before.
  bool hasRun(FunctionId F, llvm::ArrayRef<ValueId> Key) const;

  /// True if \p F was walked during a capture.
  bool isInRegion(FunctionId F) const { return InRegion.count(Table.key(F)); }

  /// Records that the call at \p Site reaches \p Callee while capture \p C is
  /// active.
  void noteCall(CaptureId C, Span Site, FunctionId Callee) {
    unsigned Begin = Result.Captures[C].BeginCall.Begin;
    auto [It, New] = CalledFrom.try_emplace({Begin, Callee}, Site.Begin);
    if (!New && It->second != Site.Begin)
      It->second = None;
  }
  /// True if only one call reaches \p Callee while capture \p C is active, so
  /// that its body could be inlined at that call.
  bool isCalledOnce(CaptureId C, FunctionId Callee) const {
    auto It = CalledFrom.find({Result.Captures[C].BeginCall.Begin, Callee});
    return It != CalledFrom.end() && It->second != None;
  }

  /// True if \p F is the program's entry point, and all code that it reaches is
  /// visible.
  bool isWholeProgram(FunctionId F) const {
    return Table.info(F).Name == "main" && !(Rel.bits(F) & Relevance::Hides);
  }

  /// True for two views of one capture: that of a wrapper and that of its
  /// caller.
  bool sameCapture(CaptureId A, CaptureId B) const;

  /// The name of the variable or member \p L; empty if it has none.
  std::string nameOf(LocId L) const;

private:
  bool callsWithoutCapture(FunctionId F,
                           const llvm::DenseSet<FunctionId> &Callees) const;

  std::map<FunctionId, std::vector<Arguments>> Runs; ///< see noteRun()
  /// For each location where a capture begins, and each function: the call that
  /// reaches the function; None if there are several.
  std::map<std::pair<unsigned, FunctionId>, unsigned> CalledFrom;
  uint64_t NextLook = 0; ///< the number of steps at the next check of the time
  unsigned Order = 0;
};

/// Provides short names for the shared parts of a walk.
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
