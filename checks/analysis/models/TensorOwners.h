//===- TensorOwners.h - The owners of host tensors --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy in a graph reads host memory on each replay. The memory of a tensor
// returns to its allocator when the last reference to the tensor ends.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_TENSOROWNERS_H
#define CUDAGRAPH_ANALYSIS_MODELS_TENSOROWNERS_H

#include "Call.h"

namespace cudagraph {

/// The part of a tensor that stands for its memory.
inline constexpr llvm::StringLiteral TensorMemory = "device elements";

/// The local variable of \p F that is the only reference to the tensor whose
/// memory is at \p L, if that is host memory; otherwise None.
LocId ownerOfTensor(const Domain &D, const Frame &F, const State &S, LocId L);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_TENSOROWNERS_H
