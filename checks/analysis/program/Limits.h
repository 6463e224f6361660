//===- Limits.h - The bounds of walks ---------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every bound is counted in deterministic units, never in time, so that a run
// can be repeated. If a bound is reached, the result is incomplete, and later
// findings are at most possible.
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

/// The maximum number of visits to a block in one walk.
inline constexpr unsigned MaxVisits = 24;

/// From this visit on, joins stop counting the possible contents of a variable,
/// and the numbers that a member can have: enough visits remain for the code
/// that depends on them.
inline constexpr unsigned WidenAfter = 3, WidenMembersAfter = 10;

/// The number of iterations of a loop that forks or joins streams: for the
/// elements of an array, the first and any other.
inline constexpr unsigned FullRounds = 2;

/// The maximum number of iterations of a loop over streams or events that are
/// walked separately, and their maximum total in one function.
inline constexpr unsigned MaxFewRounds = 8, MaxRoundsMade = 64;

/// The maximum number of operations interpreted from one root, and the number
/// after which fewer differences between calls count: see Widening.h.
inline constexpr uint64_t MaxSteps = 3'000'000, ManySteps = 60'000;

/// The maximum work of all walks of a run, in steps: a fixed amount, an amount
/// for each function of the program, and WalkCost for each function that is
/// entered. Later walks are limited to ManySteps.
inline constexpr uint64_t WalkCost = 8, MaxRunWork = 40'000'000,
                          MaxRunWorkPerFunction = 2'000;

/// Once a run has done this amount of work, walks of functions with a stream
/// parameter no longer enter functions that have a separate walk and are at
/// this depth or deeper.
inline constexpr uint64_t ManyRunWork = 200'000, ManyRunWorkPerFunction = 25;
inline constexpr unsigned NearCalls = 8;

/// The maximum number of states of one block that differ in their captures.
inline constexpr unsigned MaxStates = 8;

/// The maximum number of states of one block that differ only in what has
/// changed since a capture.
inline constexpr unsigned MaxChangedStates = 4;

/// The size of the largest set of captures or changes that distinguishes two
/// calls; MaxOnGraphs applies to callees that capture, launch, or drop graphs.
inline constexpr unsigned MaxDistinguishing = 3;
inline constexpr unsigned MaxOnGraphs = 16;

/// The maximum number of blocks for which the two branches are compared.
inline constexpr unsigned MaxBranchBlocks = 500;

/// The maximum numbers of streams that have joined and of events that were
/// recorded. Beyond these numbers, as in a recursion over streams, the analysis
/// makes no claims.
inline constexpr unsigned MaxStreams = 24, MaxEvents = 48;

/// The maximum number of entries of the timeline of one capture.
inline constexpr unsigned MaxTimeline = 400;

/// The maximum number of places that captured code changes. Beyond this number,
/// the analysis makes no claims.
inline constexpr unsigned MaxStepped = 256;

/// The maximum number of arguments whose retained values are recorded.
inline constexpr unsigned MaxRetained = 8192;

/// The depth at which recursive calls to one function are no longer followed.
inline constexpr unsigned ManyFrames = 64, EnoughRecursion = 2;

/// The number of walks, each in a new state, of functions that call each other
/// and open captures, while calls to them are active.
inline constexpr unsigned EnoughCaptureWalks = 40;

/// Deeper calls are treated as unknown.
inline constexpr unsigned MaxDepth = 200;

/// A function that reaches more functions than this is not walked outside
/// captures unless it begins a capture.
inline constexpr unsigned ManyCallees = 250;

/// If more callables than this are converted to a type, nested calls through
/// that type are not followed: each of these callables is already walked for
/// the outer call.
inline constexpr unsigned ManyOfType = 48;

/// Graphs with at most this number of blocks may be walked twenty times as
/// often.
inline constexpr unsigned SmallGraph = 24;

/// If the encodings of the flow graphs in memory are larger, they are freed
/// while functions are scanned.
inline constexpr size_t MostGraphBytes = size_t(2) << 20;

/// In a large program, a callee is not walked again after this many walks.
inline constexpr unsigned EnoughWalks = 12;

/// Numbers of walks of one callee after which states that differ only in
/// numbers, and then in memory, count as equal. After the last one, the callee
/// is not walked again.
inline constexpr unsigned ManyWalks = 12, VeryManyWalks = 40, HugeWalks = 120,
                          TooManyWalks = 400;

/// The maximum cost of one walk.
struct WalkLimits {
  uint64_t Steps = MaxSteps;
  /// Functions with a separate walk, by FunctionId, which this one need not
  /// enter far from its root; or null.
  const llvm::BitVector *Elsewhere = nullptr;
  /// Returns whether the run has reached its time limit; may be null. Without
  /// it, a result depends only on the program.
  llvm::function_ref<bool()> OutOfTime = nullptr;
  /// For tests: repeats walks whose results are cached, and compares the
  /// results; see Walk::Rechecked.
  bool Recheck = false;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_LIMITS_H
