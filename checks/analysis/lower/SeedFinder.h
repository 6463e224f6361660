//===- SeedFinder.h - Kernels that seed generators --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one thing that is looked for in the body of a kernel: generators of
// random numbers that start again at each launch.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_SEEDFINDER_H
#define CUDAGRAPH_ANALYSIS_LOWER_SEEDFINDER_H

#include "LibraryShape.h"

namespace cudagraph {

/// True if the body of \p Kernel, a definition, seeds a generator with numbers
/// that do not come from memory: each replay of a graph repeats them.
bool seedsGenerator(const clang::FunctionDecl *Kernel, LibraryNames &Names);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_SEEDFINDER_H
