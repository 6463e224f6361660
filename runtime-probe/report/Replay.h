//===- Replay.h - Problems after a capture ----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tracks which graphs can be launched and what they use. From that, it detects
// two errors: a graph outlives memory that it uses, and graphs are replayed in
// an unintended order. This class handles about half of the events;
// ProcessAnalysis handles the others.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_REPLAY_H
#define CUDAGRAPH_PROBE_REPLAY_H

#include "Access.h"
#include "StreamOrder.h"
#include <set>

namespace cudagraph::probe {

class ProcessAnalysis;

class ReplayAnalysis {
public:
  explicit ReplayAnalysis(ProcessAnalysis &All) : All(All) {}

  void take(const TraceEvent &E);

private:
  /// An exec: a graph that can be launched.
  struct Graph {
    const TraceEvent *Made = nullptr;
    uint64_t Capture = 0; ///< 0: not captured
    std::vector<TraceNode> Nodes;
    std::vector<TraceRange> Memory;
    std::vector<Access> Uses;
    bool Gone = false;
    bool External = false; ///< events outside it order its nodes
    unsigned Launches = 0, SinceRead = 0;
    std::vector<size_t> Frees; ///< findings: its memory was freed
    /// Reads of memory that several replays have written, by address.
    std::map<uint64_t, unsigned> Reads;
    unsigned Overwritten = 0; ///< earlier replays without a read
    std::optional<StreamOrder::Point> Last;
    const TraceEvent *LastLaunch = nullptr;
    std::set<uint64_t> Reported; ///< addresses of host memory
  };
  /// An operation on memory that may still be in progress.
  struct Recent {
    StreamOrder::Point At;
    std::vector<Access> Uses;
    const TraceEvent *E = nullptr;
    Graph *Of = nullptr;
  };
  ProcessAnalysis &All;
  std::map<uint64_t, Graph> Graphs;
  StreamOrder Order;
  std::vector<Recent> Going;
  std::set<uint64_t> Written; ///< by work outside graphs
  bool Unwatched = false;     ///< launches were missed

  void made(const TraceEvent &E);
  void changed(Graph &G, const TraceEvent &E);
  void freed(const TraceEvent &E);
  void communicatorEnds(const Graph &G, const TraceEvent &E, uint64_t Address);
  void launched(const TraceEvent &E);
  void launchFailed(Graph &G, const TraceEvent &E);
  void worked(const TraceEvent &E);

  void launchedFreed(Graph &G, const TraceEvent &E);
  void hostMemory(Graph &G, const TraceEvent &E, const TraceHost &H);
  void sourceChanged(Graph &G, const TraceEvent &E, const TraceHost &H);
  void readsEarlier(Graph &G, const TraceEvent &E);
  void readsOutput(const TraceEvent &E, const Access &A);
  void unordered(const Recent &Now);
  void overwrites(llvm::ArrayRef<Access> Uses, const Graph *Of);

  bool isOfPool(const Graph &G, uint64_t Address) const;
  std::vector<uint64_t> captureOf(const Graph &G) const;
  const Access *use(const Graph &G, uint64_t Address, uint64_t Bytes) const;
  /// "node 2, kernel 'scale(float*, int)', argument 0".
  std::string named(const Graph &G, const Access &A) const;
  void pointToNode(size_t Finding, const Graph &G, const Access &A);
  void pointTo(size_t Finding, std::string Message, const TraceEvent &E);
  std::string stream(const TraceEvent &E) const;
};

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_REPLAY_H
