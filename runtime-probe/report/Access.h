//===- Access.h - Memory accesses of nodes ----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operands of copies and sets are known. Only the declaration of a kernel
// is known: the kernel reads memory behind a pointer to const, and may write
// memory behind any other pointer. Nothing is known about a pointer in a
// struct.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_ACCESS_H
#define CUDAGRAPH_PROBE_ACCESS_H

#include "Trace.h"
#include "llvm/ADT/ArrayRef.h"

namespace cudagraph::probe {

struct Access {
  enum Mode { Reads, MayWrite, Writes, Unknown };
  uint64_t Address = 0;
  /// Only the first byte behind a pointer is known to be used.
  uint64_t Bytes = 1;
  Mode How = Unknown;
  size_t Node = 0;
  std::string As; ///< "argument 1", "source"

  bool writes() const { return How == Writes || How == MayWrite; }
  bool overlaps(const Access &B) const {
    return Address < B.Address + B.Bytes && B.Address < Address + Bytes;
  }
  /// The two must not overlap in time: both are known, and one of them
  /// certainly writes, or its declaration suggests that it does.
  bool conflicts(const Access &B) const {
    return How != Unknown && B.How != Unknown && (writes() || B.writes()) &&
           overlaps(B);
  }
};

/// Returns how the kernel \p Mangled uses memory through its parameter \p
/// Index.
Access::Mode modeOf(llvm::StringRef Mangled, unsigned Index);

/// All uses of \p Memory by \p Nodes; if \p Memory is empty, of any address.
std::vector<Access> accessesOf(llvm::ArrayRef<TraceNode> Nodes,
                               llvm::ArrayRef<TraceRange> Memory);

/// The uses of work outside graphs.
std::vector<Access> accessesOf(const TraceEvent &Work);

/// "node 2, kernel 'scale(float*, int)'".
std::string described(const TraceNode &N, size_t Index);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_ACCESS_H
