//===- RandNumberCases.cu - cuRAND: distributions -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers from generators that were used before, that are new, and that have a
// new seed.
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
static int sobol64(Scene &S) {
  return curandCreateGenerator(&slot<curandGenerator_t>(S),
                               CURAND_RNG_QUASI_SOBOL64);
}
static unsigned *numbers(Scene &S) {
  return reinterpret_cast<unsigned *>(S.Device);
}

static void addUniform(Cases &C) {
  Action Generate = [](Scene &S) {
    return curandGenerateUniform(slot<curandGenerator_t>(S), floats(S.Device),
                                 64);
  };
  Action Seed = [](Scene &S) {
    return curandSetPseudoRandomGeneratorSeed(slot<curandGenerator_t>(S), 7);
  };
  library(C, "curandGenerateUniform", "Philox, used before", Generate)
      .on(mainRelations())
      .before(chain(chain(philox, setStream), Generate))
      .after(destroy);
  library(C, "curandGenerateUniform", "XORWOW, used before", Generate)
      .on(mainRelations())
      .before(chain(chain(xorwow, setStream), Generate))
      .after(destroy);
  library(C, "curandGenerateUniform", "Philox, first use", Generate)
      .on({Relation::Origin, Relation::OtherNonBlocking})
      .before(chain(philox, setStream))
      .fresh();
  library(C, "curandGenerateUniform", "XORWOW, first use", Generate)
      .on({Relation::Origin, Relation::OtherNonBlocking})
      .before(chain(xorwow, setStream))
      .fresh();
  library(C, "curandGenerateUniform", "XORWOW, seeds generated", Generate)
      .on(fewRelations())
      .before(chain(chain(xorwow, setStream),
                    [](Scene &S) {
                      return curandGenerateSeeds(slot<curandGenerator_t>(S));
                    }))
      .after(destroy);
  library(C, "curandGenerateUniform", "Philox, seeded after use", Generate)
      .on(fewRelations())
      .before(chain(chain(chain(philox, setStream), Generate), Seed))
      .after(destroy);
  library(C, "curandGenerateUniform", "XORWOW, seeded after use", Generate)
      .on(fewRelations())
      .before(chain(chain(chain(xorwow, setStream), Generate), Seed))
      .after(destroy);
  library(C, "curandGenerateUniform", "Philox, seeded in the capture", Generate)
      .on(fewRelations())
      .before(chain(chain(philox, setStream), Generate))
      .inside(Seed)
      .after(destroy);
}

static void addDistributions(Cases &C) {
  Action Ready = chain(philox, setStream);
  Action UniformDouble = [](Scene &S) {
    return curandGenerateUniformDouble(slot<curandGenerator_t>(S),
                                       doubles(S.Device), 64);
  };
  library(C, "curandGenerateUniformDouble", "Philox, used before",
          UniformDouble)
      .on(fewRelations())
      .before(chain(Ready, UniformDouble))
      .after(destroy);
  Action LongLong = [](Scene &S) {
    return curandGenerateLongLong(
        slot<curandGenerator_t>(S),
        reinterpret_cast<unsigned long long *>(S.Device), 64);
  };
  library(C, "curandGenerateLongLong", "Sobol64, used before", LongLong)
      .on(fewRelations())
      .before(chain(chain(sobol64, setStream), LongLong))
      .after(destroy);
  Action Normal = [](Scene &S) {
    return curandGenerateNormal(slot<curandGenerator_t>(S), floats(S.Device),
                                64, 0, 1);
  };
  library(C, "curandGenerateNormal", "Philox, used before", Normal)
      .on(mainRelations())
      .before(chain(Ready, Normal))
      .after(destroy);
  library(C, "curandGenerateNormal", "XORWOW, used before", Normal)
      .on(fewRelations())
      .before(chain(chain(xorwow, setStream), Normal))
      .after(destroy);
  library(C, "curandGenerateNormal", "Philox, first use", Normal)
      .on({Relation::Origin})
      .before(Ready)
      .fresh();
  Action NormalDouble = [](Scene &S) {
    return curandGenerateNormalDouble(slot<curandGenerator_t>(S),
                                      doubles(S.Device), 64, 0, 1);
  };
  library(C, "curandGenerateNormalDouble", "Philox, used before", NormalDouble)
      .on(fewRelations())
      .before(chain(Ready, NormalDouble))
      .after(destroy);
  Action LogNormal = [](Scene &S) {
    return curandGenerateLogNormal(slot<curandGenerator_t>(S), floats(S.Device),
                                   64, 0, 1);
  };
  library(C, "curandGenerateLogNormal", "Philox, used before", LogNormal)
      .on(fewRelations())
      .before(chain(Ready, LogNormal))
      .after(destroy);
  Action Poisson = [](Scene &S) {
    return curandGeneratePoisson(slot<curandGenerator_t>(S), numbers(S), 64, 4);
  };
  library(C, "curandGeneratePoisson", "Philox, used before", Poisson)
      .on(mainRelations())
      .before(chain(Ready, Poisson))
      .after(destroy);
  library(C, "curandGeneratePoisson", "XORWOW, used before", Poisson)
      .on(fewRelations())
      .before(chain(chain(xorwow, setStream), Poisson))
      .after(destroy);
  library(C, "curandGeneratePoisson", "Philox, new mean",
          [](Scene &S) {
            return curandGeneratePoisson(slot<curandGenerator_t>(S), numbers(S),
                                         64, 9);
          })
      .on(fewRelations())
      .before(chain(Ready, Poisson))
      .after(destroy);
}

void addRandNumberCases(Cases &C) {
  addUniform(C);
  addDistributions(C);
}

} // namespace cudagraph::conformance

#endif // CUDAGRAPH_WITHOUT_LIBRARIES
