//===- StepModel.h - Changes of host state in captured code -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A member that captured code uses as a counter, or a pair of buffers that it
// swaps, changes once, during the capture, and not when the graph is launched
// again. That matters if a node received the contents of the member when the
// capture began, or if the program tests it between launches. State that is the
// same at both ends of the capture, such as two buffers that are swapped twice,
// does not matter.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_STEPMODEL_H
#define CUDAGRAPH_ANALYSIS_MODELS_STEPMODEL_H

#include "Inputs.h"
#include "Model.h"
#include "NodeTable.h"

namespace cudagraph {

class StepModel : public Model {
public:
  StepModel(Services &Use, NodeTable &Nodes)
      : Model(Use), Nodes(Nodes), Sources(Use.W, Use.Calls) {}

  /// Handles a write by \p O of \p V to \p L, which contains \p Old.
  void written(const Frame &F, const Op &O, State &S, LocId L, ValueId Old,
               ValueId V);

  /// Records that the condition of the current block of \p F determines whether
  /// a loop continues.
  void noteLoop(const Frame &F, State &S);

  /// Records that uncaptured code tests the condition \p Cond of \p F.
  void noteDecision(const Frame &F, State &S, ExprId Cond, Span Where);

  void after(Call &C, State &S) override;
  void captureBegan(Frame &F, const Op &O, State &S) override;
  void captureEnded(State &S, CaptureId C) override;

  /// Reports the changes that matter.
  void conclude();

private:
  /// How captured code changes a place.
  enum class How : uint8_t {
    Sets,  ///< to a value that does not depend on the old one
    Steps, ///< adds to it, or computes it from the old value
    Turns, ///< between two values
  };
  /// Whether a place has different contents at the end of the capture.
  enum class Net : uint8_t { Same, MayDiffer, Differs };
  /// The changes of one place in one capture.
  struct Step {
    Fact At; ///< the first write
    How Kind = How::Sets;
    Net After = Net::Same;
    bool Ended = false; ///< the capture has ended, and After is known
    /// How often each write runs; 0 if unknown. The key identifies the calls
    /// that lead to the write.
    std::map<uint64_t, uint64_t> Rounds;
    bool Repeats = false; ///< a write may run more than once in the region
    bool Counts = false;  ///< an allocator counts what it returns
    /// The inputs of the indexes, if the place is any element of a container.
    llvm::SmallVector<LocId, 2> Indexes;
    Span Decides; ///< where uncaptured code tests it
    FunctionId In = None;
  };
  using Place = std::pair<CaptureId, LocId>;

  How howOf(const Frame &F, const Op &O, State &S, LocId L);
  bool outlivesRegion(const Frame &F, const State &S, LocId L) const;
  // StepRounds.cpp
  uint64_t roundsOf(const Frame &F, const State &S, uint64_t &Path) const;
  bool mayRepeat(const Frame &F, const State &S) const;
  uint64_t roundsIn(const Frame &F, unsigned From, bool OneOfMany) const;
  Net netOf(const State &S, LocId L, ValueId Begin, const Step &Of) const;
  bool isReplayed(CaptureId C, bool Seen) const;
  bool isOfOneGraph(CaptureId C) const;
  bool isSeenByLaunches(const Place &P) const;
  bool matters(const Place &P, const Step &Of) const;
  bool reportUses(const Place &P, const Step &Of);
  void reportTurns();

  NodeTable &Nodes;
  Inputs Sources;
  std::map<Place, Step> Steps;
  /// The number of iterations of each loop that captured code entered; 0: not
  /// always the same.
  std::map<std::pair<FunctionId, unsigned>, uint64_t> LoopRounds;
  std::set<CaptureId> Replayed;   ///< launched again
  std::set<CaptureId> Again;      ///< captured while their graph exists
  std::set<CaptureId> Recaptured; ///< launched only after a new capture
  /// The functions that were active when each graph was launched.
  std::set<std::pair<CaptureId, FunctionId>> LaunchedUnder;
  bool OldGraph = false; ///< the graph of an earlier call is launched
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_STEPMODEL_H
