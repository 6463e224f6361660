//===- ThrustCases.cu - Thrust --------------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The policy determines the stream, whether the algorithm waits, and the source
// of its temporary memory. Without one, and with thrust::device, the stream is
// the default stream.
//
//===----------------------------------------------------------------------===//

#include "Library.h"
#include <new>
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system_error.h>

namespace cudagraph::conformance {

namespace {
struct Odd {
  __host__ __device__ bool operator()(int Value) const { return Value & 1; }
};

/// Returns the memory that the case allocated before the capture.
struct Allocator {
  using value_type = char;
  char *Next;
  char *allocate(std::ptrdiff_t Bytes) {
    char *Mine = Next;
    Next += (Bytes + 255) / 256 * 256;
    return Mine;
  }
  void deallocate(char *, size_t) {}
};
} // namespace

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
static int allocate(Scene &S) { return cudaMalloc(&S.Q, 1 << 20); }
static int release(Scene &S) { return cudaFree(S.Q); }

static void addSorts(Cases &C) {
  Action Default = [](Scene &S) {
    try {
      thrust::sort(thrust::device, in(S), in(S) + 512);
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action Pointers = [](Scene &S) {
    try {
      thrust::device_ptr<int> First(in(S));
      thrust::sort(First, First + 512);
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action On = [](Scene &S) {
    try {
      thrust::sort(thrust::cuda::par.on(S.Stream), in(S), in(S) + 512);
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action NoSync = [](Scene &S) {
    try {
      thrust::sort(thrust::cuda::par_nosync.on(S.Stream), in(S), in(S) + 512);
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action Own = [](Scene &S) {
    try {
      Allocator Mine{static_cast<char *>(S.Q)};
      thrust::sort(thrust::cuda::par(Mine).on(S.Stream), in(S), in(S) + 512);
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action OwnNoSync = [](Scene &S) {
    try {
      Allocator Mine{static_cast<char *>(S.Q)};
      thrust::sort(thrust::cuda::par_nosync(Mine).on(S.Stream), in(S),
                   in(S) + 512);
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  library(C, "thrust::sort", "thrust::device", Default)
      .on({Relation::Legacy})
      .before(Default);
  library(C, "thrust::sort", "device_ptr, no policy", Pointers)
      .on({Relation::Legacy})
      .before(Pointers);
  library(C, "thrust::sort", "par.on", On).on(mainRelations()).before(On);
  library(C, "thrust::sort", "par.on, first use in the process", On)
      .on({Relation::Origin})
      .fresh();
  library(C, "thrust::sort", "par_nosync.on", NoSync)
      .on(mainRelations())
      .before(NoSync);
  library(C, "thrust::sort", "par with an allocator, on", Own)
      .on(fewRelations())
      .before(chain(allocate, Own))
      .after(release);
  library(C, "thrust::sort", "par_nosync with an allocator, on", OwnNoSync)
      .on(fewRelations())
      .before(chain(allocate, OwnNoSync))
      .after(release);
}

static void addReductions(Cases &C) {
  Action Default = [](Scene &S) {
    try {
      S.I = thrust::reduce(thrust::device, in(S), in(S) + 512);
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action On = [](Scene &S) {
    try {
      S.I = thrust::reduce(thrust::cuda::par.on(S.Stream), in(S), in(S) + 512);
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action NoSync = [](Scene &S) {
    try {
      S.I = thrust::reduce(thrust::cuda::par_nosync.on(S.Stream), in(S),
                           in(S) + 512);
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action Own = [](Scene &S) {
    try {
      Allocator Mine{static_cast<char *>(S.Q)};
      S.I = thrust::reduce(thrust::cuda::par(Mine).on(S.Stream), in(S),
                           in(S) + 512);
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action Count = [](Scene &S) {
    try {
      S.I = thrust::count_if(thrust::cuda::par.on(S.Stream), in(S), in(S) + 512,
                             Odd());
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  library(C, "thrust::reduce", "thrust::device", Default)
      .on({Relation::Legacy})
      .before(Default);
  library(C, "thrust::reduce", "par.on", On).on(mainRelations()).before(On);
  library(C, "thrust::reduce", "par_nosync.on", NoSync)
      .on(fewRelations())
      .before(NoSync);
  library(C, "thrust::reduce", "par with an allocator, on", Own)
      .on(fewRelations())
      .before(chain(allocate, Own))
      .after(release);
  library(C, "thrust::count_if", "par.on", Count)
      .on(fewRelations())
      .before(Count);
}

static void addScans(Cases &C) {
  Action Scan = [](Scene &S) {
    try {
      thrust::inclusive_scan(thrust::cuda::par.on(S.Stream), in(S), in(S) + 512,
                             out(S));
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  Action ScanNoSync = [](Scene &S) {
    try {
      thrust::inclusive_scan(thrust::cuda::par_nosync.on(S.Stream), in(S),
                             in(S) + 512, out(S));
      return 0;
    } catch (...) {
      return thrown();
    }
  };
  library(C, "thrust::inclusive_scan", "par.on", Scan)
      .on(fewRelations())
      .before(Scan);
  library(C, "thrust::inclusive_scan", "par_nosync.on", ScanNoSync)
      .on(fewRelations())
      .before(ScanNoSync);
}

void addThrustCases(Cases &C) {
  addSorts(C);
  addReductions(C);
  addScans(C);
}

} // namespace cudagraph::conformance
