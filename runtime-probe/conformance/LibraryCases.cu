//===- LibraryCases.cu - Libraries built on CUDA
//-------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library returns its own status, which does not tell what CUDA said; what
// the capture's status is after the call does. Cases that are the first of
// their kind in a process have one of their own, because libraries load code
// and allocate when first used. measure.sh
// leaves the libraries out where they are not installed.
//
//===----------------------------------------------------------------------===//

#include "Scene.h"

#ifdef CUDAGRAPH_WITHOUT_LIBRARIES
void cudagraph::conformance::addLibraryCases(Cases &) {}
#else

#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>
#include <cusparse.h>
#ifdef CUDAGRAPH_WITH_CUDNN
#include <cudnn.h>
#endif

namespace cudagraph::conformance {

template <typename Handle> static Handle &slot(Scene &S) {
  static_assert(sizeof(Handle) == sizeof(S.P) || sizeof(Handle) == sizeof(int));
  return reinterpret_cast<Handle &>(S.P);
}
static float *floats(void *P) { return static_cast<float *>(P); }

static const std::vector<Relation> &mainRelations() {
  static const std::vector<Relation> R{
      Relation::Origin, Relation::Joined, Relation::OtherBlocking,
      Relation::OtherNonBlocking, Relation::Legacy};
  return R;
}

/// Runs \p First and, if it returns 0, \p Then.
static Action chain(Action First, Action Then) {
  return [=](Scene &S) {
    int E = First(S);
    return E ? E : Then(S);
  };
}

static void addBlas(Cases &C) {
  Action Create = [](Scene &S) {
    return cublasCreate(&slot<cublasHandle_t>(S));
  };
  Action Destroy = [](Scene &S) {
    return cublasDestroy(slot<cublasHandle_t>(S));
  };
  Action Set = [](Scene &S) {
    return cublasSetStream(slot<cublasHandle_t>(S), S.Stream);
  };
  Action Gemm = [](Scene &S) {
    float One = 1;
    return cublasSgemm(slot<cublasHandle_t>(S), CUBLAS_OP_N, CUBLAS_OP_N, 16,
                       16, 16, &One, floats(S.Device), 16, floats(S.Device2),
                       16, &One, floats(S.Device2), 16);
  };
  Action Dot = [](Scene &S) {
    return cublasSdot(slot<cublasHandle_t>(S), 16, floats(S.Device), 1,
                      floats(S.Device2), 1, floats(S.Host));
  };
  Action Axpy = [](Scene &S) {
    float One = 1;
    return cublasSaxpy(slot<cublasHandle_t>(S), 16, &One, floats(S.Device), 1,
                       floats(S.Device2), 1);
  };
  Action Ready = chain(Create, Set);
  C.add("cublasCreate", "", Create)
      .before(chain(Create, Destroy))
      .after(Destroy);
  C.add("cublasCreate", "first in the process", Create).fresh();
  C.add("cublasDestroy", "", Destroy).before(Create);
  C.add("cublasDestroy", "after use", Destroy).before(chain(Create, Gemm));
  C.add("cublasSetStream", "", Set)
      .on(mainRelations())
      .before(Create)
      .after(Destroy);
  C.add("cublasSetWorkspace", "",
        [](Scene &S) {
          return cublasSetWorkspace(slot<cublasHandle_t>(S), S.Device, S.Bytes);
        })
      .before(Create)
      .after(Destroy);
  C.add("cublasSetPointerMode", "",
        [](Scene &S) {
          return cublasSetPointerMode(slot<cublasHandle_t>(S),
                                      CUBLAS_POINTER_MODE_DEVICE);
        })
      .before(Create)
      .after(Destroy);
  C.add("cublasSgemm", "", Gemm)
      .on(mainRelations())
      .before(chain(Ready, Gemm))
      .after(Destroy);
  C.add("cublasSgemm", "first use of the handle", Gemm)
      .on({Relation::Origin, Relation::Legacy})
      .before(Ready)
      .fresh();
  C.add("cublasSaxpy", "", Axpy)
      .on(mainRelations())
      .before(chain(Ready, Axpy))
      .after(Destroy);
  C.add("cublasSdot", "result on the host", Dot)
      .on(mainRelations())
      .before(chain(Ready, Dot))
      .after(Destroy);
  C.add("cublasSdot", "result on the device",
        [](Scene &S) {
          return cublasSdot(slot<cublasHandle_t>(S), 16, floats(S.Device), 1,
                            floats(S.Device2), 1, floats(S.Device2));
        })
      .on(mainRelations())
      .before(chain(chain(Ready, Dot),
                    [](Scene &S) {
                      return cublasSetPointerMode(slot<cublasHandle_t>(S),
                                                  CUBLAS_POINTER_MODE_DEVICE);
                    }))
      .after(Destroy);
  C.add("cublasSetVector", "", [](Scene &S) {
    return cublasSetVector(16, 4, S.Host, 1, S.Device, 1);
  });
  C.add("cublasGetVector", "", [](Scene &S) {
    return cublasGetVector(16, 4, S.Device, 1, S.Host, 1);
  });
}

static void addFft(Cases &C) {
  Action Plan = [](Scene &S) {
    return cufftPlan1d(&slot<cufftHandle>(S), 64, CUFFT_C2C, 1);
  };
  Action Destroy = [](Scene &S) { return cufftDestroy(slot<cufftHandle>(S)); };
  Action Set = [](Scene &S) {
    return cufftSetStream(slot<cufftHandle>(S), S.Stream);
  };
  Action Exec = [](Scene &S) {
    auto *Data = reinterpret_cast<cufftComplex *>(S.Device);
    return cufftExecC2C(slot<cufftHandle>(S), Data, Data, CUFFT_FORWARD);
  };
  C.add("cufftCreate", "", [](Scene &S) {
     return cufftCreate(&slot<cufftHandle>(S));
   }).after(Destroy);
  C.add("cufftPlan1d", "", Plan).before(chain(Plan, Destroy)).after(Destroy);
  C.add("cufftPlan1d", "first in the process", Plan).fresh();
  C.add("cufftDestroy", "", Destroy).before(Plan);
  C.add("cufftSetStream", "", Set)
      .on(mainRelations())
      .before(Plan)
      .after(Destroy);
  C.add("cufftExecC2C", "", Exec)
      .on(mainRelations())
      .before(chain(chain(Plan, Set), Exec))
      .after(Destroy);
  C.add("cufftExecC2C", "first use of the plan", Exec)
      .on({Relation::Origin})
      .before(chain(Plan, Set))
      .fresh();
}

static void addRand(Cases &C) {
  Action Create = [](Scene &S) {
    return curandCreateGenerator(&slot<curandGenerator_t>(S),
                                 CURAND_RNG_PSEUDO_PHILOX4_32_10);
  };
  Action CreateXorwow = [](Scene &S) {
    return curandCreateGenerator(&slot<curandGenerator_t>(S),
                                 CURAND_RNG_PSEUDO_XORWOW);
  };
  Action Destroy = [](Scene &S) {
    return curandDestroyGenerator(slot<curandGenerator_t>(S));
  };
  Action Set = [](Scene &S) {
    return curandSetStream(slot<curandGenerator_t>(S), S.Stream);
  };
  Action Generate = [](Scene &S) {
    return curandGenerateUniform(slot<curandGenerator_t>(S), floats(S.Device),
                                 64);
  };
  C.add("curandCreateGenerator", "Philox", Create).after(Destroy);
  C.add("curandCreateGenerator", "XORWOW", CreateXorwow).after(Destroy);
  C.add("curandCreateGenerator", "first in the process", Create).fresh();
  C.add("curandDestroyGenerator", "", Destroy).before(Create);
  C.add("curandDestroyGenerator", "after use", Destroy)
      .before(chain(CreateXorwow, Generate));
  C.add("curandSetStream", "", Set)
      .on(mainRelations())
      .before(Create)
      .after(Destroy);
  C.add("curandSetPseudoRandomGeneratorSeed", "",
        [](Scene &S) {
          return curandSetPseudoRandomGeneratorSeed(slot<curandGenerator_t>(S),
                                                    7);
        })
      .before(chain(Create, Generate))
      .after(Destroy);
  C.add("curandGenerateUniform", "Philox, used before", Generate)
      .on(mainRelations())
      .before(chain(chain(Create, Set), Generate))
      .after(Destroy);
  C.add("curandGenerateUniform", "XORWOW, used before", Generate)
      .on(mainRelations())
      .before(chain(chain(CreateXorwow, Set), Generate))
      .after(Destroy);
  C.add("curandGenerateUniform", "Philox, first use", Generate)
      .on({Relation::Origin, Relation::OtherNonBlocking})
      .before(chain(Create, Set))
      .fresh();
  C.add("curandGenerateUniform", "XORWOW, first use", Generate)
      .on({Relation::Origin, Relation::OtherNonBlocking})
      .before(chain(CreateXorwow, Set))
      .fresh();
  C.add(
       "curandGenerateSeeds", "XORWOW",
       [](Scene &S) { return curandGenerateSeeds(slot<curandGenerator_t>(S)); })
      .on({Relation::Origin, Relation::OtherNonBlocking})
      .before(chain(CreateXorwow, Set))
      .after(Destroy);
}

static void addSolver(Cases &C) {
  Action Create = [](Scene &S) {
    return cusolverDnCreate(&slot<cusolverDnHandle_t>(S));
  };
  Action Destroy = [](Scene &S) {
    return cusolverDnDestroy(slot<cusolverDnHandle_t>(S));
  };
  Action Set = [](Scene &S) {
    return cusolverDnSetStream(slot<cusolverDnHandle_t>(S), S.Stream);
  };
  Action Size = [](Scene &S) {
    return cusolverDnSpotrf_bufferSize(slot<cusolverDnHandle_t>(S),
                                       CUBLAS_FILL_MODE_LOWER, 8,
                                       floats(S.Device), 8, &S.I);
  };
  Action Buffer = [](Scene &S) {
    return cudaMalloc(&S.Q, sizeof(float) * (S.I + 1));
  };
  Action Factor = [](Scene &S) {
    return cusolverDnSpotrf(slot<cusolverDnHandle_t>(S), CUBLAS_FILL_MODE_LOWER,
                            8, floats(S.Device), 8, floats(S.Q), S.I,
                            reinterpret_cast<int *>(S.Device2));
  };
  Action Ready = chain(chain(Create, Set), chain(Size, Buffer));
  C.add("cusolverDnCreate", "", Create)
      .before(chain(Create, Destroy))
      .after(Destroy);
  C.add("cusolverDnCreate", "first in the process", Create).fresh();
  C.add("cusolverDnDestroy", "", Destroy).before(Create);
  C.add("cusolverDnSetStream", "", Set)
      .on(mainRelations())
      .before(Create)
      .after(Destroy);
  C.add("cusolverDnSpotrf_bufferSize", "", Size).before(Create).after(Destroy);
  C.add("cusolverDnSpotrf", "", Factor)
      .on(mainRelations())
      .before(chain(Ready, Factor))
      .after(Destroy);
  C.add("cusolverDnSpotrf", "first use of the handle", Factor)
      .on({Relation::Origin})
      .before(Ready)
      .fresh();
}

static void addSparse(Cases &C) {
  Action Create = [](Scene &S) {
    return cusparseCreate(&slot<cusparseHandle_t>(S));
  };
  Action Destroy = [](Scene &S) {
    return cusparseDestroy(slot<cusparseHandle_t>(S));
  };
  Action Set = [](Scene &S) {
    return cusparseSetStream(slot<cusparseHandle_t>(S), S.Stream);
  };
  C.add("cusparseCreate", "", Create)
      .before(chain(Create, Destroy))
      .after(Destroy);
  C.add("cusparseCreate", "first in the process", Create).fresh();
  C.add("cusparseDestroy", "", Destroy).before(Create);
  C.add("cusparseSetStream", "", Set)
      .on(mainRelations())
      .before(Create)
      .after(Destroy);
}

static void addDnn(Cases &C) {
#ifdef CUDAGRAPH_WITH_CUDNN
  Action Create = [](Scene &S) { return cudnnCreate(&slot<cudnnHandle_t>(S)); };
  Action Destroy = [](Scene &S) {
    return cudnnDestroy(slot<cudnnHandle_t>(S));
  };
  C.add("cudnnCreate", "", Create)
      .before(chain(Create, Destroy))
      .after(Destroy);
  C.add("cudnnCreate", "first in the process", Create).fresh();
  C.add("cudnnDestroy", "", Destroy).before(Create);
  C.add("cudnnSetStream", "",
        [](Scene &S) {
          return cudnnSetStream(slot<cudnnHandle_t>(S), S.Stream);
        })
      .on(mainRelations())
      .before(Create)
      .after(Destroy);
#else
  (void)C;
#endif
}

void addLibraryCases(Cases &C) {
  addBlas(C);
  addFft(C);
  addRand(C);
  addSolver(C);
  addSparse(C);
  addDnn(C);
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
