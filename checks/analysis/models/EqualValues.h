//===- EqualValues.h - Values that are those of the capture -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comparisons and the writes after captures: on the path on which a value
// equals its copy from the last capture or update, the graph does not miss the
// writes of that value.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_EQUALVALUES_H
#define CUDAGRAPH_ANALYSIS_MODELS_EQUALVALUES_H

#include "Comparisons.h"

namespace cudagraph {

/// The writes after captures.
class ChangeList {
public:
  virtual ~ChangeList() = default;

  struct Entry {
    LocId At;     ///< the written place
    ValueId To;   ///< its new contents
    CaptureId Of; ///< the capture before the write
  };

  /// Returns the write with the number \p Id in State::Changes.
  virtual Entry changeAt(unsigned Id) const = 0;

  /// Called after State::Changes of \p S has changed.
  virtual void settle(State &S) const = 0;
};

class EqualValues : Part {
public:
  EqualValues(Walk &W, Invoker &Calls, const ChangeList &Changes)
      : Part(W), Calls(Calls), Changes(Changes), Compared(W, Calls) {}

  /// Handles the path that continues with \p S, on which the value \p X was
  /// found to equal \p Y: if one of them was written, it has its earlier value.
  void noteSame(State &S, ValueId X, ValueId Y);

  /// Handles the path that continues with \p S, on which the expressions \p X
  /// and \p Y of \p F are equal: a copy of a place shows that the place has not
  /// changed.
  void noteEqual(const Frame &F, State &S, ExprId X, ExprId Y);

  /// The same, if \p Truth is the result of call number \p Index, perhaps of an
  /// operator that compares objects.
  void noteEqualObjects(const Frame &F, State &S, int64_t Index, bool Truth);

  /// The same, if one of \p Equal, the values of earlier comparisons, is true.
  void noteDecided(State &S, llvm::ArrayRef<ValueId> Equal);

  /// Handles comparisons in \p E of \p F, whose value is stored or returned.
  void noteCompared(const Frame &F, State &S, ExprId E,
                    Comparisons::Evaluate Eval);

private:
  void unchanged(State &S, const Comparisons::Unchanged &Same,
                 ValueId Held = None);

  Invoker &Calls;
  const ChangeList &Changes;
  Comparisons Compared;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_EQUALVALUES_H
