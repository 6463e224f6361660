//===- Graphs.h - The graphs that can be launched ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tracks which executable graphs exist and which memory they use, to
// distinguish a harmless free from one that affects a graph. Thread-safe.
// Changing one node, freeing memory, and launching cost about the same for a
// graph with thousands of nodes as for a small one, because programs do these
// things in loops.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_GRAPHS_H
#define CUDAGRAPH_PROBE_GRAPHS_H

#include "Stack.h"
#include "Uses.h"
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>

namespace cudagraph::probe {

/// The data of a capture that its graph retains.
struct Captured {
  unsigned Capture = 0;
  size_t Nodes = 0; ///< at the end of the capture
  long Thread = 0;
  /// Host memory on that thread's stack, and the activation that owns it.
  std::vector<std::pair<uint64_t, Activation>> OnStack;
};

class Graphs {
public:
  using Origin = std::shared_ptr<const Captured>;
  /// The state of an exec that a launch checks.
  struct State {
    unsigned Id = 0;
    bool Freed = false;    ///< its memory was freed
    bool Reported = false; ///< a launch since then was reported
    std::vector<HostMemory> Host;
    Origin From;
  };
  /// A node of an exec.
  struct Place {
    unsigned Exec = 0;
    size_t Index = 0;
    KernelHandle Kernel;
  };

  /// Called when a capture has ended with \p Graph.
  void captured(CUgraph Graph, Captured From);
  /// The capture that \p Graph results from; Capture is 0 if there is none.
  Origin origin(CUgraph Graph);
  void forget(CUgraph Graph);

  /// Records that \p Handle is a new exec, or has become a different one.
  /// Returns its number.
  unsigned add(CUgraphExec Handle, Origin From, Uses Holds);
  /// Returns the number of the previous one, or 0.
  unsigned remove(CUgraphExec Handle);

  std::optional<State> find(CUgraphExec Handle);
  /// Records the contents of host memory at a launch, and that the release of
  /// memory was reported.
  void launched(CUgraphExec Handle, const State &Now);

  std::optional<Place> findNode(CUgraphExec Handle, CUgraphNode Node);
  /// Records that the node with index \p Node now uses \p Memory, and no host
  /// memory that CUDA does not manage.
  void change(CUgraphExec Handle, size_t Node,
              const std::vector<Range> &Memory);

  /// Records that the memory at \p Address has been freed. Returns its size and
  /// the execs that use any part of it, and marks them as Freed. \p Bytes: its
  /// size, if known.
  std::vector<unsigned> freed(uint64_t Address, uint64_t &Bytes);
  /// The same for host memory that CUDA does not manage.
  std::vector<unsigned> hostFreed(uint64_t Address, uint64_t Bytes);
  /// The execs whose NCCL kernels receive one of \p Communicators.
  std::vector<unsigned> holding(const std::vector<uint64_t> &Communicators);
  /// True if an exec uses the allocation that holds \p Address.
  bool isUsed(uint64_t Address);
  /// True if the memory of an exec was freed, and no launch since then was
  /// reported.
  bool anyFreed();

private:
  /// The base addresses of the memory that a node uses.
  using Bases = std::vector<uint64_t>;
  struct Node {
    KernelHandle Kernel;
    Bases Memory;
  };
  struct Exec {
    State Is;
    std::vector<Node> Nodes;
    std::unordered_map<CUgraphNode, size_t> Index;
    std::vector<uint64_t> Communicators;
  };
  struct Shared {
    uint64_t Bytes = 0;
    std::map<CUgraphExec, unsigned> Nodes; ///< that use it
  };
  struct HostUse {
    CUgraphExec Exec = nullptr;
    size_t Index = 0; ///< in its Host
  };
  std::mutex Lock;
  unsigned Count = 0;
  std::map<CUgraph, Origin> Origins;
  std::unordered_map<CUgraphExec, Exec> Live;
  std::map<uint64_t, Shared> Memory; ///< by where it begins
  /// By address, for memory that still exists. No range is larger than
  /// HostBytes.
  std::multimap<uint64_t, HostUse> Host;
  uint64_t HostBytes = 0;
  std::set<CUgraphExec> Unreported; ///< Freed

  void use(CUgraphExec Handle, const Range &R);
  void dropUse(CUgraphExec Handle, uint64_t Base);
  void drop(CUgraphExec Handle, const Exec &E);
  void endHost(CUgraphExec Handle, size_t Index, HostMemory &M);
  void markFreed(CUgraphExec Handle, std::vector<unsigned> &Ids);
};

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_GRAPHS_H
