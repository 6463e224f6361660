//===- Graphs.h - The graphs that can be launched ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tracks which executable graphs exist and which memory they use, to
// distinguish a harmless free from one that affects a graph. Thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_GRAPHS_H
#define CUDAGRAPH_PROBE_GRAPHS_H

#include "Stack.h"
#include "Uses.h"
#include <map>
#include <memory>
#include <mutex>

namespace cudagraph::probe {

/// The data of a capture that its graph retains.
struct Captured {
  unsigned Capture = 0;
  size_t Nodes = 0; ///< that it had at the end of the capture
  long Thread = 0;
  /// Host memory on that thread's stack, and the activation that owns it.
  std::vector<std::pair<uint64_t, Activation>> OnStack;
};

struct Exec {
  unsigned Id = 0;
  Captured From;
  Uses Holds;
  bool Freed = false;    ///< its memory was freed
  unsigned Reported = 0; ///< launches since
};

class Graphs {
public:
  /// Called when a capture has ended with \p Graph.
  void captured(CUgraph Graph, Captured From);
  /// The capture that \p Graph results from; Capture is 0 if there is none.
  Captured origin(CUgraph Graph);
  void forget(CUgraph Graph);

  /// Records that \p Handle is a new exec, or has become a different one.
  /// Returns its number.
  unsigned add(CUgraphExec Handle, Exec E);
  /// Returns the number of the previous one, or 0.
  unsigned remove(CUgraphExec Handle);
  /// Returns the exec, which does not change while the result is held; or null.
  std::shared_ptr<const Exec> find(CUgraphExec Handle);
  /// Replaces the data about \p Handle.
  void replace(CUgraphExec Handle, std::shared_ptr<const Exec> E);

  /// Records that the memory at \p Address has been freed. Returns its size and
  /// the execs that use any part of it, which are marked as Freed from now on.
  /// \p Bytes: if it is known.
  std::vector<unsigned> freed(uint64_t Address, uint64_t &Bytes);
  /// The same for host memory that CUDA does not manage.
  std::vector<unsigned> hostFreed(uint64_t Address, uint64_t Bytes);
  /// Adds the address and size of each use of such memory to \p To.
  void addHostMemory(std::vector<std::pair<uint64_t, uint64_t>> &To);
  /// True if an exec uses the allocation that holds \p Address.
  bool isUsed(uint64_t Address);
  bool anyFreed();

private:
  struct Shared {
    uint64_t Bytes = 0;
    std::map<CUgraphExec, unsigned> Execs;
  };
  std::mutex Lock;
  unsigned Count = 0;
  std::map<CUgraph, Captured> Origins;
  std::map<CUgraphExec, std::shared_ptr<const Exec>> Live;
  std::map<uint64_t, Shared> Memory; ///< by where it begins

  void drop(CUgraphExec Handle);
};

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_GRAPHS_H
