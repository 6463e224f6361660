//===- ThrustVectorCases.cu - Thrust: vectors, no temporary memory --------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Algorithms that are one kernel or one copy, and the containers, which
// allocate and work on the default stream.
//
//===----------------------------------------------------------------------===//

#include "Library.h"
#include <new>
#include <thrust/copy.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/system_error.h>
#include <thrust/transform.h>

namespace cudagraph::conformance {

using Vector = thrust::device_vector<int>;

/// The code of the current exception; a failed allocation has none.
static int thrown() {
  try {
    throw;
  } catch (const thrust::system_error &E) {
    return E.code().value();
  } catch (const std::bad_alloc &) {
    return cudaErrorMemoryAllocation;
  }
}
static int *in(Scene &S) { return reinterpret_cast<int *>(S.Device); }
static int *out(Scene &S) { return reinterpret_cast<int *>(S.Device2); }

static void addFills(Cases &C) {
  Action Default = [](Scene &S) {
    try {
      thrust::fill(thrust::device, in(S), in(S) + 512, 7);
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action On = [](Scene &S) {
    try {
      thrust::fill(thrust::cuda::par.on(S.Stream), in(S), in(S) + 512, 7);
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action NoSync = [](Scene &S) {
    try {
      thrust::fill(thrust::cuda::par_nosync.on(S.Stream), in(S), in(S) + 512,
                   7);
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action Transform = [](Scene &S) {
    try {
      thrust::transform(thrust::cuda::par.on(S.Stream), in(S), in(S) + 512,
                        out(S), thrust::negate<int>());
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action TransformDefault = [](Scene &S) {
    try {
      thrust::transform(thrust::device, in(S), in(S) + 512, out(S),
                        thrust::negate<int>());
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action TransformNoSync = [](Scene &S) {
    try {
      thrust::transform(thrust::cuda::par_nosync.on(S.Stream), in(S),
                        in(S) + 512, out(S), thrust::negate<int>());
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  library(C, "thrust::fill", "thrust::device", Default)
      .on({Relation::Legacy})
      .before(Default);
  library(C, "thrust::fill", "par.on", On).on(mainRelations()).before(On);
  library(C, "thrust::fill", "par_nosync.on", NoSync)
      .on(mainRelations())
      .before(NoSync);
  library(C, "thrust::transform", "thrust::device", TransformDefault)
      .on({Relation::Legacy})
      .before(TransformDefault);
  library(C, "thrust::transform", "par.on", Transform)
      .on(fewRelations())
      .before(Transform);
  library(C, "thrust::transform", "par_nosync.on", TransformNoSync)
      .on(fewRelations())
      .before(TransformNoSync);
  library(C, "thrust::transform", "par_nosync.on, first use in the process",
          TransformNoSync)
      .on({Relation::Origin})
      .fresh();
}

static void addCopies(Cases &C) {
  Action On = [](Scene &S) {
    try {
      thrust::copy(thrust::cuda::par.on(S.Stream), in(S), in(S) + 512, out(S));
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action NoSync = [](Scene &S) {
    try {
      thrust::copy(thrust::cuda::par_nosync.on(S.Stream), in(S), in(S) + 512,
                   out(S));
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action ToHost = [](Scene &S) {
    try {
      thrust::device_ptr<int> First(in(S));
      thrust::copy(First, First + 512, reinterpret_cast<int *>(S.Host));
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action FromHost = [](Scene &S) {
    try {
      int *First = reinterpret_cast<int *>(S.Host);
      thrust::copy(First, First + 512, thrust::device_ptr<int>(out(S)));
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  library(C, "thrust::copy", "par.on", On).on(fewRelations()).before(On);
  library(C, "thrust::copy", "par_nosync.on", NoSync)
      .on(fewRelations())
      .before(NoSync);
  library(C, "thrust::copy", "to the host, no policy", ToHost)
      .on({Relation::Legacy})
      .before(ToHost);
  library(C, "thrust::copy", "from the host, no policy", FromHost)
      .on({Relation::Legacy})
      .before(FromHost);
}

static void addVectors(Cases &C) {
  Action Make = [](Scene &S) {
    try {
      S.Q = new thrust::device_vector<int>(512);
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action MakeFromHost = [](Scene &S) {
    try {
      thrust::host_vector<int> Host(512);
      S.Q = new thrust::device_vector<int>(Host);
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action Destroy = [](Scene &S) {
    try {
      delete static_cast<Vector *>(S.Q);
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action Resize = [](Scene &S) {
    try {
      static_cast<Vector *>(S.Q)->resize(1024);
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action Read = [](Scene &S) {
    try {
      Vector &V = *static_cast<Vector *>(S.Q);
      S.I = V[0];
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  library(C, "thrust::device_vector::device_vector", "of a size", Make)
      .on({Relation::Legacy})
      .before(chain(Make, Destroy))
      .after(Destroy);
  library(C, "thrust::device_vector::device_vector", "of a host_vector",
          MakeFromHost)
      .on({Relation::Legacy})
      .before(chain(MakeFromHost, Destroy))
      .after(Destroy);
  library(C, "thrust::device_vector::~device_vector", "", Destroy)
      .on({Relation::Legacy})
      .before(Make);
  library(C, "thrust::device_vector::resize", "", Resize)
      .on({Relation::Legacy})
      .before(Make)
      .after(Destroy);
  library(C, "thrust::device_reference::operator value_type", "element read",
          Read)
      .on({Relation::Legacy})
      .before(chain(Make, Read))
      .after(Destroy);
}

void addThrustVectorCases(Cases &C) {
  addFills(C);
  addCopies(C);
  addVectors(C);
}

} // namespace cudagraph::conformance
