//===- Likeness.h - Functions that differ in template arguments -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernel libraries instantiate one launcher hundreds of times. What is wrong in
// one is wrong in all of them, at the same place; where there is too much to
// walk, they count as one function.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_LIKENESS_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_LIKENESS_H

#include "Program.h"

namespace cudagraph {

/// Partitions functions. Two are alike if they were written at the same place,
/// have the same blocks and operations, and call functions that are alike.
/// Instances that `if constexpr` or a specialization makes different are not
/// alike. All kernels are alike, and so are all numbers, except arguments of
/// functions that the catalogue knows.
class Likeness {
public:
  /// Looks at \p Functions; others are like no other. \p InCatalogue says
  /// whether what a function does is decided by the catalogue.
  Likeness(Program &Table, llvm::ArrayRef<FunctionId> Functions,
           llvm::function_ref<bool(FunctionId)> InCatalogue);

  /// The same for functions that are alike, whatever their numbers.
  uint64_t of(FunctionId F) const;

private:
  llvm::DenseMap<FunctionId, uint64_t> Class;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_LIKENESS_H
