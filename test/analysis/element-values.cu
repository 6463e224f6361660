// Facts about one element of an array provide no information about another
// element.

// RUN: %check %s cudagraph-sync-call --roots=entry-points

extern "C" void unknown_indices(const long *strides, int last, int first, cudaStream_t s) {
  if (strides[last] != 1)
    throw 1;
  if (strides[first] * 2 % 8 != 0)
    throw 2;
  cudaDeviceSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaDeviceSynchronize' waits for all work on the device
}

// The same element.
extern "C" void known_index(const long *strides, cudaStream_t s) {
  if (strides[0] != 1)
    return;
  if (strides[0] * 2 % 8 == 0)
    cudaDeviceSynchronize();
}
