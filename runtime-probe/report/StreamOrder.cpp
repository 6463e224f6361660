//===- StreamOrder.cpp - The order of work on streams ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamOrder.h"
#include <algorithm>

namespace cudagraph::probe {

void StreamOrder::merge(Clock &Into, const Clock &From) {
  Into.resize(std::max(Into.size(), From.size()));
  for (size_t I = 0; I < From.size(); ++I)
    Into[I] = std::max(Into[I], From[I]);
}

/// The stream of \p E. Each thread has its own per-thread stream.
size_t StreamOrder::find(const TraceEvent &E) {
  bool Legacy = E.StreamKind == "legacy" || E.Stream.empty();
  std::string Name = Legacy ? "legacy" : E.Stream;
  if (E.StreamKind == "per-thread")
    Name = "thread " + std::to_string(E.Tid);
  auto [It, New] = Names.try_emplace(Name, Streams.size());
  if (New)
    Streams.emplace_back();
  Stream &S = Streams[It->second];
  S.Legacy = Legacy;
  // A stream of unknown kind counts as blocking, because more work is then
  // ordered and less is reported.
  S.Blocking = E.StreamKind != "non-blocking";
  return It->second;
}

/// The legacy stream and the blocking ones wait for each other.
void StreamOrder::catchUp(size_t S) {
  merge(Streams[S].Now, Host);
  if (!Streams[S].Blocking)
    return;
  for (size_t I = 0; I < Streams.size(); ++I)
    if (I != S && Streams[I].Blocking &&
        (Streams[I].Legacy || Streams[S].Legacy))
      merge(Streams[S].Now, Streams[I].Now);
}

StreamOrder::Point StreamOrder::enqueue(const TraceEvent &E) {
  size_t S = find(E);
  catchUp(S);
  Clock &Now = Streams[S].Now;
  Now.resize(std::max(Now.size(), S + 1));
  Before[{S, Now[S] + 1}] = Now;
  return {S, ++Now[S]};
}

void StreamOrder::order(const TraceEvent &E) {
  if (E.How == "record") {
    size_t S = find(E);
    catchUp(S);
    Events[E.OfEvent] = Streams[S].Now;
  } else if (E.How == "wait") {
    if (auto It = Events.find(E.OfEvent); It != Events.end())
      merge(Streams[find(E)].Now, It->second);
  } else if (E.How == "stream") {
    size_t S = find(E);
    catchUp(S);
    merge(Host, Streams[S].Now);
  } else if (E.How == "event") {
    if (auto It = Events.find(E.OfEvent); It != Events.end())
      merge(Host, It->second);
  } else if (E.How == "all") {
    for (const Stream &S : Streams)
      merge(Host, S.Now);
  }
}

void StreamOrder::waitFor(const Point &P) {
  merge(Host, Streams[P.Stream].Now);
}

bool StreamOrder::isBefore(const Point &A, const Point &B) const {
  if (A.Stream == B.Stream)
    return A.Time < B.Time;
  auto It = Before.find({B.Stream, B.Time});
  return It != Before.end() && at(It->second, A.Stream) >= A.Time;
}

} // namespace cudagraph::probe
