//===- Interpreter.h - Interpretation of flow graphs ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the program from the points where captures can begin. It carries states
// through flow graphs, enters callees with the state of the call, and records a
// fact for each event while a capture is active.
//
// States are merged where paths join unless they differ in their active
// captures. Therefore, "begin if (update)" and "end if (update)" stay
// correlated, and everything else costs one state for each block (property
// simulation). A callee is walked once for each distinct state that it can
// observe, and its exits are recorded. Wrappers, RAII objects, callables,
// guards, and wrappers of guards need no special rules: they are walked.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_INTERPRETER_INTERPRETER_H
#define CUDAGRAPH_ANALYSIS_INTERPRETER_INTERPRETER_H

#include "CallResolver.h"
#include "analysis/program/Roots.h"

namespace cudagraph {

/// For each loop header, the captures of the states that returned to it.
using LoopStates = std::map<unsigned, std::set<Captures>>;

class Interpreter : Walker, Part {
public:
  explicit Interpreter(Walk &W) : Part(W), Calls(W, *this) {}

  /// Walks the program from \p From and returns the facts.
  FactSet run(const Root &From);

private:
  /// The walk of one activation.
  struct Activation {
    Frame F;
    std::vector<States> In;       ///< by block
    std::vector<unsigned> Visits; ///< by block
    /// Blocks to visit. They are numbered in reverse post-order: the smallest
    /// number comes first.
    std::set<unsigned> Work;
    /// See GraphShapes::capturingLoops().
    const std::set<unsigned> *Loops = nullptr;
    /// See GraphShapes::workingLoops().
    const std::set<unsigned> *Working = nullptr;
    llvm::ArrayRef<LentSlot> Lent; ///< by operations of the function
    LoopStates Iterated;
    LoopStates Entered; ///< whose first iteration has returned
    /// True if the loop with header \p Head runs at least once in a state with
    /// the active captures \p Active.
    bool runsOnce(unsigned Head, const Captures &Active) const {
      return Loops->count(Head) || (Active.empty() && Working->count(Head));
    }
    /// For each loop header: captures whose graphs exist where the loop begins.
    std::map<unsigned, std::set<CaptureId>> CapturedBefore;
    std::map<unsigned, bool> ElementLoops; ///< by head: see visitsElements()
    /// See GraphShapes::forkingLoops().
    const std::set<unsigned> *Forks = nullptr;
    struct Round {
      unsigned Count = 0;
      unsigned Visit = 0;        ///< the visit to the header before it
      std::set<ValueId> Skipped; ///< unjoined work that some iterations join
    };
    std::map<unsigned, Round> Rounds; ///< by header of such a loop
    /// A loop whose iterations are walked separately.
    struct FewRounds {
      unsigned Count = 0;
      unsigned Index = 0;   ///< of the current iteration
      unsigned Last = 0;    ///< the last block of the loop
      bool Pending = false; ///< the header has not been visited for it yet
    };
    std::map<unsigned, FewRounds> Counted; ///< by header
    unsigned RoundsMade = 0;
    std::set<unsigned> Released; ///< loops whose bodies never returned
    bool Forced = false;         ///< conditions are no longer evaluated
    bool OfBegin = false; ///< the condition tests the begin call's result
    Returns Left;
  };

  void runAssumed(FunctionId F, RootKind Root);
  Frame topFrame(FunctionId F);
  CaptureRecord assumedCapture(State &S, const FlowGraph &G, FunctionId F,
                               RootKind Root);
  Exits walk(const Frame &Caller, State Entry) override;
  bool release(Activation &A);
  Exits exitsOf(Activation &A, const Captures &AtEntry);
  bool failsOpen(const Activation &A);
  void reportLeaks(Activation &A, const Captures &AtEntry,
                   const std::set<CaptureId> &LeftOpen, Exits &Out);
  void walkBlock(Activation &A, State S);
  void enqueue(Activation &A, unsigned To, const State &S);
  bool failsApart(const State &X, const State &Y, FunctionId F);
  void noteParting(Activation &A, const Edge &E, const State &S);
  void branch(Activation &A, State &S, const Block &B);
  bool passesBegin(const Frame &F, const Op &O, State &S);
  std::optional<State> turned(Activation &A, const Edge &E, const State &S);
  bool isInOtherElement(Frame &F, const Op &O, State &S);
  void follow(Activation &A, const Edge &E, const State &S);
  void countRounds(Activation &A, States &Current);
  std::optional<uint64_t> roundsFrom(const Activation &A, State &S);
  bool nextRound(Activation &A, unsigned Head, const State &S);
  uint64_t roundOf(const Activation &A, unsigned B) const;
  void noteRound(Activation &A, unsigned Header, const State &S);
  void keepJoins(Activation &A, const Edge &E, const State &From,
                 std::optional<State> &Changed);
  void noteEqual(const Frame &F, ExprId Cond, bool Truth, State &S);
  void noteSame(ValueId Cond, bool Truth, State &S, unsigned Depth = 0);
  void noteUnwalked(Activation &A, State &S, const Block &B, ValueId Cond,
                    std::optional<bool> Known);
  bool assumeEdge(Activation &A, const Block &B, const Edge &E, ValueId Cond,
                  std::optional<bool> Known, const State &S, State &Next);
  States exec(Frame &F, const Op &O, State S);
  States execCall(Frame &F, const Op &O, State S);
  States construct(Frame &F, const Op &O, State S);

  CallResolver Calls;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_INTERPRETER_INTERPRETER_H
