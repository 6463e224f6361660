//===- SeedFinder.h - Kernels that seed generators --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that seeds a random number generator from arguments passed by value
// draws the same numbers on each replay of a graph. The device functions that a
// kernel calls are examined, each of them once.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_SEEDFINDER_H
#define CUDAGRAPH_ANALYSIS_LOWER_SEEDFINDER_H

#include "LibraryShape.h"
#include "llvm/ADT/DenseMap.h"

namespace cudagraph {

class SeedFinder {
public:
  explicit SeedFinder(LibraryNames &Names) : Names(Names) {}

  /// True if \p Kernel, a definition, seeds a generator with numbers that do
  /// not come from memory.
  bool seedsGenerator(const clang::FunctionDecl *Kernel);

  /// The seed of one generator: the parameters of the function that determine
  /// it, as bits. Bit OfObject stands for the object of a method.
  using Source = uint64_t;
  static constexpr unsigned OfObject = 63;

private:
  friend class SeedVisitor;

  const llvm::SmallVector<Source, 1> &sourcesOf(const clang::FunctionDecl *F,
                                                unsigned Depth);

  LibraryNames &Names;
  llvm::DenseMap<const clang::FunctionDecl *, llvm::SmallVector<Source, 1>>
      Known;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_SEEDFINDER_H
