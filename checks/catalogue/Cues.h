//===- Cues.h - Texts of steps that a run can confirm -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The chain of a finding about a replay has a step at the line whose execution
// makes the replay wrong. The rules write these texts, and the comparison with
// a run recognizes them, so a change here applies to both.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_CATALOGUE_CUES_H
#define CUDAGRAPH_CATALOGUE_CUES_H

#include <string_view>

namespace cudagraph::cue {

// A value that the graph retains.
inline constexpr char Changes[] = "it changes here";
inline constexpr char Set[] = "it is set here";
inline constexpr char ChangedBy[] = "this call changes it";
inline constexpr char Read[] = "the value is read here";
inline constexpr char Drawn[] = "the number is drawn here";
inline constexpr char Launched[] = "the graph is launched here";
inline constexpr char LaunchedAgain[] = "the graph is launched again here";

// A launch that CUDA refuses.
inline constexpr char SecondLaunch[] =
    " at the second launch of the graph"; // in the message

// A capture that a path leaves active.
inline constexpr char LaterWaits[] =
    "later waits for it return "; // in the message
inline constexpr char Thrown[] = "it is thrown here";
inline constexpr char Exchanged[] = "the mode is exchanged here";
inline constexpr char InThread[] = "the thread calls it here";

// Memory that the graph uses, and the graph.
inline constexpr char Freed[] = "it is freed here";
inline constexpr char FreedBy[] = "this call frees it";
inline constexpr char GraphDestroyed[] = "it is destroyed here";
inline constexpr char Replaced[] = "its memory is replaced here";
inline constexpr char Recycled[] = "it returns to the pool here";
inline constexpr char Moved[] = "the elements may move here";
inline constexpr char Scope[] = "it goes out of scope with this variable";
inline constexpr char Temporary[] = "a temporary"; // in the message
inline constexpr char Destroyed[] = "it is destroyed with this variable";

// Work that another stream does not wait for.
inline constexpr char RecordedEarly[] =
    "the event is recorded here, before that work";

/// True if \p Message is the text of a step that explains a finding, and not of
/// a call on the path from the beginning of the capture.
constexpr bool isCue(std::string_view Message) {
  for (std::string_view Each :
       {Changes, Set, ChangedBy, Read, Drawn, Launched, LaunchedAgain, Thrown,
        Exchanged, InThread, Freed, FreedBy, GraphDestroyed, Replaced, Recycled,
        Moved, Scope, Destroyed, RecordedEarly})
    if (Message == Each)
      return true;
  return false;
}

} // namespace cudagraph::cue

#endif // CUDAGRAPH_CATALOGUE_CUES_H
