//===- InvalidCases.cu - Invalidated captures and dependencies ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls in a capture that an earlier call has invalidated, and calls that query
// or set the state of a capture.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

static __global__ void touch(char *P) { P[threadIdx.x] += 1; }

static int warm(Scene &) {
  cudaFuncAttributes A;
  return cudaFuncGetAttributes(&A, touch);
}

/// Invalidates the capture by a call that it refuses in every mode.
static int invalidate(Scene &S) {
  int E = cudaStreamSynchronize(S.Origin);
  cudaGetLastError();
  return E == cudaErrorStreamCaptureUnsupported ? 0 : 1;
}

static int endOnStream(Scene &S) {
  cudaGraph_t Second = nullptr;
  if (S.Where != Relation::Origin)
    cudaStreamEndCapture(S.Stream, &Second);
  return Second ? cudaGraphDestroy(Second) : cudaSuccess;
}

/// Calls with a stream.
static void addOnStreams(Cases &C) {
  C.add("<<<>>>", "after a refused call",
        [](Scene &S) {
          touch<<<1, 32, 0, S.Stream>>>(S.Device2);
          return cudaGetLastError();
        })
      .streams()
      .before(warm)
      .inside(invalidate);
  C.add("cudaMemcpyAsync", "after a refused call",
        [](Scene &S) {
          return cudaMemcpyAsync(S.Device, S.Device2, 64,
                                 cudaMemcpyDeviceToDevice, S.Stream);
        })
      .streams()
      .inside(invalidate);
  C.add("cudaEventRecord", "after a refused call",
        [](Scene &S) { return cudaEventRecord(S.Fresh, S.Stream); })
      .streams()
      .inside(invalidate);
  C.add("cudaStreamWaitEvent", "captured event, after a refused call",
        [](Scene &S) { return cudaStreamWaitEvent(S.Stream, S.Captured, 0); })
      .streams()
      .inside(invalidate);
  C.add("cudaStreamWaitEvent", "event never recorded, after a refused call",
        [](Scene &S) { return cudaStreamWaitEvent(S.Stream, S.Fresh, 0); })
      .streams()
      .inside(invalidate);
  C.add("cudaStreamIsCapturing", "after a refused call",
        [](Scene &S) {
          cudaStreamCaptureStatus Status;
          return cudaStreamIsCapturing(S.Stream, &Status);
        })
      .streams()
      .inside(invalidate);
  C.add("cudaStreamGetCaptureInfo", "after a refused call",
        [](Scene &S) {
          cudaStreamCaptureStatus Status;
          unsigned long long Id;
          return cudaStreamGetCaptureInfo(S.Stream, &Status, &Id);
        })
      .streams()
      .inside(invalidate);
  C.add("cudaStreamSynchronize", "after a refused call",
        [](Scene &S) { return cudaStreamSynchronize(S.Stream); })
      .streams()
      .inside(invalidate);
  C.add("cudaStreamQuery", "after a refused call",
        [](Scene &S) { return cudaStreamQuery(S.Stream); })
      .streams()
      .inside(invalidate);
  C.add("cudaMallocAsync", "after a refused call",
        [](Scene &S) { return cudaMallocAsync(&S.P, S.Bytes, S.Stream); })
      .streams()
      .inside(invalidate)
      .after([](Scene &S) {
        return S.P ? cudaFreeAsync(S.P, S.OtherNonBlocking) : cudaSuccess;
      });
  C.add("cudaStreamBeginCapture", "after a refused call",
        [](Scene &S) { return cudaStreamBeginCapture(S.Stream, S.Mode); })
      .streams()
      .inside(invalidate)
      .after(endOnStream);
  C.add("cudaStreamEndCapture", "after a refused call",
        [](Scene &S) { return cudaStreamEndCapture(S.Stream, &S.Graph); })
      .streams()
      .inside(invalidate);
  C.add("cudaStreamUpdateCaptureDependencies", "after a refused call",
        [](Scene &S) {
          return cudaStreamUpdateCaptureDependencies(
              S.Stream, nullptr, nullptr, 0, cudaStreamSetCaptureDependencies);
        })
      .on({Relation::Origin, Relation::Joined})
      .inside(invalidate);
  C.add("cudaStreamDestroy", "after a refused call",
        [](Scene &S) {
          int E = cudaStreamDestroy(S.Stream);
          S.JoinedGone = S.Where == Relation::Joined && E == cudaSuccess;
          return E;
        })
      .on({Relation::Joined, Relation::OtherBlocking,
           Relation::OtherNonBlocking})
      .inside(invalidate);
}

/// Calls without a stream argument.
static void addOthers(Cases &C) {
  C.add("cudaMalloc", "after a refused call",
        [](Scene &S) { return cudaMalloc(&S.P, S.Bytes); })
      .inside(invalidate)
      .after([](Scene &S) { return cudaFree(S.P); });
  C.add("cudaDeviceSynchronize", "after a refused call", [](Scene &) {
     return cudaDeviceSynchronize();
   }).inside(invalidate);
  C.add("cudaMemcpy", "after a refused call", [](Scene &S) {
     return cudaMemcpy(S.Device, S.Host, 64, cudaMemcpyHostToDevice);
   }).inside(invalidate);
  C.add("cudaEventQuery", "captured event, after a refused call",
        [](Scene &S) { return cudaEventQuery(S.Captured); })
      .on({Relation::Origin})
      .inside(invalidate);
  C.add("cudaEventSynchronize", "captured event, after a refused call",
        [](Scene &S) { return cudaEventSynchronize(S.Captured); })
      .on({Relation::Origin})
      .inside(invalidate);
  C.add("cudaEventQuery", "event of before, after a refused call",
        [](Scene &S) { return cudaEventQuery(S.Outside); })
      .inside(invalidate);
  C.add("cudaGetLastError", "after a refused call", [](Scene &) {
     return cudaGetLastError();
   }).inside([](Scene &S) {
    return cudaStreamSynchronize(S.Origin) == cudaSuccess;
  });
  C.add("cudaPeekAtLastError", "after a refused call", [](Scene &) {
     return cudaPeekAtLastError();
   }).inside([](Scene &S) {
    return cudaStreamSynchronize(S.Origin) == cudaSuccess;
  });
  C.add("cudaGetLastError", "after a refused call whose error was read",
        [](Scene &) { return cudaGetLastError(); })
      .inside(invalidate);
  C.add("cudaStreamCreateWithFlags", "after a refused call",
        [](Scene &S) {
          return cudaStreamCreateWithFlags(&S.NewStream, cudaStreamNonBlocking);
        })
      .inside(invalidate)
      .after([](Scene &S) {
        return S.NewStream ? cudaStreamDestroy(S.NewStream) : cudaSuccess;
      });
}

static void addDependencies(Cases &C) {
  C.add("cudaStreamGetCaptureInfo", "everything", [](Scene &S) {
     cudaStreamCaptureStatus Status;
     unsigned long long Id;
     cudaGraph_t Graph;
     const cudaGraphNode_t *Nodes;
     const cudaGraphEdgeData *Edges;
     return cudaStreamGetCaptureInfo(S.Stream, &Status, &Id, &Graph, &Nodes,
                                     &Edges, &S.N);
   }).streams();
  C.add("cudaStreamUpdateCaptureDependencies", "set to none", [](Scene &S) {
     return cudaStreamUpdateCaptureDependencies(
         S.Stream, nullptr, nullptr, 0, cudaStreamSetCaptureDependencies);
   }).on({Relation::Origin, Relation::Joined});
  // The captured graph belongs to the capture, so S.Graph stays empty.
  auto AddNode = [](Scene &S) {
    cudaStreamCaptureStatus Status;
    cudaGraph_t Graph = nullptr;
    int E = cudaStreamGetCaptureInfo(S.Origin, &Status, nullptr, &Graph);
    E |= cudaGraphAddEmptyNode(&S.Node, Graph, nullptr, 0);
    return E;
  };
  C.add("cudaStreamUpdateCaptureDependencies", "a node added by hand",
        [](Scene &S) {
          return cudaStreamUpdateCaptureDependencies(
              S.Stream, &S.Node, nullptr, 1, cudaStreamAddCaptureDependencies);
        })
      .on({Relation::Origin, Relation::Joined})
      .inside(AddNode);
  C.add("cudaStreamUpdateCaptureDependencies", "set to a node added by hand",
        [](Scene &S) {
          return cudaStreamUpdateCaptureDependencies(
              S.Stream, &S.Node, nullptr, 1, cudaStreamSetCaptureDependencies);
        })
      .on({Relation::Origin, Relation::Joined})
      .inside(AddNode);
  C.add("cudaStreamUpdateCaptureDependencies", "the origin's last node",
        [](Scene &S) {
          return cudaStreamUpdateCaptureDependencies(
              S.Stream, &S.Node, nullptr, 1, cudaStreamAddCaptureDependencies);
        })
      .on({Relation::Origin, Relation::Joined})
      .inside([](Scene &S) {
        cudaStreamCaptureStatus Status;
        const cudaGraphNode_t *Last = nullptr;
        int E = cudaStreamGetCaptureInfo(S.Origin, &Status, nullptr, nullptr,
                                         &Last, nullptr, &S.N);
        if (E || S.N != 1)
          return 1;
        S.Node = *Last;
        return 0;
      });
}

void addInvalidCases(Cases &C) {
  addOnStreams(C);
  addOthers(C);
  addDependencies(C);
}

} // namespace cudagraph::conformance
