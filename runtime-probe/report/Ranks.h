//===- Ranks.h - Captures of NCCL's work on all ranks -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_RANKS_H
#define CUDAGRAPH_PROBE_RANKS_H

#include "Trace.h"

namespace cudagraph::probe {

/// Compares the collectives in the captures of all ranks that \p T has, and
/// adds a finding to \p R where one rank differs from another.
void compareRanks(const Trace &T, Report &R);

/// Returns "AllReduce_Sum_f32" for NCCL's kernel \p Name; empty for any other
/// kernel. The algorithm and the protocol, which NCCL chooses, are left out.
std::string collectiveOf(llvm::StringRef Name);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_RANKS_H
