//===- Truth.h - Facts of a state about conditions --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls are assumed to succeed: replays do not repeat code after a failure.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_DOMAIN_TRUTH_H
#define CUDAGRAPH_ANALYSIS_DOMAIN_TRUTH_H

#include "State.h"

namespace cudagraph {

/// Returns whether \p V is true; nothing if that is unknown.
std::optional<bool> truth(Domain &D, const State &S, ValueId V);

/// Returns true if \p V is the result of an API call, or of one of several:
/// zero unless a call fails.
bool isStatus(const Domain &D, ValueId V);

/// Returns true if \p V combines earlier results with the result of an API
/// call, or with a test of it, as in `status |= call()` and `ok &= call() ==
/// 0`: it differs from the earlier contents only if a call fails.
bool accumulatesStatus(const Domain &D, ValueId V);

/// Returns true if \p V is, or tests, the result of the API call \p Call: the N
/// of a Status. If \p V accumulates results, the last one counts. Returns
/// nothing if \p V contains no result.
std::optional<bool> isStatusOf(const Domain &D, ValueId V, int64_t Call);

/// Returns true if the condition \p V involves only constants and contents that
/// the walk has not seen the program write.
bool isOfInputs(const Domain &D, ValueId V);

/// Returns true if \p V is the same number wherever it appears: it is not the
/// result of a call, which a later call may change.
bool isStable(const Domain &D, ValueId V);

/// Returns the values of the phi \p V that may be \p Truth. For one that is the
/// negation of a comparison, returns the comparison.
llvm::SmallVector<ValueId, 4> candidatesThatAre(Domain &D, const State &S,
                                                ValueId V, bool Truth);

/// Assumes that \p V is \p Truth from now on.
void assume(Domain &D, State &S, ValueId V, bool Truth);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_DOMAIN_TRUTH_H
