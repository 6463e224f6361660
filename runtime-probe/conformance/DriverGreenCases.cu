//===- DriverGreenCases.cu - Green contexts and their resources -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The capture began on a stream of the primary context. The green context takes
// part in it only if the form states this; the joined stream then belongs to
// the green context.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

static CUgreenCtx greenIn(void *Slot) { return static_cast<CUgreenCtx>(Slot); }
static CUdevResource *resourceIn(void *Slot) {
  return static_cast<CUdevResource *>(Slot);
}

/// Runs \p First and, if it returns 0, \p Then.
static Action chain(Action First, Action Then) {
  return [=](Scene &S) {
    int E = First(S);
    return E ? E : Then(S);
  };
}

/// All of the device's multiprocessors, in S.P.
static int findResource(Scene &S) {
  S.P = new CUdevResource{};
  return cuDeviceGetDevResource(0, resourceIn(S.P), CU_DEV_RESOURCE_TYPE_SM);
}
/// Eight of them, in S.Q.
static int split(Scene &S) {
  S.Q = new CUdevResource{};
  unsigned Groups = 1;
  return cuDevSmResourceSplitByCount(resourceIn(S.Q), &Groups, resourceIn(S.P),
                                     nullptr, 0, 8);
}
static int dropResources(Scene &S) {
  delete resourceIn(S.P);
  delete resourceIn(S.Q);
  return 0;
}
/// The descriptor of a part of the device, in S.Q.
static int describe(Scene &S) {
  CUdevResource All{}, Part{};
  unsigned Groups = 1;
  int E = cuDeviceGetDevResource(0, &All, CU_DEV_RESOURCE_TYPE_SM);
  E = E ? E : cuDevSmResourceSplitByCount(&Part, &Groups, &All, nullptr, 0, 8);
  return E ? E
           : cuDevResourceGenerateDesc(
                 reinterpret_cast<CUdevResourceDesc *>(&S.Q), &Part, 1);
}
/// A green context in S.P.
static int makeGreen(Scene &S) {
  int E = describe(S);
  return E ? E
           : cuGreenCtxCreate(reinterpret_cast<CUgreenCtx *>(&S.P),
                              static_cast<CUdevResourceDesc>(S.Q), 0,
                              CU_GREEN_CTX_DEFAULT_STREAM);
}
/// Makes a stream of the green context the one that joins the capture.
static int joinGreen(Scene &S) {
  int E = cuGreenCtxStreamCreate(&S.NewStream, greenIn(S.P),
                                 CU_STREAM_NON_BLOCKING, 0);
  E = E ? E : cuStreamDestroy(S.Joined);
  S.Joined = S.Stream = S.NewStream;
  return E;
}
static int destroyGreen(Scene &S) {
  if (S.NewStream)
    cuStreamDestroy(S.NewStream);
  if (S.NewEvent)
    cuEventDestroy(S.NewEvent);
  return S.P ? cuGreenCtxDestroy(greenIn(S.P)) : 0;
}

static void addResources(Cases &C) {
  C.add("cuDevSmResourceSplitByCount", "",
        [](Scene &S) {
          CUdevResource Part;
          unsigned Groups = 1;
          return cuDevSmResourceSplitByCount(&Part, &Groups, resourceIn(S.P),
                                             nullptr, 0, 8);
        })
      .before(findResource)
      .after(dropResources);
  C.add("cuDevResourceGenerateDesc", "",
        [](Scene &S) {
          CUdevResourceDesc Description;
          return cuDevResourceGenerateDesc(&Description, resourceIn(S.Q), 1);
        })
      .before(chain(findResource, split))
      .after(dropResources);
  C.add("cuGreenCtxCreate", "",
        [](Scene &S) {
          return cuGreenCtxCreate(reinterpret_cast<CUgreenCtx *>(&S.P),
                                  static_cast<CUdevResourceDesc>(S.Q), 0,
                                  CU_GREEN_CTX_DEFAULT_STREAM);
        })
      .before(describe)
      .after(destroyGreen);
}

static void addGreenContexts(Cases &C) {
  C.add("cuGreenCtxDestroy", "", [](Scene &S) {
     return cuGreenCtxDestroy(greenIn(S.P));
   }).before(makeGreen);
  C.add("cuCtxFromGreenCtx", "",
        [](Scene &S) {
          CUcontext Ctx;
          return cuCtxFromGreenCtx(&Ctx, greenIn(S.P));
        })
      .before(makeGreen)
      .after(destroyGreen);
  C.add("cuGreenCtxGetDevResource", "",
        [](Scene &S) {
          CUdevResource Resource;
          return cuGreenCtxGetDevResource(greenIn(S.P), &Resource,
                                          CU_DEV_RESOURCE_TYPE_SM);
        })
      .before(makeGreen)
      .after(destroyGreen);
  C.add("cuGreenCtxGetId", "",
        [](Scene &S) {
          unsigned long long Id;
          return cuGreenCtxGetId(greenIn(S.P), &Id);
        })
      .before(makeGreen)
      .after(destroyGreen);
  C.add("cuGreenCtxStreamCreate", "",
        [](Scene &S) {
          return cuGreenCtxStreamCreate(&S.NewStream, greenIn(S.P),
                                        CU_STREAM_NON_BLOCKING, 0);
        })
      .before(makeGreen)
      .after(destroyGreen);
  auto Record = [](Scene &S) {
    return cuGreenCtxRecordEvent(greenIn(S.P), S.NewEvent);
  };
  auto MakeEvent = [](Scene &S) { return cuEventCreate(&S.NewEvent, 0); };
  C.add("cuGreenCtxRecordEvent", "", Record)
      .before(chain(makeGreen, MakeEvent))
      .after(destroyGreen);
  C.add("cuGreenCtxRecordEvent", "a stream of it has joined", Record)
      .on({Relation::Joined})
      .before(chain(chain(makeGreen, MakeEvent), joinGreen))
      .after(destroyGreen);
  C.add("cuGreenCtxWaitEvent", "",
        [](Scene &S) { return cuGreenCtxWaitEvent(greenIn(S.P), S.Event); })
      .events()
      .before(makeGreen)
      .after(destroyGreen);
  C.add("cuGreenCtxWaitEvent", "a stream of it has joined",
        [](Scene &S) { return cuGreenCtxWaitEvent(greenIn(S.P), S.Outside); })
      .on({Relation::Joined})
      .before(chain(makeGreen, joinGreen))
      .after(destroyGreen);
}

void addDriverGreenCases(Cases &C) {
  addResources(C);
  addGreenContexts(C);
}

} // namespace cudagraph::conformance
