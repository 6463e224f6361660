//===- Limits.h - Bounds of walks -------------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every bound is counted in deterministic units, never in time, so that a run
// can be repeated. A bound that is hit makes the result incomplete, and what is
// found after it is at most possible.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_LIMITS_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_LIMITS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>

namespace llvm {
class BitVector;
}

namespace cudagraph {

/// A block is visited at most this often in one walk.
inline constexpr unsigned MaxVisits = 24;

/// From this visit on, joins stop counting what a variable may hold.
inline constexpr unsigned WidenAfter = 3;

/// Rounds that a loop makes which forks streams or joins them: of the elements
/// of an array, the first and any other.
inline constexpr unsigned FullRounds = 2;

/// Rounds of a loop over streams or events that are walked one by one, and all
/// of them in one function.
inline constexpr unsigned MaxFewRounds = 8, MaxRoundsMade = 64;

/// Operations interpreted from one root, and the number from which on fewer
/// differences between calls count: see Widening.h.
inline constexpr uint64_t MaxSteps = 3'000'000, ManySteps = 60'000;

/// Work of all walks of a run, in steps and WalkCost for each function that is
/// entered; so much, and so much more for each function of the program. Later
/// walks are as small as ManySteps allows.
inline constexpr uint64_t WalkCost = 8, MaxRunWork = 40'000'000,
                          MaxRunWorkPerFunction = 2'000;

/// From so much work of a run on, walks of functions that take a stream do not
/// go on, from so deep on, into others that have a walk of their own.
inline constexpr uint64_t ManyRunWork = 200'000, ManyRunWorkPerFunction = 25;
inline constexpr unsigned NearCalls = 8;

/// States of one block that differ in what captures.
inline constexpr unsigned MaxStates = 8;

/// The two ways out of a branch are compared over so many blocks.
inline constexpr unsigned MaxArmBlocks = 500;

/// Streams that have joined, and events that were recorded; of more, as in a
/// recursion over streams, nothing is claimed.
inline constexpr unsigned MaxStreams = 24, MaxEvents = 48;

/// Entries of the timeline of one capture.
inline constexpr unsigned MaxTimeline = 400;

/// Places that captured code changes; of more, nothing is claimed.
inline constexpr unsigned MaxStepped = 256;

/// What nodes keep is remembered of so many arguments.
inline constexpr unsigned MaxKept = 8192;

/// From so deep on, calls of one function within each other end here.
inline constexpr unsigned ManyFrames = 64, EnoughRecursion = 2;

/// Functions that call each other and open captures are walked so often in
/// ever new states while calls of them are within each other.
inline constexpr unsigned EnoughCaptureWalks = 40;

/// Deeper calls are treated as unknown.
inline constexpr unsigned MaxDepth = 200;

/// A function that reaches more functions than this is not walked where nothing
/// captures and it begins no capture.
inline constexpr unsigned ManyCallees = 250;

/// Graphs of at most so many blocks may be walked twenty times as often.
inline constexpr unsigned SmallGraph = 24;

/// In a large program, a callee that is walked so often is not walked again.
inline constexpr unsigned EnoughWalks = 12;

/// Walks of one callee after which its numbers, then its memory, stop counting,
/// and after which it is not walked any more.
inline constexpr unsigned ManyWalks = 12, VeryManyWalks = 40, HugeWalks = 120,
                          TooManyWalks = 400;

/// What one walk may cost.
struct WalkLimits {
  uint64_t Steps = MaxSteps;
  /// Functions with a walk of their own, by FunctionId, into which this one
  /// need not go far away from its root; or null.
  const llvm::BitVector *Elsewhere = nullptr;
  /// Says that the run has no more time; may be null. Without it, a result
  /// depends on the program alone.
  llvm::function_ref<bool()> OutOfTime = nullptr;
  /// For tests: walks what is remembered once more, and compares; see
  /// Walk::Rechecked.
  bool Recheck = false;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_LIMITS_H
