//===- FftCases.cu - cuFFT ------------------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan is the handle, and stores the stream. Creating one allocates its work
// area.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#ifndef CUDAGRAPH_WITHOUT_LIBRARIES

#include <cufft.h>
#include <cufftXt.h>

namespace cudagraph::conformance {

static constexpr int Many = 1 << 16;

static int create(Scene &S) { return cufftCreate(&slot<cufftHandle>(S)); }
static int plan(Scene &S) {
  return cufftPlan1d(&slot<cufftHandle>(S), 64, CUFFT_C2C, 1);
}
static int destroy(Scene &S) {
  return cufftDestroy(slot<cufftHandle>(S)); // 0 is also a handle
}
static int setStream(Scene &S) {
  return cufftSetStream(slot<cufftHandle>(S), S.Stream);
}
static int allocate(Scene &S) { return cudaMalloc(&S.Q, Many * 64); }
static int release(Scene &S) {
  destroy(S);
  return cudaFree(S.Q);
}
static cufftComplex *complex(void *P) { return static_cast<cufftComplex *>(P); }

static void addPlans(Cases &C) {
  Action Plan = [](Scene &S) {
    return cufftPlan1d(&slot<cufftHandle>(S), 64, CUFFT_C2C, 1);
  };
  Action Destroy = [](Scene &S) {
    return cufftDestroy(slot<cufftHandle>(S)); // 0 is also a handle
  };
  Action Once = chain(Plan, Destroy);
  library(C, "cufftCreate", "", [](Scene &S) {
    return cufftCreate(&slot<cufftHandle>(S));
  }).after(Destroy);
  library(C, "cufftPlan1d", "", Plan).before(Once).after(Destroy);
  library(C, "cufftPlan1d", "first in the process", Plan).fresh();
  library(C, "cufftPlan1d", "65536 points",
          [](Scene &S) {
            return cufftPlan1d(&slot<cufftHandle>(S), Many, CUFFT_C2C, 1);
          })
      .before(Once)
      .after(Destroy);
  library(C, "cufftPlan2d", "",
          [](Scene &S) {
            return cufftPlan2d(&slot<cufftHandle>(S), 8, 8, CUFFT_C2C);
          })
      .before(Once)
      .after(Destroy);
  library(C, "cufftPlan3d", "",
          [](Scene &S) {
            return cufftPlan3d(&slot<cufftHandle>(S), 4, 4, 4, CUFFT_C2C);
          })
      .before(Once)
      .after(Destroy);
  library(C, "cufftPlanMany", "",
          [](Scene &S) {
            int Size = 64;
            return cufftPlanMany(&slot<cufftHandle>(S), 1, &Size, nullptr, 1,
                                 64, nullptr, 1, 64, CUFFT_C2C, 4);
          })
      .before(Once)
      .after(Destroy);
  library(C, "cufftMakePlan1d", "",
          [](Scene &S) {
            return cufftMakePlan1d(slot<cufftHandle>(S), 64, CUFFT_C2C, 1,
                                   &S.N);
          })
      .before(chain(Once, create))
      .after(Destroy);
  library(C, "cufftMakePlan1d", "no allocation",
          [](Scene &S) {
            return cufftMakePlan1d(slot<cufftHandle>(S), Many, CUFFT_C2C, 1,
                                   &S.N);
          })
      .before(chain(chain(Once, create),
                    [](Scene &S) {
                      return cufftSetAutoAllocation(slot<cufftHandle>(S), 0);
                    }))
      .after(Destroy);
  library(C, "cufftMakePlan2d", "",
          [](Scene &S) {
            return cufftMakePlan2d(slot<cufftHandle>(S), 8, 8, CUFFT_C2C, &S.N);
          })
      .before(chain(Once, create))
      .after(Destroy);
  library(C, "cufftMakePlanMany", "",
          [](Scene &S) {
            int Size = 64;
            return cufftMakePlanMany(slot<cufftHandle>(S), 1, &Size, nullptr, 1,
                                     64, nullptr, 1, 64, CUFFT_C2C, 4, &S.N);
          })
      .before(chain(Once, create))
      .after(Destroy);
  library(C, "cufftXtMakePlanMany", "",
          [](Scene &S) {
            long long Size = 64;
            return cufftXtMakePlanMany(slot<cufftHandle>(S), 1, &Size, nullptr,
                                       1, 64, CUDA_C_32F, nullptr, 1, 64,
                                       CUDA_C_32F, 1, &S.N, CUDA_C_32F);
          })
      .before(chain(Once, create))
      .after(Destroy);
  library(C, "cufftDestroy", "", Destroy).before(Plan);
}

static void addSettings(Cases &C) {
  Action Set = [](Scene &S) {
    return cufftSetStream(slot<cufftHandle>(S), S.Stream);
  };
  library(C, "cufftSetStream", "", Set)
      .on(mainRelations())
      .before(plan)
      .after(destroy);
  library(
      C, "cufftSetAutoAllocation", "",
      [](Scene &S) { return cufftSetAutoAllocation(slot<cufftHandle>(S), 0); })
      .before(create)
      .after(destroy);
  library(C, "cufftSetWorkArea", "",
          [](Scene &S) { return cufftSetWorkArea(slot<cufftHandle>(S), S.Q); })
      .before(chain(allocate, plan))
      .after(release);
  library(C, "cufftGetSize", "",
          [](Scene &S) { return cufftGetSize(slot<cufftHandle>(S), &S.N); })
      .before(plan)
      .after(destroy);
  library(C, "cufftEstimate1d", "", [](Scene &S) {
    return cufftEstimate1d(64, CUFFT_C2C, 1, &S.N);
  }).before(chain(plan, destroy));
}

static void addTransforms(Cases &C) {
  Action Ready = chain(plan, setStream);
  Action Exec = [](Scene &S) {
    return cufftExecC2C(slot<cufftHandle>(S), complex(S.Device),
                        complex(S.Device), CUFFT_FORWARD);
  };
  Action Large = [](Scene &S) {
    return cufftExecC2C(slot<cufftHandle>(S), complex(S.Q), complex(S.Q),
                        CUFFT_FORWARD);
  };
  Action PlanLarge = [](Scene &S) {
    return cufftPlan1d(&slot<cufftHandle>(S), Many, CUFFT_C2C, 1);
  };
  library(C, "cufftExecC2C", "", Exec)
      .on(mainRelations())
      .before(chain(Ready, Exec))
      .after(destroy);
  library(C, "cufftExecC2C", "first use of the plan", Exec)
      .on({Relation::Origin})
      .before(Ready)
      .fresh();
  library(C, "cufftExecC2C", "no stream set", Exec)
      .on({Relation::Legacy})
      .before(chain(plan, Exec))
      .after(destroy);
  library(C, "cufftExecC2C", "65536 points", Large)
      .on(mainRelations())
      .before(chain(chain(allocate, PlanLarge), chain(setStream, Large)))
      .after(release);
  library(C, "cufftDestroy", "after use", [](Scene &S) {
    return cufftDestroy(slot<cufftHandle>(S));
  }).before(chain(chain(allocate, PlanLarge), Large));
  Action PlanReal = [](Scene &S) {
    return cufftPlan1d(&slot<cufftHandle>(S), 64, CUFFT_R2C, 1);
  };
  Action Real = [](Scene &S) {
    return cufftExecR2C(slot<cufftHandle>(S), floats(S.Device),
                        complex(S.Device2));
  };
  library(C, "cufftExecR2C", "", Real)
      .on(mainRelations())
      .before(chain(chain(PlanReal, setStream), Real))
      .after(destroy);
  Action PlanBack = [](Scene &S) {
    return cufftPlan1d(&slot<cufftHandle>(S), 64, CUFFT_C2R, 1);
  };
  Action Back = [](Scene &S) {
    return cufftExecC2R(slot<cufftHandle>(S), complex(S.Device2),
                        floats(S.Device));
  };
  library(C, "cufftExecC2R", "", Back)
      .on(fewRelations())
      .before(chain(chain(PlanBack, setStream), Back))
      .after(destroy);
  Action PlanDouble = [](Scene &S) {
    return cufftPlan1d(&slot<cufftHandle>(S), 64, CUFFT_Z2Z, 1);
  };
  Action Double = [](Scene &S) {
    auto *Data = reinterpret_cast<cufftDoubleComplex *>(S.Device);
    return cufftExecZ2Z(slot<cufftHandle>(S), Data, Data, CUFFT_FORWARD);
  };
  library(C, "cufftExecZ2Z", "", Double)
      .on(fewRelations())
      .before(chain(chain(PlanDouble, setStream), Double))
      .after(destroy);
  Action Any = [](Scene &S) {
    return cufftXtExec(slot<cufftHandle>(S), S.Device, S.Device, CUFFT_FORWARD);
  };
  Action PlanAny = chain(create, [](Scene &S) {
    long long Size = 64;
    return cufftXtMakePlanMany(slot<cufftHandle>(S), 1, &Size, nullptr, 1, 64,
                               CUDA_C_32F, nullptr, 1, 64, CUDA_C_32F, 1, &S.N,
                               CUDA_C_32F);
  });
  library(C, "cufftXtExec", "", Any)
      .on(fewRelations())
      .before(chain(chain(PlanAny, setStream), Any))
      .after(destroy);
}

void addFftCases(Cases &C) {
  addPlans(C);
  addSettings(C);
  addTransforms(C);
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
