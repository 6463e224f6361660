//===- ChainCases.cu - Captures that end after other joins ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ends of captures whose forks have forks of their own, or were joined, left,
// or destroyed by means other than an event. JoinCases.cu has the simple cases.
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

static int makeStream(Scene &S) {
  return cudaStreamCreateWithFlags(&S.NewStream, cudaStreamNonBlocking);
}

static int makeEvent(Scene &S) { return cudaEventCreate(&S.NewEvent); }

/// Forks of forks: the origin, Joined, OtherNonBlocking, and OtherBlocking.
static void addChains(Cases &C) {
  auto End = [](Scene &S) { return cudaStreamEndCapture(S.Stream, &S.Graph); };
  C.add("cudaStreamEndCapture", "a fork of a fork, joined step by step", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.OtherNonBlocking);
        E |= work(S, S.OtherNonBlocking);
        E |= edge(S.OtherNonBlocking, S.Fresh, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.Origin);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a fork of a fork, joined from the last", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.OtherNonBlocking);
        E |= work(S, S.OtherNonBlocking);
        E |= edge(S.OtherNonBlocking, S.Fresh, S.Origin);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture",
        "a fork of a fork, joined from the last, the middle went on", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.OtherNonBlocking);
        E |= work(S, S.OtherNonBlocking);
        E |= work(S, S.Joined);
        E |= edge(S.OtherNonBlocking, S.Fresh, S.Origin);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a fork of a fork, the middle joined only", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.OtherNonBlocking);
        E |= work(S, S.OtherNonBlocking);
        E |= edge(S.Joined, S.Fresh, S.Origin);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a fork of a fork, not joined", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.OtherNonBlocking);
        E |= work(S, S.OtherNonBlocking);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a chain of three forks, joined backwards", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.OtherNonBlocking);
        E |= edge(S.OtherNonBlocking, S.Fresh, S.OtherBlocking);
        E |= work(S, S.OtherBlocking);
        E |= edge(S.OtherBlocking, S.Fresh, S.OtherNonBlocking);
        E |= edge(S.OtherNonBlocking, S.Fresh, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.Origin);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a chain of three forks, the last not joined",
        End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.OtherNonBlocking);
        E |= edge(S.OtherNonBlocking, S.Fresh, S.OtherBlocking);
        E |= work(S, S.OtherBlocking);
        E |= edge(S.OtherNonBlocking, S.Fresh, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.Origin);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a fork of a fork without work, joined", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.OtherNonBlocking);
        E |= work(S, S.OtherNonBlocking);
        E |= edge(S.OtherNonBlocking, S.Fresh, S.Origin);
        return E;
      })
      .after(dropGraph);
}

/// Forks whose stream or event is destroyed before the end.
static void addDestroyed(Cases &C) {
  auto End = [](Scene &S) { return cudaStreamEndCapture(S.Stream, &S.Graph); };
  C.add("cudaStreamEndCapture", "a forked stream was destroyed unjoined", End)
      .on({Relation::Origin})
      .before(makeStream)
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.NewStream);
        E |= work(S, S.NewStream);
        E |= cudaStreamDestroy(S.NewStream);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a forked stream without work was destroyed",
        End)
      .on({Relation::Origin})
      .before(makeStream)
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.NewStream);
        E |= cudaStreamDestroy(S.NewStream);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a forked stream was destroyed after its join",
        End)
      .on({Relation::Origin})
      .before(makeStream)
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.NewStream);
        E |= work(S, S.NewStream);
        E |= edge(S.NewStream, S.Fresh, S.Origin);
        E |= cudaStreamDestroy(S.NewStream);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture",
        "a forked stream was destroyed, then its event waited for", End)
      .on({Relation::Origin})
      .before(makeStream)
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.NewStream);
        E |= work(S, S.NewStream);
        E |= cudaEventRecord(S.Fresh, S.NewStream);
        E |= cudaStreamDestroy(S.NewStream);
        E |= cudaStreamWaitEvent(S.Origin, S.Fresh, 0);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "an event of the capture was destroyed", End)
      .on({Relation::Origin})
      .before(makeEvent)
      .inside([](Scene &S) {
        int E = cudaEventRecord(S.NewEvent, S.Origin);
        E |= cudaEventDestroy(S.NewEvent);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "the event of a join was destroyed", End)
      .on({Relation::Origin})
      .before(makeEvent)
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        E |= edge(S.Joined, S.NewEvent, S.Origin);
        E |= cudaEventDestroy(S.NewEvent);
        return E;
      })
      .after(dropGraph);
}

static void addOtherJoins(Cases &C) {
  auto End = [](Scene &S) { return cudaStreamEndCapture(S.Stream, &S.Graph); };
  C.add("cudaStreamEndCapture", "a fork's dependencies were emptied", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        E |= cudaStreamUpdateCaptureDependencies(
            S.Joined, nullptr, nullptr, 0, cudaStreamSetCaptureDependencies);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "the origin's dependencies were emptied", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        return cudaStreamUpdateCaptureDependencies(
            S.Origin, nullptr, nullptr, 0, cudaStreamSetCaptureDependencies);
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a fork was joined by its last node", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        cudaStreamCaptureStatus Status;
        const cudaGraphNode_t *Last = nullptr;
        E |= cudaStreamGetCaptureInfo(S.Joined, &Status, nullptr, nullptr,
                                      &Last, nullptr, &S.N);
        if (E || S.N != 1)
          return 1;
        S.Node = *Last;
        E = cudaStreamUpdateCaptureDependencies(
            S.Origin, &S.Node, nullptr, 1, cudaStreamAddCaptureDependencies);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "a fork was joined by an external event only",
        End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= work(S, S.Joined);
        E |= cudaEventRecordWithFlags(S.Event, S.Joined,
                                      cudaEventRecordExternal);
        E |= cudaStreamWaitEvent(S.Origin, S.Event, cudaEventWaitExternal);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "memory was allocated and not freed", End)
      .on({Relation::Origin})
      .inside([](Scene &S) { return cudaMallocAsync(&S.P, S.Bytes, S.Origin); })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "memory of a joined fork was freed", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.Joined);
        E |= cudaMallocAsync(&S.P, S.Bytes, S.Joined);
        E |= edge(S.Joined, S.Fresh, S.Origin);
        E |= cudaFreeAsync(S.P, S.Origin);
        return E;
      })
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "memory was freed on an unjoined fork", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = cudaMallocAsync(&S.P, S.Bytes, S.Origin);
        E |= edge(S.Origin, S.Fresh, S.Joined);
        E |= cudaFreeAsync(S.P, S.Joined);
        return E;
      })
      .after(dropGraph);
}

void addChainCases(Cases &C) {
  addChains(C);
  addDestroyed(C);
  addOtherJoins(C);
}

} // namespace cudagraph::conformance
