//===- State.h - The state at a point of the program ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A state describes the program at one point, on the paths that led there.
// State.def lists its fields, and how they are treated where paths meet and
// where calls enter and leave functions. Memory.h handles reads and writes of
// memory; Truth.h handles conditions.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_DOMAIN_STATE_H
#define CUDAGRAPH_ANALYSIS_DOMAIN_STATE_H

#include "Domain.h"
#include "FlatMap.h"
#include "llvm/ADT/SmallVector.h"

namespace cudagraph {

using Memory = FlatMap;  ///< LocId -> ValueId
using FactMap = FlatMap; ///< see State.def
using Captures = llvm::SmallVector<CaptureId, 2>;

struct State {
  /// See Unparsed.
  enum Parsing : uint8_t {
    AllParsed,
    UnparsedBefore, ///< before the active capture began
    UnparsedWithin, ///< since then
  };

#define FIELD(TYPE, NAME, INITIAL, JOIN, KEY, ENTER, LEAVE) TYPE NAME = INITIAL;
#include "State.def"

  /// States with equal keys may be merged.
  bool sameKey(const State &O) const;
  /// The same, except for changes since the captures.
  bool sameButChanges(const State &O) const;
  bool operator==(const State &O) const;

  /// Records that the path passes source code that does not parse.
  void passUnparsed() {
    if (!Active.empty())
      Unparsed = UnparsedWithin;
    else if (Unparsed == AllParsed)
      Unparsed = UnparsedBefore;
  }
};

/// Most steps take one state and return one: the state is moved, never copied.
struct States : std::vector<State> {
  States() = default;
  States(State One) { push_back(std::move(One)); }
};

/// Keys of State::Gone: an object, and the target of a pointer.
inline unsigned keyOfObject(LocId L) { return L << 1; }
inline unsigned keyOfValue(ValueId V) { return V << 1 | 1; }

/// The key of State::Unjoined: \p Of may have work that \p Stream has not
/// waited for.
inline ValueId unjoinedKey(Domain &D, ValueId Of, ValueId Stream) {
  return D.value(ValueKind::Op, 0, Of, Stream, "unjoined");
}

/// The key of State::Readers: the work with the number \p Number reads the
/// memory whose address is at \p Place.
inline ValueId readerKey(Domain &D, ValueId Place, unsigned Number) {
  return D.value(ValueKind::Op, 0, Place, D.integer(Number), "read by");
}

/// The key of State::Reached: \p By, a stream or an event, follows \p Of: the
/// last work that wrote to the memory whose address is at that place, or the
/// work that a readerKey() names.
inline ValueId reachedKey(Domain &D, ValueId Of, ValueId By) {
  return D.value(ValueKind::Op, 0, Of, By, "reached");
}

/// The key of State::Running for a launch of \p Exec on \p Stream; \p Choice:
/// the ElementChoice::number() of both.
inline ValueId runningKey(Domain &D, ValueId Exec, ValueId Stream,
                          int64_t Choice = 0) {
  return D.value(ValueKind::Op, Choice, Exec, Stream, "running");
}

/// The key of State::Precedes: \p By, a stream or an event, follows the launch
/// \p Key of State::Running.
inline ValueId precedesKey(Domain &D, ValueId Key, ValueId By) {
  return D.value(ValueKind::Op, 0, Key, By, "precedes");
}

/// A value in State::Captured: an earlier iteration of the innermost loop
/// captured the graph, for the container element that the iteration visited.
inline constexpr unsigned OfOtherElement = 2;

/// Variables whose possible contents are no longer counted. A member that
/// contains one of a few numbers may be the current step of an object, so its
/// contents are counted longest.
enum class Widen { Nothing, AllButNumbersOfMembers, Everything };

/// Joins \p New into \p Into where their paths meet, at \p Site; returns true
/// if \p Into now represents more possibilities. \p Wide: stop counting the
/// possible contents of these variables, so that loops converge. Adds the cost
/// to \p Steps.
bool join(Domain &D, State &Into, const State &New, int64_t Site, Widen Wide,
          uint64_t &Steps);

/// Records that the program may have waited for all launches.
inline void waitForLaunches(State &S) {
  S.Running = FactMap();
  for (const FactMap::Item &I : FactMap(S.RunningEach))
    S.RunningEach.set(I.Key, I.Data | 1);
}

/// Records that code that is not visible may have joined streams to \p Stream;
/// None: to any stream.
void blurUnjoined(const Domain &D, FactMap &Unjoined, ValueId Stream);
inline void blurUnjoined(const Domain &D, State &S, ValueId Stream) {
  blurUnjoined(D, S.Unjoined, Stream);
  S.Writers = FactMap();
  S.Readers = FactMap();
  waitForLaunches(S);
}

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_DOMAIN_STATE_H
