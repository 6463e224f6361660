//===- Timeline.h - The events of a region, in order ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stores the events of the walk while a capture is active, for the pictures in
// reports; nothing else depends on them. A location is stored once for each
// stream: the walk of a callee that serves many calls appears at the first of
// them.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_TIMELINE_TIMELINE_H
#define CUDAGRAPH_ANALYSIS_TIMELINE_TIMELINE_H

#include "analysis/domain/Marks.h"
#include "analysis/facts/Sink.h"
#include <map>

namespace cudagraph {

class Timeline : Part {
public:
  Timeline(Walk &W, Sink &Facts) : Part(W), Facts(Facts) {}

  /// Adds \p H to the innermost capture, or to the capture in which \p Stream
  /// takes part; \p In is the capture in which it may take part. Without a
  /// stream, it is a host event.
  void happen(const Frame &F, const State &S, Happening H, ValueId Stream,
              std::optional<Member> In);

  /// Records that capture \p C begins.
  void begin(const Frame &F, CaptureId C);

  /// Records that capture \p C ends at \p Where.
  void end(const Frame &F, CaptureId C, Span Where);

  /// Copies the timeline of capture \p Inner to capture \p Outer, where the
  /// events are one call deeper.
  void inherit(CaptureId Inner, CaptureId Outer);

  /// Inserts the events of facts and finds a name for each stream and event.
  void finish();

private:
  void add(const Frame &F, CaptureId C, Happening H);
  ValueId laneOf(ValueId V, Span Text, bool Guess = false);

  Sink &Facts;
  /// For each capture, location, and Happening::Lane: the contents of the
  /// timeline.
  std::map<std::tuple<CaptureId, unsigned, ValueId>, unsigned> Happened;
  /// Indexed by the array and the spelling of an element.
  std::map<std::pair<ValueId, std::string>, ValueId> LanesByName;
  llvm::DenseMap<ValueId, ValueId> LaneOf;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_TIMELINE_TIMELINE_H
