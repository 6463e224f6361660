//===- DriverStreamCases.cu - The driver's streams and events -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls that are not in DriverCases.cu and DriverStateCases.cu.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

static CUdeviceptr address(void *P) { return reinterpret_cast<CUdeviceptr>(P); }

/// A wait must not depend on uninitialized memory.
static int clear(Scene &S) { return cudaMemset(S.Device2, 0, S.Bytes); }

static void addStreams(Cases &C) {
  C.add("cuStreamCreateWithPriority", "", [](Scene &S) {
     return cuStreamCreateWithPriority(&S.NewStream, CU_STREAM_NON_BLOCKING, 0);
   }).after([](Scene &S) {
    return S.NewStream ? cuStreamDestroy(S.NewStream) : CUDA_SUCCESS;
  });
  C.add("cuStreamDestroy", "stream of the capture", [](Scene &S) {
     int E = cuStreamDestroy(S.Stream);
     S.OriginGone = S.Where == Relation::Origin && E == CUDA_SUCCESS;
     S.JoinedGone = S.Where == Relation::Joined && E == CUDA_SUCCESS;
     return E;
   }).on({Relation::Origin, Relation::Joined});
  C.add("cuStreamGetGreenCtx", "", [](Scene &S) {
     return cuStreamGetGreenCtx(S.Stream, reinterpret_cast<CUgreenCtx *>(&S.P));
   }).streams();
  C.add("cuStreamBeginCapture", "another capture",
        [](Scene &S) {
          return cuStreamBeginCapture(S.Stream,
                                      static_cast<CUstreamCaptureMode>(S.Mode));
        })
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking,
           Relation::PerThread})
      .after([](Scene &S) {
        CUgraph Graph = nullptr;
        int E = cuStreamEndCapture(S.Stream, &Graph);
        return Graph ? cuGraphDestroy(Graph) : E;
      });
  C.add("cuStreamBeginCaptureToGraph", "",
        [](Scene &S) {
          return cuStreamBeginCaptureToGraph(
              S.Stream, S.Graph, nullptr, nullptr, 0,
              static_cast<CUstreamCaptureMode>(S.Mode));
        })
      .streams()
      .before([](Scene &S) { return cuGraphCreate(&S.Graph, 0); })
      .after([](Scene &S) {
        CUgraph Graph = nullptr;
        if (S.Where != Relation::Origin)
          cuStreamEndCapture(S.Stream, &Graph);
        return cuGraphDestroy(S.Graph);
      });
  C.add("cuStreamWaitValue64", "",
        [](Scene &S) {
          return cuStreamWaitValue64(S.Stream, address(S.Device2), 0,
                                     CU_STREAM_WAIT_VALUE_GEQ);
        })
      .streams()
      .before(clear);
  C.add("cuStreamWriteValue64", "", [](Scene &S) {
     return cuStreamWriteValue64(S.Stream, address(S.Device2), 0, 0);
   }).streams();
}

static void addEvents(Cases &C) {
  C.add("cuEventRecordWithFlags", "", [](Scene &S) {
     return cuEventRecordWithFlags(S.Fresh, S.Stream, CU_EVENT_RECORD_DEFAULT);
   }).streams();
  C.add("cuEventRecordWithFlags", "external", [](Scene &S) {
     return cuEventRecordWithFlags(S.Fresh, S.Stream, CU_EVENT_RECORD_EXTERNAL);
   }).streams();
  C.add("cuEventRecord", "event that the capture recorded", [](Scene &S) {
     return cuEventRecord(S.Captured, S.Stream);
   }).streams();
  C.add("cuStreamWaitEvent", "event recorded on another stream in between",
        [](Scene &S) { return cuStreamWaitEvent(S.Stream, S.Fresh, 0); })
      .streams()
      .inside(
          [](Scene &S) { return cuEventRecord(S.Fresh, S.OtherNonBlocking); });
  C.add("cuStreamWaitEvent", "event never recorded", [](Scene &S) {
     return cuStreamWaitEvent(S.Stream, S.Fresh, 0);
   }).streams();
  C.add("cuStreamWaitEvent", "external wait", [](Scene &S) {
     return cuStreamWaitEvent(S.Stream, S.Outside, CU_EVENT_WAIT_EXTERNAL);
   }).streams();
}

void addDriverStreamCases(Cases &C) {
  addStreams(C);
  addEvents(C);
}

} // namespace cudagraph::conformance
