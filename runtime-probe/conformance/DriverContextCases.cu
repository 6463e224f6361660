//===- DriverContextCases.cu - Contexts -----------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The capture belongs to the primary context, which stays current; "another
// context" does not take part in the capture.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

namespace cudagraph::conformance {

static CUcontext contextIn(void *Slot) { return static_cast<CUcontext>(Slot); }

/// Runs \p First and, if it returns 0, \p Then.
static Action chain(Action First, Action Then) {
  return [=](Scene &S) {
    int E = First(S);
    return E ? E : Then(S);
  };
}

/// The primary context in S.P.
static int findPrimary(Scene &S) {
  return cuCtxGetCurrent(reinterpret_cast<CUcontext *>(&S.P));
}
/// Another context in S.Q, with a separate event, and the primary context in
/// S.P.
static int makeOther(Scene &S) {
  int E = findPrimary(S);
  E = E ? E : cuCtxCreate(reinterpret_cast<CUcontext *>(&S.Q), nullptr, 0, 0);
  E = E ? E : cuEventCreate(&S.NewEvent, 0);
  CUcontext Popped;
  return E ? E : cuCtxPopCurrent(&Popped);
}
static int destroyOther(Scene &S) { return cuCtxDestroy(contextIn(S.Q)); }
/// Adds one user of the other context.
static int attachOther(Scene &S) {
  CUcontext Attached;
  int E = cuCtxSetCurrent(contextIn(S.Q));
  E = E ? E : cuCtxAttach(&Attached, 0);
  return E ? E : cuCtxSetCurrent(contextIn(S.P));
}

static void addQueries(Cases &C) {
  C.add("cuCtxGetApiVersion", "", [](Scene &S) {
     unsigned Version;
     return cuCtxGetApiVersion(contextIn(S.P), &Version);
   }).before(findPrimary);
  C.add("cuCtxGetCacheConfig", "", [](Scene &) {
    CUfunc_cache Config;
    return cuCtxGetCacheConfig(&Config);
  });
  C.add("cuCtxGetDevice", "", [](Scene &S) { return cuCtxGetDevice(&S.I); });
  C.add("cuCtxGetDevice", "of a context given", [](Scene &S) {
     return cuCtxGetDevice_v2(&S.I, contextIn(S.P));
   }).before(findPrimary);
  auto Affinity = [](Scene &) {
    CUexecAffinityParam P;
    return cuCtxGetExecAffinity(&P, CU_EXEC_AFFINITY_TYPE_SM_COUNT);
  };
  C.add("cuCtxGetExecAffinity", "", Affinity).before(Affinity);
  C.add("cuCtxGetFlags", "", [](Scene &) {
    unsigned Flags;
    return cuCtxGetFlags(&Flags);
  });
  C.add("cuCtxGetId", "", [](Scene &S) {
     unsigned long long Id;
     return cuCtxGetId(contextIn(S.P), &Id);
   }).before(findPrimary);
  C.add("cuCtxGetSharedMemConfig", "", [](Scene &) {
    CUsharedconfig Config;
    return cuCtxGetSharedMemConfig(&Config);
  });
  C.add("cuCtxGetStreamPriorityRange", "", [](Scene &S) {
    int Greatest;
    return cuCtxGetStreamPriorityRange(&S.I, &Greatest);
  });
  C.add("cuCtxGetDevResource", "", [](Scene &S) {
     CUdevResource Resource;
     return cuCtxGetDevResource(contextIn(S.P), &Resource,
                                CU_DEV_RESOURCE_TYPE_SM);
   }).before(findPrimary);
}

static void addSettings(Cases &C) {
  C.add("cuCtxResetPersistingL2Cache", "",
        [](Scene &) { return cuCtxResetPersistingL2Cache(); });
  auto Flags = [](Scene &) { return cuCtxSetFlags(CU_CTX_SCHED_AUTO); };
  C.add("cuCtxSetFlags", "", Flags).before(Flags);
  auto Banks = [](Scene &) {
    return cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE);
  };
  C.add("cuCtxSetSharedMemConfig", "", Banks).before(Banks);
}

static void addStack(Cases &C) {
  C.add("cuCtxPushCurrent", "", [](Scene &S) {
     int E = cuCtxPushCurrent(contextIn(S.P));
     CUcontext Popped;
     if (!E)
       cuCtxPopCurrent(&Popped);
     return E;
   }).before(findPrimary);
  C.add("cuCtxPopCurrent", "", [](Scene &) {
    CUcontext Popped;
    int E = cuCtxPopCurrent(&Popped);
    if (!E)
      cuCtxPushCurrent(Popped);
    return E;
  });
  C.add("cuCtxDestroy", "another context",
        [](Scene &S) { return cuCtxDestroy(contextIn(S.Q)); })
      .before(makeOther)
      .fresh();
  C.add("cuCtxAttach", "another context",
        [](Scene &S) {
          cuCtxSetCurrent(contextIn(S.Q));
          CUcontext Attached;
          int E = cuCtxAttach(&Attached, 0);
          cuCtxSetCurrent(contextIn(S.P));
          return E;
        })
      .before(chain(makeOther, attachOther))
      .fresh();
  auto Detach = [](Scene &S) {
    cuCtxSetCurrent(contextIn(S.Q));
    int E = cuCtxDetach(contextIn(S.Q));
    cuCtxSetCurrent(contextIn(S.P));
    return E;
  };
  C.add("cuCtxDetach", "another context", Detach)
      .before(chain(makeOther, attachOther))
      .fresh();
  C.add("cuCtxDetach", "last user of another context", Detach)
      .before(makeOther)
      .fresh();
}

static void addEvents(Cases &C) {
  C.add("cuCtxRecordEvent", "", [](Scene &S) {
     return cuCtxRecordEvent(contextIn(S.P), S.Fresh);
   }).before(findPrimary);
  C.add("cuCtxRecordEvent", "another context",
        [](Scene &S) { return cuCtxRecordEvent(contextIn(S.Q), S.NewEvent); })
      .before(makeOther)
      .after(destroyOther)
      .fresh();
  C.add("cuCtxWaitEvent", "",
        [](Scene &S) { return cuCtxWaitEvent(contextIn(S.P), S.Event); })
      .events()
      .before(findPrimary);
  C.add("cuCtxWaitEvent", "another context",
        [](Scene &S) { return cuCtxWaitEvent(contextIn(S.Q), S.Event); })
      .events()
      .before(makeOther)
      .after(destroyOther)
      .fresh();
}

void addDriverContextCases(Cases &C) {
  addQueries(C);
  addSettings(C);
  addStack(C);
  addEvents(C);
}

} // namespace cudagraph::conformance
