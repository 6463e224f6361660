//===- Graphs.h - The graphs that can be launched ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which executable graphs are alive, and which memory they use: so that a free
// can be distinguished from one that harms a graph. Thread-safe.
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

/// What a capture has left in its graph.
struct Captured {
  unsigned Capture = 0;
  size_t Nodes = 0; ///< that it had at the end of the capture
  long Thread = 0;
  /// Host memory on that thread's stack, and whose it is.
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
  /// A capture has ended with \p Graph.
  void captured(CUgraph Graph, Captured From);
  /// What \p Graph was captured as; Capture is 0 if it was not.
  Captured origin(CUgraph Graph);
  void forget(CUgraph Graph);

  /// \p Handle is a new exec, or has become another one. Returns its number.
  unsigned add(CUgraphExec Handle, Exec E);
  /// Returns the number of what was alive, or 0.
  unsigned remove(CUgraphExec Handle);
  /// The exec, which stays as it is while the result is held; or null.
  std::shared_ptr<const Exec> find(CUgraphExec Handle);
  /// Replaces what is known about \p Handle.
  void replace(CUgraphExec Handle, std::shared_ptr<const Exec> E);

  /// The memory at \p Address has been freed. Returns the execs that use some
  /// of it, from now on marked as Freed, and its size. \p Bytes: if it is
  /// known.
  std::vector<unsigned> freed(uint64_t Address, uint64_t &Bytes);
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
