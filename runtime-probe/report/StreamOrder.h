//===- StreamOrder.h - The order of work on streams -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps one vector clock per stream. Work on one stream is in order; events,
// the legacy stream, and a waiting host order streams relative to each other.
// The host counts as one thread, so work may count as ordered although it is
// not certain, but never the reverse.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_STREAMORDER_H
#define CUDAGRAPH_PROBE_STREAMORDER_H

#include "Trace.h"

namespace cudagraph::probe {

class StreamOrder {
public:
  /// One piece of work.
  struct Point {
    size_t Stream = 0;
    unsigned Time = 0;
  };

  /// Enqueues work on the stream of \p E.
  Point enqueue(const TraceEvent &E);
  /// A record, a wait, or the end of a wait by the host.
  void order(const TraceEvent &E);
  /// Records that the host waits for \p P, and therefore for all work before
  /// it.
  void waitFor(const Point &P);

  /// True if \p A is over before \p B begins.
  bool isBefore(const Point &A, const Point &B) const;
  /// True if \p A is certain to be over for the host.
  bool isOver(const Point &A) const { return at(Host, A.Stream) >= A.Time; }

private:
  using Clock = std::vector<unsigned>;
  struct Stream {
    Clock Now;
    bool Legacy = false, Blocking = false;
  };
  std::map<std::string, size_t> Names;
  std::vector<Stream> Streams;
  std::map<std::string, Clock> Events;
  Clock Host;
  /// For the work on a stream, by stream and time: the work that precedes it.
  std::map<std::pair<size_t, unsigned>, Clock> Before;

  static unsigned at(const Clock &C, size_t I) {
    return I < C.size() ? C[I] : 0;
  }
  static void merge(Clock &Into, const Clock &From);
  size_t find(const TraceEvent &E);
  void catchUp(size_t S);
};

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_STREAMORDER_H
