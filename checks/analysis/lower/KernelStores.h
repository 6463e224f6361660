//===- KernelStores.h - What a kernel writes --------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A parameter that points to data that is not const need not be written: only
// stores that the body of the kernel shows count. Hosts do not parse the bodies
// of all kernels, so their tokens are searched.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_KERNELSTORES_H
#define CUDAGRAPH_ANALYSIS_LOWER_KERNELSTORES_H

namespace clang {
class FunctionDecl;
}

namespace cudagraph {

/// Returns whether the body of \p Kernel assigns to the target of its parameter
/// number \p Param; false if the source does not contain the body.
bool storesThrough(const clang::FunctionDecl *Kernel, unsigned Param);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_KERNELSTORES_H
