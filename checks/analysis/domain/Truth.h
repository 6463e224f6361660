//===- Truth.h - What a state knows of conditions ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls succeed: what a failure leads to is not what replays repeat.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_DOMAIN_TRUTH_H
#define CUDAGRAPH_ANALYSIS_DOMAIN_TRUTH_H

#include "State.h"

namespace cudagraph {

/// Says whether \p V is true; nothing where that is not known.
std::optional<bool> truth(Domain &D, const State &S, ValueId V);

/// Takes \p V to be \p Truth from here on.
void assume(Domain &D, State &S, ValueId V, bool Truth);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_DOMAIN_TRUTH_H
