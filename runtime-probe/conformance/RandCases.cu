//===- RandCases.cu - cuRAND: generators ----------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generators differ in what they allocate, and when: most set up their state in
// the first generation after creation or a new seed.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#ifndef CUDAGRAPH_WITHOUT_LIBRARIES

#include <curand.h>

namespace cudagraph::conformance {

static int destroy(Scene &S) {
  return S.P ? emptied(S, curandDestroyGenerator(slot<curandGenerator_t>(S)))
             : 0;
}
static int setStream(Scene &S) {
  return curandSetStream(slot<curandGenerator_t>(S), S.Stream);
}
static int philox(Scene &S) {
  return curandCreateGenerator(&slot<curandGenerator_t>(S),
                               CURAND_RNG_PSEUDO_PHILOX4_32_10);
}
static int xorwow(Scene &S) {
  return curandCreateGenerator(&slot<curandGenerator_t>(S),
                               CURAND_RNG_PSEUDO_XORWOW);
}
static int sobol(Scene &S) {
  return curandCreateGenerator(&slot<curandGenerator_t>(S),
                               CURAND_RNG_QUASI_SOBOL32);
}
static unsigned *numbers(Scene &S) {
  return reinterpret_cast<unsigned *>(S.Device);
}

static void addGenerators(Cases &C) {
  Action Create = [](Scene &S) {
    return curandCreateGenerator(&slot<curandGenerator_t>(S),
                                 CURAND_RNG_PSEUDO_PHILOX4_32_10);
  };
  Action CreateXorwow = [](Scene &S) {
    return curandCreateGenerator(&slot<curandGenerator_t>(S),
                                 CURAND_RNG_PSEUDO_XORWOW);
  };
  Action CreateMrg = [](Scene &S) {
    return curandCreateGenerator(&slot<curandGenerator_t>(S),
                                 CURAND_RNG_PSEUDO_MRG32K3A);
  };
  Action CreateMtgp = [](Scene &S) {
    return curandCreateGenerator(&slot<curandGenerator_t>(S),
                                 CURAND_RNG_PSEUDO_MTGP32);
  };
  Action CreateMersenne = [](Scene &S) {
    return curandCreateGenerator(&slot<curandGenerator_t>(S),
                                 CURAND_RNG_PSEUDO_MT19937);
  };
  Action CreateSobol = [](Scene &S) {
    return curandCreateGenerator(&slot<curandGenerator_t>(S),
                                 CURAND_RNG_QUASI_SOBOL32);
  };
  Action CreateSobol64 = [](Scene &S) {
    return curandCreateGenerator(&slot<curandGenerator_t>(S),
                                 CURAND_RNG_QUASI_SOBOL64);
  };
  Action CreateHost = [](Scene &S) {
    return curandCreateGeneratorHost(&slot<curandGenerator_t>(S),
                                     CURAND_RNG_PSEUDO_PHILOX4_32_10);
  };
  Action Destroy = [](Scene &S) {
    return S.P ? emptied(S, curandDestroyGenerator(slot<curandGenerator_t>(S)))
               : 0;
  };
  Action Generate = [](Scene &S) {
    return curandGenerate(slot<curandGenerator_t>(S), numbers(S), 64);
  };
  Action OnHost = [](Scene &S) {
    return curandGenerate(slot<curandGenerator_t>(S),
                          reinterpret_cast<unsigned *>(S.Host), 64);
  };
  library(C, "curandCreateGenerator", "Philox", Create).after(Destroy);
  library(C, "curandCreateGenerator", "XORWOW", CreateXorwow).after(Destroy);
  library(C, "curandCreateGenerator", "MRG32k3a", CreateMrg).after(Destroy);
  library(C, "curandCreateGenerator", "MTGP32", CreateMtgp).after(Destroy);
  library(C, "curandCreateGenerator", "MT19937", CreateMersenne).after(Destroy);
  library(C, "curandCreateGenerator", "Sobol32", CreateSobol).after(Destroy);
  library(C, "curandCreateGenerator", "Sobol64", CreateSobol64).after(Destroy);
  library(C, "curandCreateGenerator", "first in the process", Create).fresh();
  library(C, "curandCreateGeneratorHost", "Philox", CreateHost).after(Destroy);
  library(C, "curandDestroyGenerator", "", Destroy).before(Create);
  library(C, "curandDestroyGenerator", "after use", Destroy)
      .before(chain(CreateXorwow, Generate));
  library(C, "curandGenerate", "Philox, used before", Generate)
      .on(mainRelations())
      .before(chain(chain(Create, setStream), Generate))
      .after(Destroy);
  library(C, "curandGenerate", "no stream set", Generate)
      .on({Relation::Legacy})
      .before(chain(Create, Generate))
      .after(Destroy);
  library(C, "curandGenerate", "MRG32k3a, used before", Generate)
      .on(fewRelations())
      .before(chain(chain(CreateMrg, setStream), Generate))
      .after(Destroy);
  library(C, "curandGenerate", "MRG32k3a, first use", Generate)
      .on({Relation::Origin})
      .before(chain(CreateMrg, setStream))
      .fresh();
  library(C, "curandGenerate", "MTGP32, used before", Generate)
      .on(fewRelations())
      .before(chain(chain(CreateMtgp, setStream), Generate))
      .after(Destroy);
  library(C, "curandGenerate", "MTGP32, first use", Generate)
      .on({Relation::Origin})
      .before(chain(CreateMtgp, setStream))
      .fresh();
  library(C, "curandGenerate", "MT19937, used before", Generate)
      .on(fewRelations())
      .before(chain(chain(CreateMersenne, setStream), Generate))
      .after(Destroy);
  library(C, "curandGenerate", "Sobol32, used before", Generate)
      .on(fewRelations())
      .before(chain(chain(CreateSobol, setStream), Generate))
      .after(Destroy);
  library(C, "curandGenerate", "Sobol32, first use", Generate)
      .on({Relation::Origin})
      .before(chain(CreateSobol, setStream))
      .fresh();
  library(C, "curandGenerate", "host generator", OnHost)
      .before(chain(CreateHost, OnHost))
      .after(Destroy);
}

static void addSettings(Cases &C) {
  Action Set = [](Scene &S) {
    return curandSetStream(slot<curandGenerator_t>(S), S.Stream);
  };
  Action Generate = [](Scene &S) {
    return curandGenerate(slot<curandGenerator_t>(S), numbers(S), 64);
  };
  library(C, "curandSetStream", "", Set)
      .on(mainRelations())
      .before(philox)
      .after(destroy);
  library(C, "curandSetPseudoRandomGeneratorSeed", "",
          [](Scene &S) {
            return curandSetPseudoRandomGeneratorSeed(
                slot<curandGenerator_t>(S), 7);
          })
      .before(chain(philox, Generate))
      .after(destroy);
  library(C, "curandSetPseudoRandomGeneratorSeed", "XORWOW",
          [](Scene &S) {
            return curandSetPseudoRandomGeneratorSeed(
                slot<curandGenerator_t>(S), 7);
          })
      .before(chain(xorwow, Generate))
      .after(destroy);
  library(C, "curandSetGeneratorOffset", "",
          [](Scene &S) {
            return curandSetGeneratorOffset(slot<curandGenerator_t>(S), 64);
          })
      .before(chain(philox, Generate))
      .after(destroy);
  library(C, "curandSetGeneratorOrdering", "",
          [](Scene &S) {
            return curandSetGeneratorOrdering(slot<curandGenerator_t>(S),
                                              CURAND_ORDERING_PSEUDO_DYNAMIC);
          })
      .before(chain(philox, Generate))
      .after(destroy);
  library(C, "curandSetQuasiRandomGeneratorDimensions", "",
          [](Scene &S) {
            return curandSetQuasiRandomGeneratorDimensions(
                slot<curandGenerator_t>(S), 2);
          })
      .before(chain(sobol, Generate))
      .after(destroy);
  library(
      C, "curandGenerateSeeds", "XORWOW",
      [](Scene &S) { return curandGenerateSeeds(slot<curandGenerator_t>(S)); })
      .on({Relation::Origin, Relation::OtherNonBlocking})
      .before(chain(xorwow, setStream))
      .after(destroy);
  library(C, "curandCreatePoissonDistribution", "", [](Scene &S) {
    return curandCreatePoissonDistribution(
        4, &slot<curandDiscreteDistribution_t>(S));
  }).after([](Scene &S) {
    return curandDestroyDistribution(slot<curandDiscreteDistribution_t>(S));
  });
  library(C, "curandDestroyDistribution", "", [](Scene &S) {
    return curandDestroyDistribution(slot<curandDiscreteDistribution_t>(S));
  }).before([](Scene &S) {
    return curandCreatePoissonDistribution(
        4, &slot<curandDiscreteDistribution_t>(S));
  });
  library(C, "curandGetDirectionVectors32", "", [](Scene &S) {
    return curandGetDirectionVectors32(
        reinterpret_cast<curandDirectionVectors32_t **>(&S.P),
        CURAND_DIRECTION_VECTORS_32_JOEKUO6);
  });
}

void addRandCases(Cases &C) {
  addGenerators(C);
  addSettings(C);
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
