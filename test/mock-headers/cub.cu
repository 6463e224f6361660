// CUB and libcu++ parse with the mock headers.

// RUN: %clangxx -std=c++17 %mockflags -fsyntax-only -Wall -Werror %s

#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda/pipeline>
#include <cuda/std/limits>
__global__ void kernel(const int *in, int *out) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage storage;
  int sum = Reduce(storage).Sum(in[threadIdx.x]);
  sum += Reduce(storage).Reduce(in[threadIdx.x], [](int a, int b) { return a + b; });
  typedef cub::BlockScan<int, 128> Scan;
  __shared__ typename Scan::TempStorage scanned;
  Scan(scanned).InclusiveSum(sum, sum);
  cuda::atomic_ref<int, cuda::thread_scope_device>(*out).fetch_add(sum);
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(out, in, cuda::aligned_size_t<4>(4), pipe);
  pipe.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(pipe);
}
void f(cudaStream_t s, int *x, int *y, int *z, int n) {
  size_t bytes = 0;
  cub::DeviceReduce::Sum(nullptr, bytes, x, y, n, s);
  cub::DeviceReduce::Reduce(x, bytes, x, y, n, [] __host__ __device__(int a, int b) { return a + b; }, 0, s);
  cub::DeviceReduce::Max(x, bytes, x, y, n);
  cub::DeviceScan::ExclusiveSum(x, bytes, x, y, n, s);
  cub::DeviceScan::InclusiveScan(x, bytes, x, y, cuda::maximum<>(), n, s);
  cub::DeviceRadixSort::SortKeys(x, bytes, x, y, n, 0, 32, s);
  cub::DoubleBuffer<int> keys(x, y), values(x, z);
  cub::DeviceRadixSort::SortPairs(x, bytes, keys, values, n);
  cub::DeviceRadixSort::SortPairsDescending(x, bytes, x, y, y, z, n, 0, 32, s);
  cub::DeviceSelect::If(x, bytes, x, y, z, n, [] __host__ __device__(int a) { return a > 0; }, s);
  cub::DeviceSelect::Flagged(x, bytes, x, z, y, z, n, s);
  cub::DeviceSelect::Unique(x, bytes, x, y, z, n, s);
  cub::DeviceSegmentedSort::SortPairs(x, bytes, x, y, y, z, n, 4, z, z + 1, s);
  cub::DeviceSegmentedRadixSort::SortPairs(x, bytes, x, y, y, z, n, 4, z, z + 1, 0, 32, s);
  cub::DeviceSegmentedReduce::Sum(x, bytes, x, y, 4, z, z + 1, s);
  cub::DeviceRunLengthEncode::Encode(x, bytes, x, y, z, z, n, s);
  cub::DeviceHistogram::HistogramEven(x, bytes, x, y, 257, 0, 256, n, s);
  cub::DeviceMergeSort::SortKeys(x, bytes, x, n, cuda::std::less<>(), s);
  cub::DeviceFor::Bulk(n, [] __device__(int i) {}, s);
  cub::DevicePartition::If(x, bytes, x, y, z, n, [] __host__ __device__(int a) { return a > 0; }, s);
  cub::SyncStream(s);
  (void)cuda::std::numeric_limits<int>::max();
}
