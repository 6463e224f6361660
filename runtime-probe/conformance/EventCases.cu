//===- EventCases.cu - Events ---------------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

static void addStates(Cases &C) {
  C.add("cudaEventQuery", "", [](Scene &S) {
     return cudaEventQuery(S.Event);
   }).events();
  C.add("cudaEventQuery", "recorded on the origin before the capture",
        [](Scene &S) { return cudaEventQuery(S.Outside); })
      .on({Relation::OtherBlocking});
  C.add("cudaEventQuery", "recorded during the capture",
        [](Scene &S) { return cudaEventQuery(S.Event); })
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking,
           Relation::Legacy, Relation::PerThread})
      .inside([](Scene &S) { return cudaEventRecord(S.Event, S.Stream); });
  C.add("cudaEventSynchronize", "", [](Scene &S) {
     return cudaEventSynchronize(S.Event);
   }).events();
  C.add("cudaEventSynchronize", "recorded on the origin before the capture",
        [](Scene &S) { return cudaEventSynchronize(S.Outside); })
      .on({Relation::OtherBlocking});
  C.add("cudaEventSynchronize", "recorded during the capture",
        [](Scene &S) { return cudaEventSynchronize(S.Event); })
      .on({Relation::OtherBlocking, Relation::OtherNonBlocking,
           Relation::Legacy, Relation::PerThread})
      .inside([](Scene &S) { return cudaEventRecord(S.Event, S.Stream); });
}

void addEventCases(Cases &C) {
  addStates(C);
  C.add("cudaEventElapsedTime", "from an event of the same stream",
        [](Scene &S) {
          float Ms;
          return cudaEventElapsedTime(&Ms, S.NewEvent, S.Event);
        })
      .events()
      .before([](Scene &S) {
        // Outside a capture, the call fails unless the start event is recorded.
        int E = cudaEventCreate(&S.NewEvent);
        return E ? E : cudaEventRecord(S.NewEvent, S.OtherNonBlocking);
      });
  C.add("cudaEventElapsedTime", "between captured events",
        [](Scene &S) {
          float Ms;
          return cudaEventElapsedTime(&Ms, S.Captured, S.Event);
        })
      .on({Relation::Origin, Relation::Joined})
      .EventNamed = true;

  C.add("cudaEventRecord", "", [](Scene &S) {
     return cudaEventRecord(S.Fresh, S.Stream);
   }).streams();
  C.add("cudaEventRecord", "event that the capture recorded", [](Scene &S) {
     return cudaEventRecord(S.Captured, S.Stream);
   }).streams();
  C.add("cudaEventRecordWithFlags", "", [](Scene &S) {
     return cudaEventRecordWithFlags(S.Fresh, S.Stream, 0);
   }).streams();
  C.add("cudaEventRecordWithFlags", "external", [](Scene &S) {
     return cudaEventRecordWithFlags(S.Fresh, S.Stream,
                                     cudaEventRecordExternal);
   }).streams();

  auto Destroy = [](Scene &S) {
    return S.NewEvent ? cudaEventDestroy(S.NewEvent) : cudaSuccess;
  };
  C.add("cudaEventCreate", "", [](Scene &S) {
     return cudaEventCreate(&S.NewEvent);
   }).after(Destroy);
  C.add("cudaEventCreateWithFlags", "", [](Scene &S) {
     return cudaEventCreateWithFlags(&S.NewEvent, cudaEventDisableTiming);
   }).after(Destroy);
  C.add("cudaEventDestroy", "", [](Scene &S) {
     return cudaEventDestroy(S.Event);
   }).events();

  auto Shared = [](Scene &S) {
    return cudaEventCreateWithFlags(&S.NewEvent, cudaEventDisableTiming |
                                                     cudaEventInterprocess);
  };
  C.add("cudaIpcGetEventHandle", "",
        [](Scene &S) {
          cudaIpcEventHandle_t Handle;
          return cudaIpcGetEventHandle(&Handle, S.NewEvent);
        })
      .before(Shared)
      .after(Destroy);
  C.add("cudaIpcGetMemHandle", "", [](Scene &S) {
    cudaIpcMemHandle_t Handle;
    return cudaIpcGetMemHandle(&Handle, S.Device);
  });
}

} // namespace cudagraph::conformance
