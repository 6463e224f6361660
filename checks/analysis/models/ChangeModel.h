//===- ChangeModel.h - Changes between replays ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph repeats the numbers from its capture. This model follows the writes
// of the program between the capture and a launch of its graph. If a node
// received a number that was read at the written place, the launch uses the old
// number. A new capture, or an update of the graph, removes the difference.
//
// The first call to a function may capture and later calls launch, so every
// root other than `main` starts with a graph that an earlier call has captured.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_CHANGEMODEL_H
#define CUDAGRAPH_ANALYSIS_MODELS_CHANGEMODEL_H

#include "CapturedCalls.h"
#include "EqualValues.h"
#include "Inputs.h"
#include "Model.h"
#include "NewObjects.h"
#include "NodeTable.h"
#include "Renewals.h"

namespace cudagraph {

class ChangeModel : public Model, ChangeList {
public:
  ChangeModel(Services &Use, NodeTable &Nodes)
      : Model(Use), Equal(Use.W, Use.Calls, *this), Nodes(Nodes),
        Capturing(Use.W, Use.Calls, Nodes), Renewed(Use.W), Made(Use.W) {}

  /// Called when the walk enters root \p F with \p S.
  void enterRoot(FunctionId F, State &S);

  /// Handles a write by \p O of \p V to \p L, which contains \p Old.
  void written(const Frame &F, const Op &O, State &S, LocId L, ValueId Old,
               ValueId V);

  /// Handles the call \p O, in \p F, of \p Callee with \p Args: parameters on
  /// which the nodes of an earlier capture depend may now have different
  /// values.
  void passed(const Frame &F, const Op &O, State &S, FunctionId Callee,
              llvm::ArrayRef<ValueId> Args, ValueId This);

  /// Places and their contents.
  using Outputs = llvm::SmallVector<std::pair<LocId, ValueId>, 2>;

  /// Returns the variables whose addresses \p C receives, and to which it may
  /// write.
  Outputs outputsOf(const Call &C, const State &S) const;

  /// Called after \p C has written to the places of \p Before.
  void writtenBy(const Call &C, State &S, const Outputs &Before);

  /// Records that an executable graph may have been abandoned: nothing shows
  /// that an old one is launched.
  static void gaveUp(State &S) {
    S.Changes = FactMap();
    S.Unsettled = 0;
  }

  /// Handles the end of the variable \p Var, or, for None, of the graphs in all
  /// variables of \p F. The variable has no value at a later launch, and
  /// nothing launches the graphs that only this variable contains.
  void ended(const Frame &F, State &S, LocId Var);

  /// Handles the removal of all elements of the container at \p L: nothing
  /// launches the graphs that only they contain.
  void cleared(const Frame &F, State &S, LocId L);

  /// Handles the path that continues with \p S, on which \p V is null.
  void noteNull(State &S, ValueId V);

  /// Handles a call to several callables. Each of the states \p After has
  /// called a different one; from \p Before, all of them are called, in any
  /// order. A graph that one of them abandons is abandoned in all states.
  void calledEach(const State &Before, llvm::MutableArrayRef<State> After);

  void after(Call &C, State &S) override;
  void captureBegan(Frame &F, const Op &O, State &S) override;
  void captureEnded(State &S, CaptureId C) override;

  /// Examines the launches that followed, for the nodes that retain the written
  /// place.
  void conclude();

  EqualValues Equal;

private:
  struct Change {
    LocId At = None;
    Span Where;
    FunctionId In = None;
    CaptureId Of = 0; ///< the capture before it
    bool Steps = false;
    ValueId To = None;  ///< the written value
    bool Again = false; ///< one of a few values was selected again
    bool Adds =
        false; ///< a table has an additional element, and keeps the others
    bool Container = false; ///< a container has different elements
    bool Passed = false;    ///< a later call passes a different number
    /// And the key that selects the graph is the same.
    bool SameKey = false;
    /// It is in a loop in which each iteration repeats the capture: one of
    /// several graphs has the value of its iteration.
    bool Renews = false;
    std::vector<LocId> From = {}; ///< the inputs of that value
    bool Lossy = false; ///< several values of an input lead to that value
    std::vector<unsigned> Via = {}; ///< where the calls to it begin
    Span Call = {};                 ///< see VaryingValue
    FunctionId CallIn = None;
    bool operator<(const Change &O) const {
      return std::tie(At, Where.Begin, Of, To) <
             std::tie(O.At, O.Where.Begin, O.Of, O.To);
    }
  };
  /// A launch after a change.
  struct Launch {
    Span Where;
    FunctionId In = None;
    ValueId Now = None; ///< the contents of the place at that time
    Renewals::Blocks Blocks = {};
  };
  void note(State &S, Change C);
  void settle(State &S) const override;
  Entry changeAt(unsigned Id) const override {
    return {Changes[Id].At, Changes[Id].To, Changes[Id].Of};
  }
  void drop(State &S, llvm::function_ref<bool(CaptureId)> IsGone) const;
  void launched(const Call &C, State &S);
  void noteKey(llvm::ArrayRef<CaptureId> Of, const Inputs::Places &From);
  void filed(const Call &C, State &S);
  void noteElement(const Frame &F, State &S, ExprId Place, LocId L, ValueId V);
  void noteTables(const State &S, llvm::ArrayRef<CaptureId> Of);
  Inputs::Places givenBy(const Call &C, State &S);
  void updated(Call &C, State &S);
  void dropped(const Call &C, State &S);
  bool differsNextCall(ValueId V) const;
  bool isPassing(const Frame &F, LocId L) const;
  bool isDecidedAgain(const Frame &F, State &S, ValueId V) const;
  bool isInput(LocId L) const;
  bool abandons(const Frame &F, const State &S, LocId L, ValueId Old,
                ValueId V) const;
  bool isKeyed(LocId L) const;
  bool isSizeRecorded(LocId L) const;
  bool isStale(const Retained &K, const Retained::Input &From, unsigned Id,
               const Launch &At) const;
  bool mayBeChosenBy(const Retained &K, const Retained::Input &From,
                     const Change &C) const;
  bool concerns(const Retained &K, const Change &C) const;
  void report(const Retained &K, LocId Input, const Change &C,
              const Launch &At);
  llvm::StringRef stateName(LocId L) const {
    return cudagraph::stateName(D, L);
  }

  NodeTable &Nodes;
  CapturedCalls Capturing;
  Renewals Renewed;
  std::vector<Change> Changes;
  std::map<Change, unsigned> Ids;
  std::map<unsigned, Launch> Launches; ///< by change
  NewObjects Made;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_CHANGEMODEL_H
