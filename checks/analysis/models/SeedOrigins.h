//===- SeedOrigins.h - The origin of a kernel's seed ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is often launched far from the function that has the seed. The
// location to fix is where that function stores the seed in the arguments of
// the kernel, or passes it on.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_SEEDORIGINS_H
#define CUDAGRAPH_ANALYSIS_MODELS_SEEDORIGINS_H

#include "analysis/facts/Frame.h"
#include "analysis/facts/Walk.h"

namespace cudagraph {

/// Adds to the chain of \p R the place in the calling functions where the seed
/// of a kernel that \p F launches is stored or passed on.
void noteSeedOrigin(const Walk &W, const Frame &F, Fact &R);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_SEEDORIGINS_H
