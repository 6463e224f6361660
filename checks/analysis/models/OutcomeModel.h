//===- OutcomeModel.h - The outcome of a call -------------------*- C++ -*-===//
// C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Determines the facts about a call when it is reached: the possible relations
// of its stream to the capture, the outcome of each in CUDA, and the resulting
// confidence. Harmless combinations lower the confidence; a call that is
// harmless in all of them yields no fact.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_OUTCOMEMODEL_H
#define CUDAGRAPH_ANALYSIS_MODELS_OUTCOMEMODEL_H

#include "Model.h"

namespace cudagraph {

class OutcomeModel : public Model {
public:
  using Model::Model;

  void after(Call &C, State &S) override;

private:
  using Relations = llvm::SmallVector<catalogue::StreamRelation, 6>;
  /// The severity of an outcome.
  struct Verdict {
    bool AllBad = true, EachSometimesBad = true, AnyBad = false, Fatal = true;
    bool AnyLazy = false;  ///< refused on first use
    bool AnyLarge = false; ///< refused for a large input
  };
  void reportSizes(Call &C, State &S);
  bool isOtherGetter(const Call &C, CaptureId Of) const;
  Relations relationsOf(Call &C, State &S, CaptureId Of, Fact &R);
  Verdict weigh(Call &C, State &S, CaptureId Of, const Relations &All, Fact &R);
  bool isUnused(const Call &C, const State &S) const;
  bool isConsequence(Call &C, State &S, CaptureId Of, const Relations &All,
                     const Fact &R);
  void noteBroken(Call &C, State &S, CaptureId Of);
  void noteDropped(const Call &C, const Fact &R);
  void noteEventOver(Call &C, State &S);
  void noteNoRecord(Call &C, State &S, const Relations &All, const Fact &R);
  void noteOrigin(const Call &C, Fact &R) const;
  void scopeHints(Fact &R, const Frame &F, State &S, ValueId Origin);
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_OUTCOMEMODEL_H
