//===- CubCases.cu - CUB --------------------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device-wide algorithms, with temporary memory that is allocated before the
// capture. A query for the size passes a null pointer instead.
//
//===----------------------------------------------------------------------===//

#include "Library.h"
#include <cub/device/device_for.cuh>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/device/device_select.cuh>

namespace cudagraph::conformance {

namespace {
struct Odd {
  __host__ __device__ bool operator()(int Value) const { return Value & 1; }
};
struct Increment {
  __device__ void operator()(int &Value) const { ++Value; }
};
} // namespace

static constexpr int Items = 512;

static int *in(Scene &S) { return reinterpret_cast<int *>(S.Device); }
static int *out(Scene &S) { return reinterpret_cast<int *>(S.Device2); }
/// Counts and offsets, after the results.
static int *other(Scene &S) { return out(S) + Items; }

static int allocate(Scene &S) { return cudaMalloc(&S.Q, S.N + 1); }
static int release(Scene &S) { return cudaFree(S.Q); }

static void addReductions(Cases &C) {
  Action Size = [](Scene &S) {
    return cub::DeviceReduce::Sum(nullptr, S.N, in(S), out(S), Items, S.Stream);
  };
  Action Sum = [](Scene &S) {
    return cub::DeviceReduce::Sum(S.Q, S.N, in(S), out(S), Items, S.Stream);
  };
  Action Sized = chain(Size, allocate);
  library(C, "cub::DeviceReduce::Sum", "size query", Size)
      .on(fewRelations())
      .before(Size);
  library(C, "cub::DeviceReduce::Sum", "size query, first in the process", Size)
      .on({Relation::Origin})
      .fresh();
  library(C, "cub::DeviceReduce::Sum", "", Sum)
      .streams()
      .before(chain(Sized, Sum))
      .after(release);
  library(C, "cub::DeviceReduce::Sum", "first use in the process", Sum)
      .on({Relation::Origin})
      .before(Sized)
      .after(release)
      .fresh();
  library(C, "cub::DeviceReduce::Sum", "no stream given",
          [](Scene &S) {
            return cub::DeviceReduce::Sum(S.Q, S.N, in(S), out(S), Items);
          })
      .on({Relation::Legacy})
      .before(chain(Sized, Sum))
      .after(release);
  Action MaxSize = [](Scene &S) {
    return cub::DeviceReduce::Max(nullptr, S.N, in(S), out(S), Items, S.Stream);
  };
  Action Max = [](Scene &S) {
    return cub::DeviceReduce::Max(S.Q, S.N, in(S), out(S), Items, S.Stream);
  };
  library(C, "cub::DeviceReduce::Max", "", Max)
      .on(fewRelations())
      .before(chain(chain(MaxSize, allocate), Max))
      .after(release);
}

static void addScans(Cases &C) {
  Action SumSize = [](Scene &S) {
    return cub::DeviceScan::ExclusiveSum(nullptr, S.N, in(S), out(S), Items,
                                         S.Stream);
  };
  Action Sum = [](Scene &S) {
    return cub::DeviceScan::ExclusiveSum(S.Q, S.N, in(S), out(S), Items,
                                         S.Stream);
  };
  library(C, "cub::DeviceScan::ExclusiveSum", "size query", SumSize)
      .on({Relation::Origin})
      .before(SumSize);
  library(C, "cub::DeviceScan::ExclusiveSum", "", Sum)
      .streams()
      .before(chain(chain(SumSize, allocate), Sum))
      .after(release);
  Action InclusiveSize = [](Scene &S) {
    return cub::DeviceScan::InclusiveSum(nullptr, S.N, in(S), out(S), Items,
                                         S.Stream);
  };
  Action Inclusive = [](Scene &S) {
    return cub::DeviceScan::InclusiveSum(S.Q, S.N, in(S), out(S), Items,
                                         S.Stream);
  };
  library(C, "cub::DeviceScan::InclusiveSum", "", Inclusive)
      .on(fewRelations())
      .before(chain(chain(InclusiveSize, allocate), Inclusive))
      .after(release);
}

static void addSorts(Cases &C) {
  Action KeysSize = [](Scene &S) {
    return cub::DeviceRadixSort::SortKeys(nullptr, S.N, in(S), out(S), Items, 0,
                                          32, S.Stream);
  };
  Action Keys = [](Scene &S) {
    return cub::DeviceRadixSort::SortKeys(S.Q, S.N, in(S), out(S), Items, 0, 32,
                                          S.Stream);
  };
  library(C, "cub::DeviceRadixSort::SortKeys", "size query", KeysSize)
      .on({Relation::Origin})
      .before(KeysSize);
  library(C, "cub::DeviceRadixSort::SortKeys", "", Keys)
      .streams()
      .before(chain(chain(KeysSize, allocate), Keys))
      .after(release);
  Action PairsSize = [](Scene &S) {
    return cub::DeviceRadixSort::SortPairs(nullptr, S.N, in(S), out(S),
                                           in(S) + Items, out(S) + Items, Items,
                                           0, 32, S.Stream);
  };
  Action Pairs = [](Scene &S) {
    return cub::DeviceRadixSort::SortPairs(S.Q, S.N, in(S), out(S),
                                           in(S) + Items, out(S) + Items, Items,
                                           0, 32, S.Stream);
  };
  library(C, "cub::DeviceRadixSort::SortPairs", "", Pairs)
      .on(fewRelations())
      .before(chain(chain(PairsSize, allocate), Pairs))
      .after(release);
  // A single kernel processes a few segments; many segments are first divided
  // by size.
  Action Few = [](Scene &S) {
    int Offsets[511];
    for (int I = 0; I < 511; ++I)
      Offsets[I] = I * 64;
    return cudaMemcpy(other(S), Offsets, sizeof(Offsets),
                      cudaMemcpyHostToDevice);
  };
  Action FewSize = [](Scene &S) {
    return cub::DeviceSegmentedSort::SortKeys(
        nullptr, S.N, in(S), out(S), 256, 4, other(S), other(S) + 1, S.Stream);
  };
  Action FewSegments = [](Scene &S) {
    return cub::DeviceSegmentedSort::SortKeys(S.Q, S.N, in(S), out(S), 256, 4,
                                              other(S), other(S) + 1, S.Stream);
  };
  library(C, "cub::DeviceSegmentedSort::SortKeys", "4 segments", FewSegments)
      .streams()
      .before(chain(chain(Few, FewSize), chain(allocate, FewSegments)))
      .after(release);
  Action Many = [](Scene &S) {
    int Offsets[511];
    for (int I = 0; I < 511; ++I)
      Offsets[I] = I / 2;
    return cudaMemcpy(other(S), Offsets, sizeof(Offsets),
                      cudaMemcpyHostToDevice);
  };
  Action ManySize = [](Scene &S) {
    return cub::DeviceSegmentedSort::SortKeys(nullptr, S.N, in(S), out(S), 256,
                                              510, other(S), other(S) + 1,
                                              S.Stream);
  };
  Action ManySegments = [](Scene &S) {
    return cub::DeviceSegmentedSort::SortKeys(S.Q, S.N, in(S), out(S), 256, 510,
                                              other(S), other(S) + 1, S.Stream);
  };
  library(C, "cub::DeviceSegmentedSort::SortKeys", "510 segments", ManySegments)
      .streams()
      .before(chain(chain(Many, ManySize), chain(allocate, ManySegments)))
      .after(release);
}

static void addOthers(Cases &C) {
  Action SelectSize = [](Scene &S) {
    return cub::DeviceSelect::If(nullptr, S.N, in(S), out(S), other(S), Items,
                                 Odd(), S.Stream);
  };
  Action Select = [](Scene &S) {
    return cub::DeviceSelect::If(S.Q, S.N, in(S), out(S), other(S), Items,
                                 Odd(), S.Stream);
  };
  library(C, "cub::DeviceSelect::If", "size query", SelectSize)
      .on({Relation::Origin})
      .before(SelectSize);
  library(C, "cub::DeviceSelect::If", "", Select)
      .on(mainRelations())
      .before(chain(chain(SelectSize, allocate), Select))
      .after(release);
  Action UniqueSize = [](Scene &S) {
    return cub::DeviceSelect::Unique(nullptr, S.N, in(S), out(S), other(S),
                                     Items, S.Stream);
  };
  Action Unique = [](Scene &S) {
    return cub::DeviceSelect::Unique(S.Q, S.N, in(S), out(S), other(S), Items,
                                     S.Stream);
  };
  library(C, "cub::DeviceSelect::Unique", "", Unique)
      .on(fewRelations())
      .before(chain(chain(UniqueSize, allocate), Unique))
      .after(release);
  Action HistogramSize = [](Scene &S) {
    return cub::DeviceHistogram::HistogramEven(nullptr, S.N, in(S), out(S), 17,
                                               0, 256, Items, S.Stream);
  };
  Action Histogram = [](Scene &S) {
    return cub::DeviceHistogram::HistogramEven(S.Q, S.N, in(S), out(S), 17, 0,
                                               256, Items, S.Stream);
  };
  library(C, "cub::DeviceHistogram::HistogramEven", "", Histogram)
      .on(mainRelations())
      .before(chain(chain(HistogramSize, allocate), Histogram))
      .after(release);
  Action ForEach = [](Scene &S) {
    return cub::DeviceFor::ForEachN(in(S), Items, Increment(), S.Stream);
  };
  library(C, "cub::DeviceFor::ForEachN", "", ForEach)
      .on(fewRelations())
      .before(ForEach);
}

void addCubCases(Cases &C) {
  addReductions(C);
  addScans(C);
  addSorts(C);
  addOthers(C);
}

} // namespace cudagraph::conformance
