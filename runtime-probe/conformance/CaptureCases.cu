//===- CaptureCases.cu - Begin and end calls; concurrent captures ---------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A second capture is begun in the same thread, on a separate non-blocking
// stream; its end shows whether it was still valid.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

static int work(Scene &S, cudaStream_t On) {
  return cudaMemsetAsync(S.Device2, 0, 64, On);
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

static int dropBoth(Scene &S) {
  dropGraph(S);
  return endSecond(S);
}

/// Ends the capture that the call began.
static int endOnStream(Scene &S) {
  cudaGraph_t Second = nullptr;
  cudaStreamEndCapture(S.Stream, &Second);
  return Second ? cudaGraphDestroy(Second) : cudaSuccess;
}

/// Invalidates the capture through a call that CUDA refuses in every mode.
static int invalidate(Scene &S) {
  int E = cudaStreamSynchronize(S.Origin);
  cudaGetLastError();
  return E == cudaErrorStreamCaptureUnsupported ? 0 : 1;
}

static void addTwoCaptures(Cases &C) {
  C.add("cudaStreamWaitEvent", "event of a second capture",
        [](Scene &S) { return cudaStreamWaitEvent(S.Stream, S.Fresh, 0); })
      .on({Relation::Origin, Relation::Joined, Relation::OtherBlocking,
           Relation::OtherNonBlocking})
      .before(makeStream)
      .inside(beginSecond)
      .after(endSecond);
  C.add(
       "cudaStreamWaitEvent", "second capture, event of the first",
       [](Scene &S) { return cudaStreamWaitEvent(S.NewStream, S.Captured, 0); })
      .before(makeStream)
      .inside(beginSecond)
      .after(endSecond);
  C.add("cudaStreamWaitEvent", "fork of a second capture, event of the first",
        [](Scene &S) { return cudaStreamWaitEvent(S.Stream, S.Captured, 0); })
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .before(makeStream)
      .inside([](Scene &S) {
        int E = beginSecond(S);
        E |= cudaStreamWaitEvent(S.Stream, S.Fresh, 0);
        return E;
      })
      .after(endSecond);
  C.add("cudaStreamWaitEvent", "event of a second capture that has ended",
        [](Scene &S) { return cudaStreamWaitEvent(S.Stream, S.Fresh, 0); })
      .on({Relation::Origin, Relation::Joined, Relation::OtherBlocking,
           Relation::OtherNonBlocking})
      .before(makeStream)
      .inside([](Scene &S) {
        int E = beginSecond(S);
        E |= cudaStreamEndCapture(S.NewStream, &S.Graph);
        return E;
      })
      .after([](Scene &S) {
        cudaStreamDestroy(S.NewStream);
        return dropGraph(S);
      });
  C.add("cudaEventRecord", "event of a second capture",
        [](Scene &S) { return cudaEventRecord(S.Fresh, S.Stream); })
      .on({Relation::Origin, Relation::Joined, Relation::OtherBlocking,
           Relation::OtherNonBlocking})
      .before(makeStream)
      .inside(beginSecond)
      .after(endSecond);
}

static void addBegins(Cases &C) {
  C.add("cudaStreamBeginCapture", "a second capture in global mode",
        [](Scene &S) {
          return cudaStreamBeginCapture(S.Stream, cudaStreamCaptureModeGlobal);
        })
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .after(endOnStream);
  C.add("cudaStreamBeginCapture", "a second capture in thread-local mode",
        [](Scene &S) {
          return cudaStreamBeginCapture(S.Stream,
                                        cudaStreamCaptureModeThreadLocal);
        })
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .after(endOnStream);
  C.add("cudaStreamBeginCapture", "a second capture in relaxed mode",
        [](Scene &S) {
          return cudaStreamBeginCapture(S.Stream, cudaStreamCaptureModeRelaxed);
        })
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .after(endOnStream);
  auto Begin = [](Scene &S) {
    return cudaStreamBeginCapture(S.Stream, S.Mode);
  };
  C.add("cudaStreamBeginCapture", "beside two captures", Begin)
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .before(makeStream)
      .inside(beginSecond)
      .after([](Scene &S) {
        endOnStream(S);
        return endSecond(S);
      });
  C.add("cudaStreamBeginCapture", "after the capture has ended", Begin)
      .on({Relation::Origin})
      .inside([](Scene &S) { return cudaStreamEndCapture(S.Origin, &S.Graph); })
      .after(dropGraph);
  C.add("cudaStreamBeginCapture", "after an invalidated capture has ended",
        Begin)
      .on({Relation::Origin, Relation::OtherNonBlocking})
      .inside([](Scene &S) {
        int E = invalidate(S);
        cudaGraph_t None = nullptr;
        cudaStreamEndCapture(S.Origin, &None); // 901
        cudaGetLastError();
        return E;
      })
      .after(endOnStream);
  C.add("cudaStreamBeginCapture", "on a stream that only waited", Begin)
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .inside([](Scene &S) {
        return cudaStreamWaitEvent(S.Stream, S.Captured, 0);
      });
  C.add("cudaStreamBeginCapture", "on a forked stream after its join", Begin)
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .inside([](Scene &S) {
        int E = cudaStreamWaitEvent(S.Stream, S.Captured, 0);
        E |= work(S, S.Stream);
        E |= cudaEventRecord(S.Fresh, S.Stream);
        E |= cudaStreamWaitEvent(S.Origin, S.Fresh, 0);
        return E;
      });
  C.add("cudaStreamBeginCapture", "on a stream with work in between", Begin)
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .inside([](Scene &S) { return work(S, S.Stream); })
      .after(endOnStream);
  C.add("cudaStreamBeginCaptureToGraph", "with a dependency",
        [](Scene &S) {
          return cudaStreamBeginCaptureToGraph(S.Stream, S.Graph, &S.Node,
                                               nullptr, 1, S.Mode);
        })
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .before([](Scene &S) {
        int E = cudaGraphCreate(&S.Graph, 0);
        E |= cudaGraphAddEmptyNode(&S.Node, S.Graph, nullptr, 0);
        return E;
      })
      .after(endOnStream); // the graph is S.Graph
}

static void addEnds(Cases &C) {
  auto End = [](Scene &S) { return cudaStreamEndCapture(S.Stream, &S.Graph); };
  C.add("cudaStreamEndCapture", "twice", End)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        cudaGraph_t First = nullptr;
        int E = cudaStreamEndCapture(S.Origin, &First);
        E |= cudaGraphDestroy(First);
        return E;
      });
  C.add("cudaStreamEndCapture", "on a stream that only waited", End)
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .inside([](Scene &S) {
        return cudaStreamWaitEvent(S.Stream, S.Captured, 0);
      });
  C.add("cudaStreamEndCapture", "on a forked stream after its join", End)
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .inside([](Scene &S) {
        int E = cudaStreamWaitEvent(S.Stream, S.Captured, 0);
        E |= work(S, S.Stream);
        E |= cudaEventRecord(S.Fresh, S.Stream);
        E |= cudaStreamWaitEvent(S.Origin, S.Fresh, 0);
        return E;
      });
  C.add("cudaStreamEndCapture", "of the origin beside a second capture", End)
      .on({Relation::Origin})
      .before(makeStream)
      .inside(beginSecond)
      .after(dropBoth);
  auto EndSecond = [](Scene &S) {
    return cudaStreamEndCapture(S.NewStream, &S.Graph);
  };
  C.add("cudaStreamEndCapture", "of a second capture", EndSecond)
      .before(makeStream)
      .inside(beginSecond)
      .after(dropBoth);
  C.add("cudaStreamEndCapture", "of a second capture without work", EndSecond)
      .before(makeStream)
      .inside(
          [](Scene &S) { return cudaStreamBeginCapture(S.NewStream, S.Mode); })
      .after(dropBoth);
  C.add("cudaStreamEndCapture", "of the origin after it awaited a second", End)
      .on({Relation::Origin})
      .before(makeStream)
      .inside([](Scene &S) {
        int E = beginSecond(S);
        cudaStreamWaitEvent(S.Origin, S.Fresh, 0); // 902
        cudaGetLastError();
        return E;
      })
      .after(dropBoth);
  C.add("cudaStreamEndCapture", "of a second capture that the origin awaited",
        EndSecond)
      .before(makeStream)
      .inside([](Scene &S) {
        int E = beginSecond(S);
        cudaStreamWaitEvent(S.Origin, S.Fresh, 0); // 902
        cudaGetLastError();
        return E;
      })
      .after(dropBoth);
  C.add("cudaStreamEndCapture", "of the origin that a second capture awaited",
        End)
      .on({Relation::Origin})
      .before(makeStream)
      .inside([](Scene &S) {
        int E = beginSecond(S);
        cudaStreamWaitEvent(S.NewStream, S.Captured, 0); // 902
        cudaGetLastError();
        return E;
      })
      .after(dropBoth);
  C.add("cudaStreamEndCapture", "of a second capture that awaited the origin",
        EndSecond)
      .before(makeStream)
      .inside([](Scene &S) {
        int E = beginSecond(S);
        cudaStreamWaitEvent(S.NewStream, S.Captured, 0); // 902
        cudaGetLastError();
        return E;
      })
      .after(dropBoth);
  C.add("cudaStreamEndCapture", "of a second capture, the first invalidated",
        EndSecond)
      .before(makeStream)
      .inside([](Scene &S) {
        int E = beginSecond(S);
        E |= invalidate(S);
        return E;
      })
      .after(dropBoth);
}

void addCaptureCases(Cases &C) {
  addTwoCaptures(C);
  addBegins(C);
  addEnds(C);
}

} // namespace cudagraph::conformance
