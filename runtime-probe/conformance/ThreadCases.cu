//===- ThreadCases.cu - Modes of threads, and other threads ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three conditions determine whether a potentially unsafe call is refused: the
// mode of the thread, the modes of its own captures, and global captures of
// other threads. The capturing thread exchanges modes.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"
#include <future>
#include <thread>

namespace cudagraph::conformance {

static int exchange(cudaStreamCaptureMode Mode) {
  return cudaThreadExchangeStreamCaptureMode(&Mode);
}

/// Sets the initial mode of threads.
static int reset(Scene &) { return exchange(cudaStreamCaptureModeGlobal); }

static int relax(Scene &) { return exchange(cudaStreamCaptureModeRelaxed); }

static int makeStream(Scene &S) {
  return cudaStreamCreateWithFlags(&S.NewStream, cudaStreamNonBlocking);
}

static int endSecond(Scene &S) {
  cudaGraph_t Second = nullptr;
  cudaStreamEndCapture(S.NewStream, &Second);
  for (cudaGraph_t Each : {Second, S.Graph})
    if (Each)
      cudaGraphDestroy(Each);
  return cudaStreamDestroy(S.NewStream);
}

static int endSecondAndFree(Scene &S) {
  endSecond(S);
  return cudaFree(S.P);
}

static int resetAndFree(Scene &S) {
  reset(S);
  return cudaFree(S.P);
}

/// The thread is in relaxed mode.
static void addRelaxed(Cases &C) {
  auto Allocate = [](Scene &S) { return cudaMalloc(&S.P, S.Bytes); };
  C.add("cudaMalloc", "after an exchange to relaxed", Allocate)
      .inside(relax)
      .after(resetAndFree);
  C.add("cudaMalloc", "after an exchange to relaxed before the capture",
        Allocate)
      .before(relax)
      .after(resetAndFree);
  C.add("cudaMalloc", "after an exchange to thread-local", Allocate)
      .inside(
          [](Scene &) { return exchange(cudaStreamCaptureModeThreadLocal); })
      .after(resetAndFree);
  C.add("cudaMalloc", "after an exchange to relaxed and back", Allocate)
      .inside([](Scene &S) {
        void *Allowed = nullptr;
        int E = relax(S);
        E |= cudaMalloc(&Allowed, S.Bytes);
        E |= cudaFree(Allowed);
        E |= reset(S);
        return E;
      })
      .after(resetAndFree);
  C.add("cudaMalloc", "after exchanges to relaxed and to thread-local",
        Allocate)
      .inside([](Scene &S) {
        int E = relax(S);
        E |= exchange(cudaStreamCaptureModeThreadLocal);
        return E;
      })
      .after(resetAndFree);
  C.add("cudaMallocHost", "after an exchange to relaxed",
        [](Scene &S) { return cudaMallocHost(&S.P, S.Bytes); })
      .inside(relax)
      .after([](Scene &S) {
        reset(S);
        return cudaFreeHost(S.P);
      });
  C.add("cudaFree", "after an exchange to relaxed",
        [](Scene &S) { return cudaFree(S.P); })
      .before([](Scene &S) { return cudaMalloc(&S.P, S.Bytes); })
      .inside(relax)
      .after(reset);
  C.add("cudaEventQuery", "after an exchange to relaxed",
        [](Scene &S) { return cudaEventQuery(S.Outside); })
      .inside(relax)
      .after(reset);
  C.add("cudaEventQuery", "after an exchange to relaxed and back",
        [](Scene &S) { return cudaEventQuery(S.Outside); })
      .inside([](Scene &S) {
        int E = relax(S);
        E |= reset(S);
        return E;
      });
  C.add("cudaEventQuery", "captured, after an exchange to relaxed",
        [](Scene &S) { return cudaEventQuery(S.Captured); })
      .on({Relation::Origin})
      .inside(relax)
      .after(reset);
  C.add("cudaStreamSynchronize", "after an exchange to relaxed",
        [](Scene &S) { return cudaStreamSynchronize(S.Stream); })
      .streams()
      .inside(relax)
      .after(reset);
  C.add("cudaDeviceSynchronize", "after an exchange to relaxed",
        [](Scene &) { return cudaDeviceSynchronize(); })
      .inside(relax)
      .after(reset);
  C.add("cudaStreamEndCapture", "after an exchange to relaxed",
        [](Scene &S) { return cudaStreamEndCapture(S.Stream, &S.Graph); })
      .on({Relation::Origin})
      .inside(relax)
      .after([](Scene &S) {
        reset(S);
        return S.Graph ? cudaGraphDestroy(S.Graph) : cudaSuccess;
      });
}

/// The thread has a second capture, in a different mode.
static void addNested(Cases &C) {
  auto Allocate = [](Scene &S) { return cudaMalloc(&S.P, S.Bytes); };
  C.add("cudaMalloc", "beside a second capture in global mode", Allocate)
      .before(makeStream)
      .inside([](Scene &S) {
        return cudaStreamBeginCapture(S.NewStream, cudaStreamCaptureModeGlobal);
      })
      .after(endSecondAndFree);
  C.add("cudaMalloc", "beside a second capture in thread-local mode", Allocate)
      .before(makeStream)
      .inside([](Scene &S) {
        return cudaStreamBeginCapture(S.NewStream,
                                      cudaStreamCaptureModeThreadLocal);
      })
      .after(endSecondAndFree);
  C.add("cudaMalloc", "beside a second capture in relaxed mode", Allocate)
      .before(makeStream)
      .inside([](Scene &S) {
        return cudaStreamBeginCapture(S.NewStream,
                                      cudaStreamCaptureModeRelaxed);
      })
      .after(endSecondAndFree);
  C.add("cudaMalloc", "after a second capture in global mode", Allocate)
      .before(makeStream)
      .inside([](Scene &S) {
        int E =
            cudaStreamBeginCapture(S.NewStream, cudaStreamCaptureModeGlobal);
        E |= cudaStreamEndCapture(S.NewStream, &S.Graph);
        return E;
      })
      .after(endSecondAndFree);
  C.add("cudaMalloc", "in a second capture in global mode after the first",
        Allocate)
      .before(makeStream)
      .inside([](Scene &S) {
        int E =
            cudaStreamBeginCapture(S.NewStream, cudaStreamCaptureModeGlobal);
        cudaStreamEndCapture(S.Origin, &S.Graph); // mixed: a fork is unjoined
        return E;
      })
      .after(endSecondAndFree);
  C.add("cudaMalloc", "in a second capture in relaxed mode after the first",
        Allocate)
      .before(makeStream)
      .inside([](Scene &S) {
        int E =
            cudaStreamBeginCapture(S.NewStream, cudaStreamCaptureModeRelaxed);
        cudaStreamEndCapture(S.Origin, &S.Graph); // mixed: a fork is unjoined
        return E;
      })
      .after(endSecondAndFree);
  C.add("cudaMalloc", "after the end", Allocate)
      .inside([](Scene &S) {
        cudaStreamEndCapture(S.Origin, &S.Graph); // mixed: a fork is unjoined
        return 0;
      })
      .after([](Scene &S) {
        cudaFree(S.P);
        return S.Graph ? cudaGraphDestroy(S.Graph) : cudaSuccess;
      });
  C.add("cudaStreamSynchronize", "beside a second capture in global mode",
        [](Scene &S) { return cudaStreamSynchronize(S.Stream); })
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .before(makeStream)
      .inside([](Scene &S) {
        return cudaStreamBeginCapture(S.NewStream, cudaStreamCaptureModeGlobal);
      })
      .after(endSecond);
  C.add("cudaEventQuery", "beside a second capture in global mode",
        [](Scene &S) { return cudaEventQuery(S.Outside); })
      .before(makeStream)
      .inside([](Scene &S) {
        return cudaStreamBeginCapture(S.NewStream, cudaStreamCaptureModeGlobal);
      })
      .after(endSecond);
}

/// Another thread has a capture while this one makes the call.
static void addHeld(Cases &C) {
  C.add("cudaMalloc", "while another thread captures in global mode",
        [](Scene &S) {
          std::promise<void> Begun, Made;
          std::thread Other([&] {
            cudaSetDevice(0);
            cudaStreamBeginCapture(S.NewStream, cudaStreamCaptureModeGlobal);
            Begun.set_value();
            Made.get_future().wait();
            cudaStreamEndCapture(S.NewStream, &S.Graph);
          });
          Begun.get_future().wait();
          int E = cudaMalloc(&S.P, S.Bytes);
          Made.set_value();
          Other.join();
          return E;
        })
      .before(makeStream)
      .after(endSecondAndFree);
  C.add("cudaMalloc", "while another thread captures in thread-local mode",
        [](Scene &S) {
          std::promise<void> Begun, Made;
          std::thread Other([&] {
            cudaSetDevice(0);
            cudaStreamBeginCapture(S.NewStream,
                                   cudaStreamCaptureModeThreadLocal);
            Begun.set_value();
            Made.get_future().wait();
            cudaStreamEndCapture(S.NewStream, &S.Graph);
          });
          Begun.get_future().wait();
          int E = cudaMalloc(&S.P, S.Bytes);
          Made.set_value();
          Other.join();
          return E;
        })
      .before(makeStream)
      .after(endSecondAndFree);
  C.add("cudaStreamBeginCapture", "while another thread captures",
        [](Scene &S) {
          std::promise<void> Begun, Made;
          std::thread Other([&] {
            cudaSetDevice(0);
            cudaStreamBeginCapture(S.NewStream, S.Mode);
            Begun.set_value();
            Made.get_future().wait();
            cudaStreamEndCapture(S.NewStream, &S.Graph);
          });
          Begun.get_future().wait();
          int E = cudaStreamBeginCapture(S.Stream, S.Mode);
          Made.set_value();
          Other.join();
          return E;
        })
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking})
      .before(makeStream)
      .after([](Scene &S) {
        cudaGraph_t Third = nullptr;
        cudaStreamEndCapture(S.Stream, &Third);
        return endSecond(S);
      });
}

void addThreadCases(Cases &C) {
  addRelaxed(C);
  addNested(C);
  addHeld(C);
}

} // namespace cudagraph::conformance
