//===- JoinCases.cu - Captures that end after forks -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each case ends the capture on the origin; only the preparation has made
// forks. Errors of a preparation are combined with |=, so that all of its calls
// are made.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

/// Makes \p To wait for the current work of \p From.
static int edge(cudaStream_t From, cudaEvent_t By, cudaStream_t To) {
  int E = cudaEventRecord(By, From);
  E |= cudaStreamWaitEvent(To, By, 0);
  return E;
}

static int work(Scene &S, cudaStream_t On) {
  return cudaMemsetAsync(S.Device2, 0, 64, On);
}

static int dropGraph(Scene &S) {
  return S.Graph ? cudaGraphDestroy(S.Graph) : cudaSuccess;
}

static void addOneFork(Cases &C) {
  auto End = [](Scene &S) { return cudaStreamEndCapture(S.Stream, &S.Graph); };
  C.add("cudaStreamEndCapture", "a fork was joined", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.Origin);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a fork was not joined", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a fork's end was recorded, none waited", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        E |= cudaEventRecord(S.Fresh, S.Joined);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a joined stream worked after its join", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.Origin);
        E |= work(S, S.Joined);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a fork was joined before its last work", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        E |= cudaEventRecord(S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        E |= cudaStreamWaitEvent(S.Origin, S.Fresh, 0);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a fork was joined by an event re-recorded",
        End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        E |= cudaEventRecord(S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.Origin);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a fork did no work and was not joined", End)
      .on({Relation::Origin})
      .inside(
          [](Scene &S) { return cudaStreamWaitEvent(S.Joined, S.Captured, 0); })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a fork did no work, the origin went on", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Origin);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a fork did no work and was joined", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.Origin);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a fork was joined twice", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.Origin);
        E |= edge(S.Joined, S.Event, S.Origin);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a fork was joined, then forked again", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.Origin);
        E |= edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a fork was forked and joined twice", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.Origin);
        E |= edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.Origin);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "the per-thread stream forked and joined", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, cudaStreamPerThread);
        E |= work(S, cudaStreamPerThread);
        E |= edge(cudaStreamPerThread, S.Fresh, S.Origin);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "the per-thread stream was not joined", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, cudaStreamPerThread);
        E |= work(S, cudaStreamPerThread);
        return E;
      })
      .after(dropGraph);
}

static void addTwoForks(Cases &C) {
  auto End = [](Scene &S) { return cudaStreamEndCapture(S.Stream, &S.Graph); };
  C.add("cudaStreamEndCapture", "two forks were joined", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= edge(S.Origin, S.Fresh, S.OtherNonBlocking);
        E |= work(S, S.Joined);
        E |= work(S, S.OtherNonBlocking);
        E |= edge(S.Joined, S.Fresh, S.Origin);
        E |= edge(S.OtherNonBlocking, S.Event, S.Origin);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "two forks, the first was not joined", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= edge(S.Origin, S.Fresh, S.OtherNonBlocking);
        E |= work(S, S.Joined);
        E |= work(S, S.OtherNonBlocking);
        E |= edge(S.OtherNonBlocking, S.Event, S.Origin);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "two forks, the second was not joined", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= edge(S.Origin, S.Fresh, S.OtherNonBlocking);
        E |= work(S, S.Joined);
        E |= work(S, S.OtherNonBlocking);
        E |= edge(S.Joined, S.Event, S.Origin);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "two forks, none was joined", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= edge(S.Origin, S.Fresh, S.OtherNonBlocking);
        E |= work(S, S.Joined);
        E |= work(S, S.OtherNonBlocking);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "two forks, one was joined into the other", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= edge(S.Origin, S.Fresh, S.OtherNonBlocking);
        E |= work(S, S.Joined);
        E |= work(S, S.OtherNonBlocking);
        E |= edge(S.OtherNonBlocking, S.Event, S.Joined);
        E |= edge(S.Joined, S.Event, S.Origin);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "two forks, both joined by one event", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= edge(S.Origin, S.Fresh, S.OtherNonBlocking);
        E |= work(S, S.Joined);
        E |= work(S, S.OtherNonBlocking);
        E |= cudaEventRecord(S.Event, S.Joined);
        E |= cudaEventRecord(S.Event, S.OtherNonBlocking);
        E |= cudaStreamWaitEvent(S.Origin, S.Event, 0);
        return E;
      })
      .after(dropGraph);
}

void addJoinCases(Cases &C) {
  addOneFork(C);
  addTwoForks(C);
}

} // namespace cudagraph::conformance
