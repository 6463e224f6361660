//===- Conditions.h - What else decides an outcome --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers the catalogue's conditions for one call: where its event was
// recorded, whose memory it frees, what its handle and its thread are. What
// cannot be known is left open, and the finding then names every outcome.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_CONDITIONS_H
#define CUDAGRAPH_ANALYSIS_MODELS_CONDITIONS_H

#include "TensorTraits.h"

namespace cudagraph {

class Conditions : Part {
public:
  Conditions(Walk &W, const StreamView &Streams, const TensorTraits &Tensors)
      : Part(W), Streams(Streams), Tensors(Tensors) {}

  /// Whether condition \p X of a catalogue row holds for this call; nothing
  /// where that cannot be known.
  std::optional<bool> holds(const Call &C, const State &S,
                            catalogue::Condition X) const;

  /// The event that a waiting or asking call is about; of two, the one that the
  /// capture recorded.
  std::optional<ValueId> eventOf(const Call &C, const State &S) const;

private:
  std::optional<bool> holdsOfEvent(const Call &C, const State &S,
                                   catalogue::Condition X) const;

  const StreamView &Streams;
  const TensorTraits &Tensors;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_CONDITIONS_H
