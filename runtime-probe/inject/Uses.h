//===- Uses.h - The memory that a graph uses --------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds every address that a node retains. These are kernel arguments (in the
// layout that the kernel declares), the operands of copies and sets, the data
// of host functions, and the words that batches wait for or write. CUDA reports
// which of these addresses it manages, and the bounds of their memory.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_USES_H
#define CUDAGRAPH_PROBE_USES_H

#include "KernelArguments.h"
#include "Libraries.h"
#include <cstdint>
#include <vector>

namespace cudagraph::probe {

/// One allocation, or registered memory.
struct Range {
  uint64_t Base = 0, Bytes = 0;
  const char *Kind = ""; ///< device, managed, pinned, array
};

/// Host memory that a copy or a host function uses at each replay.
struct HostMemory {
  uint64_t Address = 0, Bytes = 0;
  bool Reads = true; ///< the graph does
  bool Pinned = false;
  uint64_t Hash = 0; ///< of the contents at the last check
  size_t Node = 0;   ///< index
  bool Ended = false;
};

struct NodeUses {
  CUgraphNode Node = nullptr;
  KernelHandle Kernel;
  std::vector<Word> Words;
  std::vector<Range> Other; ///< arrays and events, which have no address
};

struct Uses {
  std::vector<NodeUses> Nodes;
  std::vector<Range> Memory; ///< by address, without that of the graph itself
  std::vector<HostMemory> Host;
  std::vector<uint64_t> Communicators; ///< as NCCL kernels receive them
};

/// The memory that \p Graph and its child graphs use.
Uses usesOf(const Driver &D, CUgraph Graph);

/// The memory that holds \p Address; Bytes is 0 if CUDA does not manage any
/// there.
Range rangeOf(const Driver &D, uint64_t Address);

/// Extends \p Memory, which is sorted, with the memory to which \p Words point.
void addMemory(const Driver &D, const std::vector<Word> &Words,
               std::vector<Range> &Memory);

/// The range of \p Memory, which is sorted, that holds \p Address, or null.
const Range *find(const std::vector<Range> &Memory, uint64_t Address);

/// A hash of the contents of \p M; if \p M is large, only of its two ends.
/// \returns false if the memory is unmapped.
bool hashOf(const HostMemory &M, uint64_t &Hash);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_USES_H
