//===- Likeness.h - Functions that differ in template arguments -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernel libraries instantiate one launcher hundreds of times. An error in one
// instance is in all of them, at the same location. If there are too many
// functions to walk, instances that are alike are treated as one function.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_LIKENESS_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_LIKENESS_H

#include "Program.h"

namespace cudagraph {

/// Partitions functions. Two are alike if they were written at the same
/// location, have the same blocks and operations, and call functions that are
/// alike. Instances that `if constexpr` or a specialization makes different are
/// not alike. All kernels are alike, as are all numbers, except arguments of
/// catalogued functions.
class Likeness {
public:
  /// Partitions \p Functions; others are unique. \p InCatalogue returns whether
  /// the catalogue determines the effect of a function.
  Likeness(Program &Table, llvm::ArrayRef<FunctionId> Functions,
           llvm::function_ref<bool(FunctionId)> InCatalogue);

  /// Returns a number that functions that are alike have in common.
  uint64_t of(FunctionId F) const;

private:
  llvm::DenseMap<FunctionId, uint64_t> Class;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_LIKENESS_H
