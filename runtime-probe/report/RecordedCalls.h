//===- RecordedCalls.h - The nodes that calls recorded ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects, for each call that recorded nodes, the number of launches, whether
// the lifetime of the nodes' memory had ended before them, and the watched
// lines that had run before them. These are not findings; `confirm` uses them
// to confirm or refute findings of the analysis.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_RECORDEDCALLS_H
#define CUDAGRAPH_PROBE_RECORDEDCALLS_H

#include "Access.h"
#include "Stacks.h"
#include "format/Report.h"
#include <functional>
#include <set>

namespace cudagraph::probe {

class RecordedCalls {
public:
  /// \p IdOf returns the number that a capture of the trace has in the report.
  RecordedCalls(const ProcessTrace &P, Stacks &S, Report &R,
                std::function<unsigned(uint64_t)> IdOf)
      : P(P), S(S), R(R), IdOf(std::move(IdOf)) {}

  /// Handles all events, in order.
  void take(const TraceEvent &E);
  /// Called when there are no more events.
  void finish();

private:
  /// A node of a graph, and the time since which it has had its parameters.
  struct Node {
    std::optional<size_t> Call; ///< index in the report
    std::vector<Access> Uses;
    size_t Set = 0;
    std::vector<size_t> Unordered; ///< nodes
    bool Ordered = false;
  };
  struct Captured {
    const TraceEvent *Begin = nullptr, *End = nullptr;
    size_t Time = 0;
    std::map<std::string, std::string> Storage; ///< of pageable memory
    std::vector<const TraceEvent *> Frees;      ///< during the capture
  };
  struct Graph {
    uint64_t Capture = 0;
    std::vector<Node> Nodes;
    std::vector<std::pair<size_t, size_t>> Endings; ///< call, and which
    size_t Launched = 0;                            ///< last
    unsigned Launches = 0;
  };
  const ProcessTrace &P;
  Stacks &S;
  Report &R;
  std::function<unsigned(uint64_t)> IdOf;
  size_t Now = 0;           ///< events so far
  bool HeapUnknown = false; ///< the release of some memory was not observed
  std::map<std::tuple<int64_t, std::string, std::string>, size_t> Known;
  std::map<uint64_t, Captured> Captures;
  std::map<uint64_t, Graph> Graphs;
  std::map<unsigned, size_t> LastRun; ///< by line: when it ran
  std::set<std::pair<int64_t, int64_t>> Compared;

  std::optional<size_t> callOf(const TraceNode &N);
  void ended(const TraceEvent &E);
  void made(const TraceEvent &E);
  void changed(Graph &G, const TraceEvent &E);
  void freed(const TraceEvent &E);
  static std::string storageOf(uint64_t Address, const TraceEvent &E,
                               const Captured &From);
  void freed(Graph &G, const TraceEvent &E);
  void launched(const TraceEvent &E);
  void launchFailed(const Graph &G, const TraceEvent &E);
  void compare(Graph &G, const std::vector<TraceNode> &Nodes,
               const std::vector<TraceRange> &Memory);
  void countUnordered(const Graph &G, const Node &N);
  void hostMemory(Graph &G, const TraceEvent &E);
  void returned(size_t Call, int64_t Recording, const TraceEvent &E);
  void addEnding(Graph &G, size_t Call, const std::string &How,
                 const Stack &At);
  void ran(const TraceEvent &E);
  void gone(const Graph &G);
  RanBefore &ranBefore(size_t Call, unsigned Line);
};

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_RECORDEDCALLS_H
