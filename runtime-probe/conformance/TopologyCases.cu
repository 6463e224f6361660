//===- TopologyCases.cu - Work and waits on forked streams ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The effect of a call on a stream that was forked manually, joined again, or
// left by an earlier capture.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

static __global__ void touch(char *P) { P[threadIdx.x] += 1; }

static int warm(Scene &) {
  cudaFuncAttributes A;
  return cudaFuncGetAttributes(&A, touch);
}

/// Makes \p To wait for the current work of \p From.
static int edge(cudaStream_t From, cudaEvent_t By, cudaStream_t To) {
  int E = cudaEventRecord(By, From);
  E |= cudaStreamWaitEvent(To, By, 0);
  return E;
}

static int work(Scene &S, cudaStream_t On) {
  return cudaMemsetAsync(S.Device2, 0, 64, On);
}

/// Forks the stream of the call and enqueues work on it.
static int forked(Scene &S) {
  int E = edge(S.Origin, S.Fresh, S.Stream);
  E |= work(S, S.Stream);
  return E;
}

static int forkedAndJoined(Scene &S) {
  int E = forked(S);
  E |= edge(S.Stream, S.Fresh, S.Origin);
  return E;
}

static int dropGraph(Scene &S) {
  return S.Graph ? cudaGraphDestroy(S.Graph) : cudaSuccess;
}

static int makeStream(Scene &S) {
  return cudaStreamCreateWithFlags(&S.NewStream, cudaStreamNonBlocking);
}

/// A second capture, with an event that it recorded.
static int beginSecond(Scene &S) {
  int E = cudaStreamBeginCapture(S.NewStream, S.Mode);
  E |= work(S, S.NewStream);
  E |= cudaEventRecord(S.Fresh, S.NewStream);
  return E;
}

static int endSecond(Scene &S) {
  cudaGraph_t Second = nullptr;
  cudaStreamEndCapture(S.NewStream, &Second);
  if (Second)
    cudaGraphDestroy(Second);
  return cudaStreamDestroy(S.NewStream);
}

static void addWork(Cases &C) {
  auto Launch = [](Scene &S) {
    touch<<<1, 32, 0, S.Stream>>>(S.Device2);
    return cudaGetLastError();
  };
  C.add("<<<>>>", "on a forked stream", Launch)
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking,
           Relation::PerThread})
      .before(warm)
      .inside(forked);
  C.add("<<<>>>", "on a stream that only waited", Launch)
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking,
           Relation::PerThread})
      .before(warm)
      .inside([](Scene &S) {
        return cudaStreamWaitEvent(S.Stream, S.Captured, 0);
      });
  C.add("<<<>>>", "on a forked stream after its join", Launch)
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking,
           Relation::PerThread})
      .before(warm)
      .inside(forkedAndJoined);
  C.add("<<<>>>", "on the origin after a join", Launch)
      .on({Relation::Origin})
      .before(warm)
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.OtherNonBlocking);
        E |= work(S, S.OtherNonBlocking);
        E |= edge(S.OtherNonBlocking, S.Fresh, S.Origin);
        return E;
      });
  C.add("<<<>>>", "on a forked stream after the end", Launch)
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .before(warm)
      .inside([](Scene &S) {
        int E = forkedAndJoined(S);
        E |= cudaStreamEndCapture(S.Origin, &S.Graph);
        return E;
      })
      .after(dropGraph);
  C.add("<<<>>>", "on an unjoined stream after the end", Launch)
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .before(warm)
      .inside([](Scene &S) {
        int E = forked(S);
        cudaStreamEndCapture(S.Origin, &S.Graph); // refused
        cudaGetLastError();
        return E;
      })
      .after(dropGraph);
  C.add("<<<>>>", "beside a forked blocking stream", Launch)
      .on({Relation::Legacy})
      .before(warm)
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.OtherBlocking);
        E |= work(S, S.OtherBlocking);
        return E;
      });
  C.add("<<<>>>", "beside a joined blocking stream", Launch)
      .on({Relation::Legacy})
      .before(warm)
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.OtherBlocking);
        E |= work(S, S.OtherBlocking);
        E |= edge(S.OtherBlocking, S.Fresh, S.Origin);
        return E;
      });
  C.add("<<<>>>", "on the stream of a second capture",
        [](Scene &S) {
          touch<<<1, 32, 0, S.NewStream>>>(S.Device2);
          return cudaGetLastError();
        })
      .before([](Scene &S) {
        int E = makeStream(S);
        E |= warm(S);
        return E;
      })
      .inside(beginSecond)
      .after(endSecond);
  C.add("cudaMemsetAsync", "on a forked stream after its join",
        [](Scene &S) { return cudaMemsetAsync(S.Device2, 0, 64, S.Stream); })
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .inside(forkedAndJoined);
}

static void addMemory(Cases &C) {
  C.add("cudaMallocAsync", "on a forked stream",
        [](Scene &S) { return cudaMallocAsync(&S.P, S.Bytes, S.Stream); })
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .inside(forked);
  C.add("cudaMallocAsync", "on a forked stream after its join",
        [](Scene &S) { return cudaMallocAsync(&S.P, S.Bytes, S.Stream); })
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .inside(forkedAndJoined);
  auto Free = [](Scene &S) { return cudaFreeAsync(S.P, S.Stream); };
  C.add("cudaFreeAsync", "memory of a joined fork", Free)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.OtherNonBlocking);
        E |= cudaMallocAsync(&S.P, S.Bytes, S.OtherNonBlocking);
        E |= edge(S.OtherNonBlocking, S.Fresh, S.Origin);
        return E;
      });
  C.add("cudaFreeAsync", "memory of an unjoined fork", Free)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.OtherNonBlocking);
        E |= cudaMallocAsync(&S.P, S.Bytes, S.OtherNonBlocking);
        return E;
      });
  C.add("cudaFreeAsync", "memory of the origin, on a fork", Free)
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .inside([](Scene &S) {
        int E = cudaMallocAsync(&S.P, S.Bytes, S.Origin);
        E |= forked(S);
        return E;
      });
  C.add("cudaFreeAsync", "memory that the capture has freed", Free)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = cudaMallocAsync(&S.P, S.Bytes, S.Origin);
        E |= cudaFreeAsync(S.P, S.Origin);
        return E;
      });
  C.add("cudaFreeAsync", "memory of a second capture", Free)
      .on({Relation::Origin})
      .before(makeStream)
      .inside([](Scene &S) {
        int E = beginSecond(S);
        E |= cudaMallocAsync(&S.P, S.Bytes, S.NewStream);
        return E;
      })
      .after(endSecond);
}

static void addLifetimes(Cases &C) {
  C.add("cudaStreamSynchronize", "of a forked stream after its join",
        [](Scene &S) { return cudaStreamSynchronize(S.Stream); })
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .inside(forkedAndJoined);
  C.add("cudaStreamQuery", "of a forked stream after its join",
        [](Scene &S) { return cudaStreamQuery(S.Stream); })
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .inside(forkedAndJoined);
  C.add("cudaStreamIsCapturing", "of a forked stream after its join",
        [](Scene &S) {
          cudaStreamCaptureStatus Status;
          return cudaStreamIsCapturing(S.Stream, &Status);
        })
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .inside(forkedAndJoined);
  C.add("cudaStreamSynchronize", "of a forked stream after the end",
        [](Scene &S) { return cudaStreamSynchronize(S.Stream); })
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .inside([](Scene &S) {
        int E = forkedAndJoined(S);
        E |= cudaStreamEndCapture(S.Origin, &S.Graph);
        return E;
      })
      .after(dropGraph);
  auto Destroy = [](Scene &S) { return cudaStreamDestroy(S.NewStream); };
  C.add("cudaStreamDestroy", "of a forked stream after its join", Destroy)
      .before(makeStream)
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.NewStream);
        E |= work(S, S.NewStream);
        E |= edge(S.NewStream, S.Fresh, S.Origin);
        return E;
      });
  C.add("cudaStreamDestroy", "of a forked stream before its join", Destroy)
      .before(makeStream)
      .inside([](Scene &S) {
        int E = edge(S.Origin, S.Fresh, S.NewStream);
        E |= work(S, S.NewStream);
        return E;
      });
  C.add("cudaStreamDestroy", "of a second capture's stream", Destroy)
      .before(makeStream)
      .inside(beginSecond)
      .fresh();
}

void addTopologyCases(Cases &C) {
  addWork(C);
  addMemory(C);
  addLifetimes(C);
}

} // namespace cudagraph::conformance
