//===- StreamView.h - Facts about streams and events ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Queries about streams, events, and captures; nothing here changes a state. An
// unknown stream stays unknown: every possible relation is kept.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_STREAMVIEW_H
#define CUDAGRAPH_ANALYSIS_MODELS_STREAMVIEW_H

#include "analysis/domain/Marks.h"
#include "analysis/domain/Memory.h"
#include "analysis/facts/Walk.h"

namespace cudagraph {

class StreamView : Part {
public:
  explicit StreamView(Walk &W) : Part(W) {}

  /// The possible relations of \p Stream to capture \p C.
  llvm::SmallVector<catalogue::StreamRelation, 6>
  relations(const State &S, CaptureId C, ValueId Stream, bool PerThread) const;

  /// The capture in which \p Stream takes part, or may take part.
  std::optional<Member> memberOf(const State &S, ValueId Stream,
                                 bool PerThread) const;

  /// Where \p Event was last recorded, if known.
  std::optional<Recorded> recordedAt(const State &S, ValueId Event) const;

  /// The kind of \p Stream, if known.
  std::optional<catalogue::StreamKind> kindOf(const State &S,
                                              ValueId Stream) const;

  /// The kind of capture \p C.
  llvm::SmallVector<catalogue::StreamKind, 2> kindsOf(const State &S,
                                                      CaptureId C) const;

  /// The stream that \p Stream, an argument of a framework operator, denotes.
  ValueId passed(const State &S, ValueId Stream) const;

  /// True for parameters of the operator that is the root, and their parts.
  bool isParameter(LocId L) const;

  /// True if \p Stream names one stream, known or not.
  bool isIdentity(ValueId Stream) const {
    ValueKind K = D[Stream].Kind;
    return K == ValueKind::Stream || K == ValueKind::Init ||
           K == ValueKind::Int;
  }

  /// True if \p Stream names the same stream in each iteration of a loop.
  bool staysSame(const State &S, ValueId Stream) const;

  /// The name of \p V in \p Map: its own, or that of all elements of its array.
  ValueId recordedAs(const FactMap &Map, ValueId V) const;

  /// The names of \p V in \p Map. An unspecified element of an array, in a
  /// loop, stands for every element with its own name.
  llvm::SmallVector<ValueId, 4> namesIn(const FactMap &Map, ValueId V) const;

  /// True for a stream or event that stands for several elements of one array.
  bool areSeveral(ValueId V) const;
  /// True if a condition decides which of several streams or events \p V is.
  bool isChoice(ValueId V) const;

  /// True if the member or global \p L contains a stream that was created for
  /// it.
  bool isOwnStream(LocId L) const;
  bool isIn(const State &S, ValueId Stream, unsigned Name) const;
  /// Remembers the members that contain \p Origin, on which a capture begins.
  void noteOrigin(const State &S, ValueId Origin) const;

  /// True if \p A and \p B may be the same element of an array.
  bool mayBeOfOneArray(ValueId A, ValueId B) const;

  /// True if \p L is one location during the whole walk: a parameter of the
  /// root, a global, or a location that these refer to.
  bool isOneObject(LocId L) const;

private:
  bool hasUnknownMember(const State &S, CaptureId C) const;
  LocId holderOf(LocId L) const;
  unsigned memberOfPlace(LocId L) const;
  bool areApart(LocId A, LocId B) const;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_STREAMVIEW_H
