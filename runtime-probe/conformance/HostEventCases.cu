//===- HostEventCases.cu - External events and events after captures ------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An external event is a node that does not fork or join; the host may query
// it. The relation describes the stream on which the event was recorded.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

static int recordExternal(Scene &S) {
  return cudaEventRecordWithFlags(S.Fresh, S.Origin, cudaEventRecordExternal);
}

static int end(Scene &S) { return cudaStreamEndCapture(S.Origin, &S.Graph); }

/// Ends the capture and runs its graph.
static int replay(Scene &S) {
  int E = cudaStreamEndCapture(S.Origin, &S.Graph);
  E |= cudaGraphInstantiate(&S.Exec, S.Graph, 0);
  E |= cudaGraphLaunch(S.Exec, S.Origin);
  E |= cudaStreamSynchronize(S.Origin);
  return E;
}

static int drop(Scene &S) {
  if (S.Exec)
    cudaGraphExecDestroy(S.Exec);
  return S.Graph ? cudaGraphDestroy(S.Graph) : cudaSuccess;
}

/// Records the event outside the capture and waits for it; only threads in
/// relaxed mode may do so.
static int recordOutside(Scene &S, cudaEvent_t Event) {
  cudaStreamCaptureMode Mode = cudaStreamCaptureModeRelaxed;
  int E = cudaEventRecord(Event, S.OtherNonBlocking);
  E |= cudaThreadExchangeStreamCaptureMode(&Mode);
  E |= cudaStreamSynchronize(S.OtherNonBlocking);
  E |= cudaThreadExchangeStreamCaptureMode(&Mode);
  return E;
}

static void addQueries(Cases &C) {
  auto External = [](Scene &S) { return cudaEventQuery(S.Fresh); };
  C.add("cudaEventQuery", "recorded as external", External)
      .on({Relation::Origin})
      .inside(recordExternal);
  C.add("cudaEventQuery", "recorded as external, thread relaxed", External)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        cudaStreamCaptureMode Mode = cudaStreamCaptureModeRelaxed;
        int E = recordExternal(S);
        E |= cudaThreadExchangeStreamCaptureMode(&Mode);
        return E;
      })
      .after([](Scene &) {
        cudaStreamCaptureMode Mode = cudaStreamCaptureModeGlobal;
        return cudaThreadExchangeStreamCaptureMode(&Mode);
      });
  C.add("cudaEventQuery", "recorded as external, after the end", External)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = recordExternal(S);
        E |= end(S);
        return E;
      })
      .after(drop);
  C.add("cudaEventQuery", "recorded as external, after a launch", External)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = recordExternal(S);
        E |= replay(S);
        return E;
      })
      .after(drop);
  C.add("cudaEventQuery", "recorded as external, then captured", External)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = recordExternal(S);
        E |= cudaEventRecord(S.Fresh, S.Origin);
        return E;
      });
  auto Captured = [](Scene &S) { return cudaEventQuery(S.Captured); };
  C.add("cudaEventQuery", "captured, then recorded as external", Captured)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        return cudaEventRecordWithFlags(S.Captured, S.Origin,
                                        cudaEventRecordExternal);
      });
  C.add("cudaEventQuery", "captured, then recorded outside", Captured)
      .on({Relation::OtherNonBlocking})
      .inside([](Scene &S) { return recordOutside(S, S.Captured); });
  C.add("cudaEventQuery", "recorded before the capture and in it",
        [](Scene &S) { return cudaEventQuery(S.Outside); })
      .on({Relation::Origin})
      .inside([](Scene &S) { return cudaEventRecord(S.Outside, S.Origin); });
  C.add("cudaEventQuery", "captured, after the end", Captured)
      .on({Relation::Origin})
      .inside(end)
      .after(drop);
  C.add("cudaEventQuery", "captured, after a launch", Captured)
      .on({Relation::Origin})
      .inside(replay)
      .after(drop);
  C.add("cudaEventQuery", "captured, recorded outside after the end", Captured)
      .on({Relation::OtherNonBlocking})
      .inside([](Scene &S) {
        int E = end(S);
        E |= recordOutside(S, S.Captured);
        return E;
      })
      .after(drop);
}

static void addSynchronizes(Cases &C) {
  auto External = [](Scene &S) { return cudaEventSynchronize(S.Fresh); };
  C.add("cudaEventSynchronize", "recorded as external", External)
      .on({Relation::Origin})
      .inside(recordExternal);
  C.add("cudaEventSynchronize", "recorded as external, after a launch",
        External)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = recordExternal(S);
        E |= replay(S);
        return E;
      })
      .after(drop);
  auto Captured = [](Scene &S) { return cudaEventSynchronize(S.Captured); };
  C.add("cudaEventSynchronize", "captured, then recorded outside", Captured)
      .on({Relation::OtherNonBlocking})
      .inside([](Scene &S) { return recordOutside(S, S.Captured); });
  C.add("cudaEventSynchronize", "captured, after the end", Captured)
      .on({Relation::Origin})
      .inside(end)
      .after(drop);
  C.add("cudaEventSynchronize", "captured, after a launch", Captured)
      .on({Relation::Origin})
      .inside(replay)
      .after(drop);
  C.add("cudaEventSynchronize", "captured, recorded outside after the end",
        Captured)
      .on({Relation::OtherNonBlocking})
      .inside([](Scene &S) {
        int E = end(S);
        E |= recordOutside(S, S.Captured);
        return E;
      })
      .after(drop);
}

static void addTimes(Cases &C) {
  auto Elapsed = [](Scene &S) {
    float Ms;
    return cudaEventElapsedTime(&Ms, S.Fresh, S.Captured);
  };
  C.add("cudaEventElapsedTime", "from before the capture to a captured event",
        [](Scene &S) {
          float Ms;
          return cudaEventElapsedTime(&Ms, S.Outside, S.Captured);
        })
      .on({Relation::Origin});
  C.add("cudaEventElapsedTime", "captured, after the end", Elapsed)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = cudaEventRecord(S.Fresh, S.Origin);
        E |= end(S);
        return E;
      })
      .after(drop);
  C.add("cudaEventElapsedTime", "captured, after a launch", Elapsed)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = cudaEventRecord(S.Fresh, S.Origin);
        E |= replay(S);
        return E;
      })
      .after(drop);
  C.add("cudaEventElapsedTime", "recorded as external, after a launch", Elapsed)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        int E = recordExternal(S);
        E |= cudaEventRecordWithFlags(S.Captured, S.Origin,
                                      cudaEventRecordExternal);
        E |= replay(S);
        return E;
      })
      .after(drop);
  C.add("cudaEventElapsedTime", "captured, recorded outside after the end",
        Elapsed)
      .on({Relation::OtherNonBlocking})
      .inside([](Scene &S) {
        int E = end(S);
        E |= recordOutside(S, S.Fresh);
        E |= recordOutside(S, S.Captured);
        return E;
      })
      .after(drop);
}

static void addWaits(Cases &C) {
  C.add("cudaStreamWaitEvent", "external wait, captured event", [](Scene &S) {
     return cudaStreamWaitEvent(S.Stream, S.Captured, cudaEventWaitExternal);
   }).on({Relation::Origin, Relation::Joined});
  auto Wait = [](Scene &S) {
    return cudaStreamWaitEvent(S.Stream, S.Fresh, cudaEventWaitExternal);
  };
  C.add("cudaStreamWaitEvent", "external wait, event never recorded", Wait)
      .on({Relation::Origin, Relation::Joined});
  C.add("cudaStreamWaitEvent", "external wait, recorded outside in between",
        Wait)
      .on({Relation::Origin, Relation::Joined})
      .inside([](Scene &S) {
        return cudaEventRecord(S.Fresh, S.OtherNonBlocking);
      });
  C.add("cudaStreamWaitEvent", "external wait, recorded as external", Wait)
      .on({Relation::Origin, Relation::Joined})
      .inside(recordExternal);
  C.add("cudaStreamWaitEvent", "plain wait, recorded as external",
        [](Scene &S) { return cudaStreamWaitEvent(S.Stream, S.Fresh, 0); })
      .on({Relation::Origin, Relation::Joined, Relation::OtherBlocking,
           Relation::OtherNonBlocking})
      .inside(recordExternal);
  C.add("cudaStreamWaitEvent", "recorded before the capture and in it",
        [](Scene &S) { return cudaStreamWaitEvent(S.Stream, S.Outside, 0); })
      .on({Relation::Origin, Relation::Joined, Relation::OtherBlocking,
           Relation::OtherNonBlocking})
      .inside([](Scene &S) { return cudaEventRecord(S.Outside, S.Origin); });
  auto Captured = [](Scene &S) {
    return cudaStreamWaitEvent(S.Stream, S.Captured, 0);
  };
  C.add("cudaStreamWaitEvent", "captured event, then recorded outside",
        Captured)
      .on({Relation::Origin, Relation::Joined, Relation::OtherBlocking,
           Relation::OtherNonBlocking})
      .inside([](Scene &S) { return recordOutside(S, S.Captured); });
  C.add("cudaStreamWaitEvent", "captured event, after the end", Captured)
      .on({Relation::Origin, Relation::OtherBlocking,
           Relation::OtherNonBlocking})
      .inside(end)
      .after(drop);
  C.add("cudaStreamWaitEvent", "event of an earlier capture",
        [](Scene &S) { return cudaStreamWaitEvent(S.Stream, S.Event, 0); })
      .on({Relation::Origin, Relation::Joined, Relation::OtherBlocking,
           Relation::OtherNonBlocking})
      .before([](Scene &S) {
        int E = cudaStreamBeginCapture(S.Origin, S.Mode);
        E |= cudaMemsetAsync(S.Device2, 0, 64, S.Origin);
        E |= cudaEventRecord(S.Event, S.Origin);
        E |= end(S);
        return E;
      })
      .after(drop);
}

static void addRecords(Cases &C) {
  C.add("cudaEventRecord", "recorded as external",
        [](Scene &S) { return cudaEventRecord(S.Fresh, S.Stream); })
      .on({Relation::Origin, Relation::Joined, Relation::OtherNonBlocking})
      .inside(recordExternal);
  C.add("cudaEventRecordWithFlags", "external, captured event", [](Scene &S) {
     return cudaEventRecordWithFlags(S.Captured, S.Stream,
                                     cudaEventRecordExternal);
   }).on({Relation::Origin, Relation::Joined});
  C.add("cudaEventRecord", "captured event, after the end",
        [](Scene &S) { return cudaEventRecord(S.Captured, S.Stream); })
      .on({Relation::Origin, Relation::OtherNonBlocking})
      .inside(end)
      .after(drop);
  auto Destroy = [](Scene &S) { return cudaEventDestroy(S.Event); };
  C.add("cudaEventDestroy", "recorded as external", Destroy)
      .on({Relation::Origin})
      .inside([](Scene &S) {
        return cudaEventRecordWithFlags(S.Event, S.Origin,
                                        cudaEventRecordExternal);
      });
}

void addHostEventCases(Cases &C) {
  addQueries(C);
  addSynchronizes(C);
  addTimes(C);
  addWaits(C);
  addRecords(C);
}

} // namespace cudagraph::conformance
