//===- KernelStores.h - The bodies of kernels -------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel need not write to the target of a pointer to non-const data: only
// stores in the body of the kernel count. A kernel need not depend on the size
// of its grid. Hosts do not parse the bodies of all kernels, so their tokens
// are searched.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_KERNELSTORES_H
#define CUDAGRAPH_ANALYSIS_LOWER_KERNELSTORES_H

#include "llvm/ADT/StringRef.h"

namespace clang {
class FunctionDecl;
}

namespace cudagraph {

/// The elements that the body of a kernel writes through one of its parameters.
struct KernelStore {
  bool Exists = false;
  /// No other parameter selects the elements: two launches of the kernel write
  /// to the same ones. A limit for the index, such as `i < n`, does not count.
  bool Whole = false;
  /// The same elements for each thread, and not only the first one: the edges
  /// of an array, such as `u[0]` and `u[n + 1]`.
  bool Edges = false;
};

/// Returns the stores of \p Kernel to the target of its parameter number
/// \p Param; none if the source does not contain the body. If the parameter is
/// an object, \p Member is the name of the pointer in it, and \p Only is true
/// if it has no other pointer: its operators lead to the same target.
KernelStore storeThrough(const clang::FunctionDecl *Kernel, unsigned Param,
                         llvm::StringRef Member = "", bool Only = false);

/// True if \p Kernel has a grid-stride loop: each thread advances by the size
/// of the grid, in each dimension that the body uses, so that any grid
/// processes all elements. Their number must come from memory, not from a
/// parameter that is passed by value. False if the source does not contain the
/// body.
bool hasGridStrideLoop(const clang::FunctionDecl *Kernel);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_KERNELSTORES_H
