//===- NcclCases.cu - NCCL with one rank ----------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A collective of one rank is a copy, or nothing if it is in place. A rank that
// sends to itself runs a kernel of the library.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#if defined(CUDAGRAPH_WITHOUT_LIBRARIES) || !defined(CUDAGRAPH_WITH_NCCL)
void cudagraph::conformance::addNcclCases(Cases &) {}
#else

#include <nccl.h>

namespace cudagraph::conformance {

static int create(Scene &S) {
  int Device = 0;
  return ncclCommInitAll(&slot<ncclComm_t>(S), 1, &Device);
}
static int destroy(Scene &S) {
  return S.P ? emptied(S, ncclCommDestroy(slot<ncclComm_t>(S))) : 0;
}
/// Makes an id in S.Q.
static int identify(Scene &S) {
  auto *New = new ncclUniqueId;
  S.Q = New;
  return ncclGetUniqueId(New);
}

static void addCommunicators(Cases &C) {
  Action Create = [](Scene &S) {
    int Device = 0;
    return ncclCommInitAll(&slot<ncclComm_t>(S), 1, &Device);
  };
  Action Join = [](Scene &S) {
    return ncclCommInitRank(&slot<ncclComm_t>(S), 1, kept<ncclUniqueId>(S), 0);
  };
  Action Destroy = [](Scene &S) {
    return S.P ? emptied(S, ncclCommDestroy(slot<ncclComm_t>(S))) : 0;
  };
  Action Use = [](Scene &S) {
    return ncclAllReduce(S.Device, S.Device2, 16, ncclFloat, ncclSum,
                         slot<ncclComm_t>(S), S.Origin);
  };
  Action Once = chain(Create, Destroy);
  library(C, "ncclGetVersion", "",
          [](Scene &S) { return ncclGetVersion(&S.I); });
  library(C, "ncclGetUniqueId", "", [](Scene &S) {
    ncclUniqueId Id;
    return ncclGetUniqueId(&Id);
  }).before(identify);
  library(C, "ncclCommInitAll", "", Create).before(Once).after(Destroy);
  library(C, "ncclCommInitAll", "first in the process", Create).fresh();
  library(C, "ncclCommInitRank", "", Join)
      .before(chain(Once, identify))
      .after(Destroy);
  library(C, "ncclCommInitRankConfig", "",
          [](Scene &S) {
            ncclConfig_t Config = NCCL_CONFIG_INITIALIZER;
            return ncclCommInitRankConfig(&slot<ncclComm_t>(S), 1,
                                          kept<ncclUniqueId>(S), 0, &Config);
          })
      .before(chain(Once, identify))
      .after(Destroy);
  library(C, "ncclCommDestroy", "", Destroy).before(Create);
  library(C, "ncclCommDestroy", "after use", Destroy)
      .before(chain(Create, Use));
  library(C, "ncclCommFinalize", "",
          [](Scene &S) { return ncclCommFinalize(slot<ncclComm_t>(S)); })
      .before(chain(Create, Use))
      .after(Destroy);
  library(C, "ncclCommAbort", "", [](Scene &S) {
    return ncclCommAbort(slot<ncclComm_t>(S));
  }).before(chain(Create, Use));
  library(C, "ncclCommSplit", "",
          [](Scene &S) {
            return ncclCommSplit(slot<ncclComm_t>(S), 0, 0,
                                 reinterpret_cast<ncclComm_t *>(&S.Q), nullptr);
          })
      .before(Create)
      .after([](Scene &S) {
        ncclCommDestroy(static_cast<ncclComm_t>(S.Q));
        return destroy(S);
      });
}

static void addQueries(Cases &C) {
  library(C, "ncclCommGetAsyncError", "",
          [](Scene &S) {
            ncclResult_t Result;
            return ncclCommGetAsyncError(slot<ncclComm_t>(S), &Result);
          })
      .before(create)
      .after(destroy);
  library(C, "ncclCommCount", "",
          [](Scene &S) { return ncclCommCount(slot<ncclComm_t>(S), &S.I); })
      .before(create)
      .after(destroy);
  library(C, "ncclCommUserRank", "",
          [](Scene &S) { return ncclCommUserRank(slot<ncclComm_t>(S), &S.I); })
      .before(create)
      .after(destroy);
  library(C, "ncclCommCuDevice", "",
          [](Scene &S) { return ncclCommCuDevice(slot<ncclComm_t>(S), &S.I); })
      .before(create)
      .after(destroy);
}

static void addMemory(Cases &C) {
  Action Allocate = [](Scene &S) { return ncclMemAlloc(&S.Q, 1 << 21); };
  Action Free = [](Scene &S) { return ncclMemFree(S.Q); };
  Action Register = [](Scene &S) {
    return ncclCommRegister(slot<ncclComm_t>(S), S.Q, 1 << 21,
                            reinterpret_cast<void **>(&S.N));
  };
  Action Deregister = [](Scene &S) {
    return ncclCommDeregister(slot<ncclComm_t>(S),
                              reinterpret_cast<void *>(S.N));
  };
  Action Ready = chain(create, Allocate);
  library(C, "ncclMemAlloc", "", Allocate)
      .before(chain(Allocate, Free))
      .after(Free);
  library(C, "ncclMemFree", "", Free).before(Allocate);
  library(C, "ncclCommRegister", "", Register)
      .before(Ready)
      .after(chain(Deregister, chain(destroy, Free)));
  library(C, "ncclCommDeregister", "", Deregister)
      .before(chain(Ready, Register))
      .after(chain(destroy, Free));
}

static void addCollectives(Cases &C) {
  Action AllReduce = [](Scene &S) {
    return ncclAllReduce(S.Device, S.Device2, 16, ncclFloat, ncclSum,
                         slot<ncclComm_t>(S), S.Stream);
  };
  Action InPlace = [](Scene &S) {
    return ncclAllReduce(S.Device, S.Device, 16, ncclFloat, ncclSum,
                         slot<ncclComm_t>(S), S.Stream);
  };
  library(C, "ncclAllReduce", "", AllReduce)
      .on(mainRelations())
      .before(chain(create, AllReduce))
      .after(destroy);
  library(C, "ncclAllReduce", "in place", InPlace)
      .on(fewRelations())
      .before(chain(create, InPlace))
      .after(destroy);
  library(C, "ncclAllReduce", "first collective of the communicator", AllReduce)
      .on({Relation::Origin})
      .before(create)
      .fresh();
  Action Broadcast = [](Scene &S) {
    return ncclBroadcast(S.Device, S.Device2, 16, ncclFloat, 0,
                         slot<ncclComm_t>(S), S.Stream);
  };
  library(C, "ncclBroadcast", "", Broadcast)
      .on(fewRelations())
      .before(chain(create, Broadcast))
      .after(destroy);
  Action Gather = [](Scene &S) {
    return ncclAllGather(S.Device, S.Device2, 16, ncclFloat,
                         slot<ncclComm_t>(S), S.Stream);
  };
  library(C, "ncclAllGather", "", Gather)
      .on(fewRelations())
      .before(chain(create, Gather))
      .after(destroy);
  Action Scatter = [](Scene &S) {
    return ncclReduceScatter(S.Device, S.Device2, 16, ncclFloat, ncclSum,
                             slot<ncclComm_t>(S), S.Stream);
  };
  library(C, "ncclReduceScatter", "", Scatter)
      .on(fewRelations())
      .before(chain(create, Scatter))
      .after(destroy);
  Action Reduce = [](Scene &S) {
    return ncclReduce(S.Device, S.Device2, 16, ncclFloat, ncclSum, 0,
                      slot<ncclComm_t>(S), S.Stream);
  };
  library(C, "ncclReduce", "", Reduce)
      .on(fewRelations())
      .before(chain(create, Reduce))
      .after(destroy);
}

/// The end of a group enqueues its work.
static void addGroups(Cases &C) {
  Action Exchange = [](Scene &S) {
    ncclGroupStart();
    ncclSend(S.Device, 16, ncclFloat, 0, slot<ncclComm_t>(S), S.Stream);
    ncclRecv(S.Device2, 16, ncclFloat, 0, slot<ncclComm_t>(S), S.Stream);
    return ncclGroupEnd();
  };
  Action Grouped = [](Scene &S) {
    ncclGroupStart();
    ncclAllReduce(S.Device, S.Device2, 16, ncclFloat, ncclSum,
                  slot<ncclComm_t>(S), S.Stream);
    return ncclGroupEnd();
  };
  library(C, "ncclGroupStart", "", [](Scene &) {
    int E = ncclGroupStart();
    ncclGroupEnd();
    return E;
  });
  library(C, "ncclGroupEnd", "empty", [](Scene &) {
    ncclGroupStart();
    return ncclGroupEnd();
  });
  library(C, "ncclGroupEnd", "all-reduce", Grouped)
      .on(fewRelations())
      .before(chain(create, Grouped))
      .after(destroy);
  library(C, "ncclGroupEnd", "send to and receive from itself", Exchange)
      .on(mainRelations())
      .before(chain(create, Exchange))
      .after(destroy);
  library(C, "ncclGroupEnd", "first send to and receive from itself", Exchange)
      .on({Relation::Origin})
      .before(create)
      .fresh();
}

void addNcclCases(Cases &C) {
  addCommunicators(C);
  addQueries(C);
  addMemory(C);
  addCollectives(C);
  addGroups(C);
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
