//===- OtherThreadCases.cu - Calls of a thread without a capture ----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The action starts a thread, which makes the call and is joined: in the
// initial mode of threads, in relaxed mode, or with its own capture.
// cudaSetDevice gives the thread its context.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"
#include <thread>

namespace cudagraph::conformance {

static __global__ void touch(char *P) { P[threadIdx.x] += 1; }

static int warm(Scene &) {
  cudaFuncAttributes A;
  return cudaFuncGetAttributes(&A, touch);
}

static void relax() {
  cudaStreamCaptureMode Mode = cudaStreamCaptureModeRelaxed;
  cudaSetDevice(0);
  cudaThreadExchangeStreamCaptureMode(&Mode);
}

/// The thread's own capture.
static void begin(Scene &S) {
  cudaSetDevice(0);
  cudaStreamBeginCapture(S.NewStream, S.Mode);
  cudaMemsetAsync(S.Device2, 0, 64, S.NewStream);
}

static void end(Scene &S) { cudaStreamEndCapture(S.NewStream, &S.Graph); }

static int makeStream(Scene &S) {
  return cudaStreamCreateWithFlags(&S.NewStream, cudaStreamNonBlocking);
}

static int dropGraph(Scene &S) {
  return S.Graph ? cudaGraphDestroy(S.Graph) : cudaSuccess;
}

static int dropStream(Scene &S) {
  dropGraph(S);
  return cudaStreamDestroy(S.NewStream);
}

static int drop(Scene &S) {
  dropStream(S);
  return cudaFree(S.P);
}

static int freeMemory(Scene &S) { return cudaFree(S.P); }

static void addPlain(Cases &C) {
  C.add("<<<>>>", "in another thread",
        [](Scene &S) {
          int E = 0;
          std::thread([&] {
            cudaSetDevice(0);
            touch<<<1, 32, 0, S.Stream>>>(S.Device2);
            E = cudaGetLastError();
          }).join();
          return E;
        })
      .streams()
      .before(warm);
  C.add("cudaMalloc", "in another thread", [](Scene &S) {
     int E = 0;
     std::thread([&] {
       cudaSetDevice(0);
       E = cudaMalloc(&S.P, S.Bytes);
     }).join();
     return E;
   }).after(freeMemory);
  C.add("cudaMallocHost", "in another thread", [](Scene &S) {
     int E = 0;
     std::thread([&] {
       cudaSetDevice(0);
       E = cudaMallocHost(&S.P, S.Bytes);
     }).join();
     return E;
   }).after([](Scene &S) { return cudaFreeHost(S.P); });
  C.add("cudaStreamSynchronize", "in another thread", [](Scene &S) {
     int E = 0;
     std::thread([&] {
       cudaSetDevice(0);
       E = cudaStreamSynchronize(S.Stream);
     }).join();
     return E;
   }).streams();
  C.add("cudaDeviceSynchronize", "in another thread", [](Scene &) {
    int E = 0;
    std::thread([&] {
      cudaSetDevice(0);
      E = cudaDeviceSynchronize();
    }).join();
    return E;
  });
  C.add("cudaMemcpy", "in another thread", [](Scene &S) {
    int E = 0;
    std::thread([&] {
      cudaSetDevice(0);
      E = cudaMemcpy(S.Device, S.Host, 64, cudaMemcpyHostToDevice);
    }).join();
    return E;
  });
  C.add("cudaEventQuery", "captured, in another thread", [](Scene &S) {
     int E = 0;
     std::thread([&] {
       cudaSetDevice(0);
       E = cudaEventQuery(S.Captured);
     }).join();
     return E;
   }).on({Relation::Origin});
  C.add("cudaStreamWaitEvent", "captured event, in another thread",
        [](Scene &S) {
          int E = 0;
          std::thread([&] {
            cudaSetDevice(0);
            E = cudaStreamWaitEvent(S.Stream, S.Captured, 0);
          }).join();
          return E;
        })
      .streams();
  C.add("cudaStreamBeginCapture", "in another thread",
        [](Scene &S) {
          int E = 0;
          std::thread([&] {
            cudaSetDevice(0);
            E = cudaStreamBeginCapture(S.Stream, S.Mode);
            if (S.Where != Relation::Origin)
              cudaStreamEndCapture(S.Stream, &S.Graph);
          }).join();
          return E;
        })
      .on({Relation::Origin, Relation::OtherBlocking,
           Relation::OtherNonBlocking})
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "in another thread",
        [](Scene &S) {
          int E = 0;
          std::thread([&] {
            cudaSetDevice(0);
            E = cudaStreamEndCapture(S.Stream, &S.Graph);
          }).join();
          return E;
        })
      .on({Relation::Origin})
      .after(dropGraph);
  C.add("cudaStreamEndCapture", "of a capture of a thread that is gone",
        [](Scene &S) { return cudaStreamEndCapture(S.NewStream, &S.Graph); })
      .before(makeStream)
      .inside([](Scene &S) {
        std::thread([&] { begin(S); }).join();
        return 0;
      })
      .after(dropStream)
      .fresh();
}

static void addRelaxed(Cases &C) {
  C.add("cudaMalloc", "in another thread, which is relaxed", [](Scene &S) {
     int E = 0;
     std::thread([&] {
       relax();
       E = cudaMalloc(&S.P, S.Bytes);
     }).join();
     return E;
   }).after(freeMemory);
  C.add("cudaMalloc", "in another thread, which is thread-local", [](Scene &S) {
     int E = 0;
     std::thread([&] {
       cudaStreamCaptureMode Mode = cudaStreamCaptureModeThreadLocal;
       cudaSetDevice(0);
       cudaThreadExchangeStreamCaptureMode(&Mode);
       E = cudaMalloc(&S.P, S.Bytes);
     }).join();
     return E;
   }).after(freeMemory);
  C.add("cudaStreamSynchronize", "in another thread, which is relaxed",
        [](Scene &S) {
          int E = 0;
          std::thread([&] {
            relax();
            E = cudaStreamSynchronize(S.Stream);
          }).join();
          return E;
        })
      .on({Relation::Origin, Relation::OtherBlocking,
           Relation::OtherNonBlocking, Relation::Legacy});
  C.add("cudaDeviceSynchronize", "in another thread, which is relaxed",
        [](Scene &) {
          int E = 0;
          std::thread([&] {
            relax();
            E = cudaDeviceSynchronize();
          }).join();
          return E;
        });
  C.add("cudaStreamEndCapture", "in another thread, which is relaxed",
        [](Scene &S) {
          int E = 0;
          std::thread([&] {
            relax();
            E = cudaStreamEndCapture(S.Stream, &S.Graph);
          }).join();
          return E;
        })
      .on({Relation::Origin})
      .after(dropGraph);
}

static void addCapturing(Cases &C) {
  C.add("cudaMalloc", "in another thread, which captures",
        [](Scene &S) {
          int E = 0;
          std::thread([&] {
            begin(S);
            E = cudaMalloc(&S.P, S.Bytes);
            end(S);
          }).join();
          return E;
        })
      .before(makeStream)
      .after(drop);
  C.add("cudaEventQuery", "in another thread, which captures",
        [](Scene &S) {
          int E = 0;
          std::thread([&] {
            begin(S);
            E = cudaEventQuery(S.Outside);
            end(S);
          }).join();
          return E;
        })
      .before(makeStream)
      .after(dropStream);
  C.add("cudaStreamSynchronize", "in another thread, which captures",
        [](Scene &S) {
          int E = 0;
          std::thread([&] {
            begin(S);
            E = cudaStreamSynchronize(S.Stream);
            end(S);
          }).join();
          return E;
        })
      .on({Relation::Origin, Relation::OtherBlocking,
           Relation::OtherNonBlocking})
      .before(makeStream)
      .after(dropStream);
  C.add("cudaStreamWaitEvent", "in another thread, its capture for this one",
        [](Scene &S) {
          int E = 0;
          std::thread([&] {
            begin(S);
            E = cudaStreamWaitEvent(S.NewStream, S.Captured, 0);
            end(S);
          }).join();
          return E;
        })
      .before(makeStream)
      .after(dropStream);
  C.add("<<<>>>", "in another thread, which captures",
        [](Scene &S) {
          int E = 0;
          std::thread([&] {
            begin(S);
            touch<<<1, 32, 0, S.Stream>>>(S.Device);
            E = cudaGetLastError();
            end(S);
          }).join();
          return E;
        })
      .on({Relation::Origin, Relation::OtherNonBlocking})
      .before([](Scene &S) {
        int E = makeStream(S);
        E |= warm(S);
        return E;
      })
      .after(dropStream);
}

void addOtherThreadCases(Cases &C) {
  addPlain(C);
  addRelaxed(C);
  addCapturing(C);
}

} // namespace cudagraph::conformance
