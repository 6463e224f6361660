// A segmented sort with many segments reads the sizes back and waits; with few
// segments, it does not.

// RUN: %check %s cudagraph-sync-call,cudagraph-library-handle,cudagraph-default-stream,cudagraph-unsupported-operation --cuda-include=%cuda-include --real-std
// REQUIRES: cuda

#include <cub/device/device_segmented_sort.cuh>

void sort(void *memory, size_t size, int *keys, int *values, int n, int segments, int *offsets, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cub::DeviceSegmentedSort::SortPairs(memory, size, keys, keys, values, values, n, segments, offsets, offsets + 1, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cub::DeviceSegmentedSort::SortPairs' runs a device-wide algorithm on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) if there are more than 500 segments
  cub::DeviceSegmentedSort::SortKeys(memory, size, keys, keys, n, 1000, offsets, offsets + 1, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cub::DeviceSegmentedSort::SortKeys' runs a device-wide algorithm on stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode
  cub::DeviceSegmentedSort::SortKeys(memory, size, keys, keys, n, 4, offsets, offsets + 1, s);
  cudaStreamEndCapture(s, g);
}
