//===- Conditions.h - The catalogue's conditions ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates the catalogue's conditions for one call: where its event was
// recorded, which memory it frees, and the state of its handle and its thread.
// Unknown conditions stay open, and the finding then names every outcome.
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

  /// Whether condition \p X of a catalogue row holds for this call; nothing if
  /// it is unknown.
  std::optional<bool> holds(const Call &C, const State &S,
                            catalogue::Condition X) const;

  /// The event of a waiting or querying call; of two, the one that the capture
  /// recorded.
  std::optional<ValueId> eventOf(const Call &C, const State &S) const;

private:
  std::optional<bool> holdsOfEvent(const Call &C, const State &S,
                                   catalogue::Condition X) const;

  const StreamView &Streams;
  const TensorTraits &Tensors;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_CONDITIONS_H
