// The eager branch makes a call that a capture refuses, and the capture branch
// replaces it; or the capture status is one of several terms of a condition
// that selects an algorithm by size.

// RUN: %check %s cudagraph-capture-aware-branch --cuda-include=%cuda-include --real-std
// RUN: %check %s cudagraph-capture-aware-branch --cuda-include=%cuda-include --real-std --confidence=possible --suffix=POSSIBLE
// REQUIRES: cuda

#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

__global__ void wide(float *x, int n);
__global__ void narrow(float *x, int n);

bool isCapturing(cudaStream_t s) {
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(s, &status);
  return status != cudaStreamCaptureStatusNone;
}

void sort(void *memory, size_t size, int *keys, int *values, int n, int segments, int *offsets, cudaStream_t s) {
  if (isCapturing(s))
    // CHECK-MESSAGES-POSSIBLE: :[[@LINE-1]]:7: warning: while a stream captures, this enqueues
    cub::DeviceSegmentedRadixSort::SortPairs(memory, size, keys, keys, values, values, n, segments, offsets, offsets + 1, 0, 32, s);
  else
    cub::DeviceSegmentedSort::SortPairs(memory, size, keys, keys, values, values, n, segments, offsets, offsets + 1, s);
}

void reduce(float *x, int n, bool graphs, cudaStream_t s) {
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(s, &status);
  bool use_wide = status == cudaStreamCaptureStatusActive && n > 65536 && graphs;
  if (use_wide)
    // CHECK-MESSAGES-POSSIBLE: :[[@LINE-1]]:7: warning: while a stream captures, this enqueues 'wide', otherwise 'narrow'
    wide<<<1, 32, 0, s>>>(x, n);
  else
    narrow<<<1, 32, 0, s>>>(x, n);
}

void capture(void *memory, size_t size, int *keys, int *values, int n, int segments, int *offsets, float *x,
             bool graphs, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  sort(memory, size, keys, values, n, segments, offsets, s);
  reduce(x, n, graphs, s);
  cudaStreamEndCapture(s, graph);
}
