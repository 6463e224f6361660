//===- LibraryCases.cu - Libraries built on CUDA --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuFFT, cuRAND, cuSPARSE and cuDNN. measure.sh leaves the libraries out where
// they are not installed.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#ifdef CUDAGRAPH_WITHOUT_LIBRARIES
void cudagraph::conformance::addLibraryCases(Cases &) {}
#else

#include <cufft.h>
#include <curand.h>
#include <cusparse.h>
#ifdef CUDAGRAPH_WITH_CUDNN
#include <cudnn.h>
#endif

namespace cudagraph::conformance {

static void addFft(Cases &C) {
  Action Plan = [](Scene &S) {
    return cufftPlan1d(&slot<cufftHandle>(S), 64, CUFFT_C2C, 1);
  };
  Action Destroy = [](Scene &S) {
    return cufftDestroy(slot<cufftHandle>(S)); // 0 is a handle, too
  };
  Action Set = [](Scene &S) {
    return cufftSetStream(slot<cufftHandle>(S), S.Stream);
  };
  Action Exec = [](Scene &S) {
    auto *Data = reinterpret_cast<cufftComplex *>(S.Device);
    return cufftExecC2C(slot<cufftHandle>(S), Data, Data, CUFFT_FORWARD);
  };
  library(C, "cufftCreate", "", [](Scene &S) {
    return cufftCreate(&slot<cufftHandle>(S));
  }).after(Destroy);
  library(C, "cufftPlan1d", "", Plan)
      .before(chain(Plan, Destroy))
      .after(Destroy);
  library(C, "cufftPlan1d", "first in the process", Plan).fresh();
  library(C, "cufftDestroy", "", Destroy).before(Plan);
  library(C, "cufftSetStream", "", Set)
      .on(mainRelations())
      .before(Plan)
      .after(Destroy);
  library(C, "cufftExecC2C", "", Exec)
      .on(mainRelations())
      .before(chain(chain(Plan, Set), Exec))
      .after(Destroy);
  library(C, "cufftExecC2C", "first use of the plan", Exec)
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
    return S.P ? emptied(S, curandDestroyGenerator(slot<curandGenerator_t>(S)))
               : 0;
  };
  Action Set = [](Scene &S) {
    return curandSetStream(slot<curandGenerator_t>(S), S.Stream);
  };
  Action Generate = [](Scene &S) {
    return curandGenerateUniform(slot<curandGenerator_t>(S), floats(S.Device),
                                 64);
  };
  library(C, "curandCreateGenerator", "Philox", Create).after(Destroy);
  library(C, "curandCreateGenerator", "XORWOW", CreateXorwow).after(Destroy);
  library(C, "curandCreateGenerator", "first in the process", Create).fresh();
  library(C, "curandDestroyGenerator", "", Destroy).before(Create);
  library(C, "curandDestroyGenerator", "after use", Destroy)
      .before(chain(CreateXorwow, Generate));
  library(C, "curandSetStream", "", Set)
      .on(mainRelations())
      .before(Create)
      .after(Destroy);
  library(C, "curandSetPseudoRandomGeneratorSeed", "",
          [](Scene &S) {
            return curandSetPseudoRandomGeneratorSeed(
                slot<curandGenerator_t>(S), 7);
          })
      .before(chain(Create, Generate))
      .after(Destroy);
  library(C, "curandGenerateUniform", "Philox, used before", Generate)
      .on(mainRelations())
      .before(chain(chain(Create, Set), Generate))
      .after(Destroy);
  library(C, "curandGenerateUniform", "XORWOW, used before", Generate)
      .on(mainRelations())
      .before(chain(chain(CreateXorwow, Set), Generate))
      .after(Destroy);
  library(C, "curandGenerateUniform", "Philox, first use", Generate)
      .on({Relation::Origin, Relation::OtherNonBlocking})
      .before(chain(Create, Set))
      .fresh();
  library(C, "curandGenerateUniform", "XORWOW, first use", Generate)
      .on({Relation::Origin, Relation::OtherNonBlocking})
      .before(chain(CreateXorwow, Set))
      .fresh();
  library(
      C, "curandGenerateSeeds", "XORWOW",
      [](Scene &S) { return curandGenerateSeeds(slot<curandGenerator_t>(S)); })
      .on({Relation::Origin, Relation::OtherNonBlocking})
      .before(chain(CreateXorwow, Set))
      .after(Destroy);
}

static void addSparse(Cases &C) {
  Action Create = [](Scene &S) {
    return cusparseCreate(&slot<cusparseHandle_t>(S));
  };
  Action Destroy = [](Scene &S) {
    return S.P ? emptied(S, cusparseDestroy(slot<cusparseHandle_t>(S))) : 0;
  };
  Action Set = [](Scene &S) {
    return cusparseSetStream(slot<cusparseHandle_t>(S), S.Stream);
  };
  library(C, "cusparseCreate", "", Create)
      .before(chain(Create, Destroy))
      .after(Destroy);
  library(C, "cusparseCreate", "first in the process", Create).fresh();
  library(C, "cusparseDestroy", "", Destroy).before(Create);
  library(C, "cusparseSetStream", "", Set)
      .on(mainRelations())
      .before(Create)
      .after(Destroy);
}

static void addDnn(Cases &C) {
#ifdef CUDAGRAPH_WITH_CUDNN
  Action Create = [](Scene &S) { return cudnnCreate(&slot<cudnnHandle_t>(S)); };
  Action Destroy = [](Scene &S) {
    return S.P ? emptied(S, cudnnDestroy(slot<cudnnHandle_t>(S))) : 0;
  };
  library(C, "cudnnCreate", "", Create)
      .before(chain(Create, Destroy))
      .after(Destroy);
  library(C, "cudnnCreate", "first in the process", Create).fresh();
  library(C, "cudnnDestroy", "", Destroy).before(Create);
  library(
      C, "cudnnSetStream", "",
      [](Scene &S) { return cudnnSetStream(slot<cudnnHandle_t>(S), S.Stream); })
      .on(mainRelations())
      .before(Create)
      .after(Destroy);
#else
  (void)C;
#endif
}

void addLibraryCases(Cases &C) {
  addBlasCases(C);
  addFft(C);
  addRand(C);
  addSolverCases(C);
  addSparse(C);
  addDnn(C);
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
