// The results of a library method for two objects may differ.

// RUN: %check %s cudagraph-sync-call --roots=entry-points -- -isystem %inputs/third_party/strides

#include <strides.h>

using View = strides::View;

extern "C" void two_objects(const View &a, const View &b,
                            cudaStream_t s) {
  if (a.stride(0) != 1)
    throw 1;
  if (b.stride(0) * 2 % 8 != 0)
    throw 2;
  cudaDeviceSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaDeviceSynchronize' waits for all work on the device
}

extern "C" void by_reference(const View &a, const View &b,
                             cudaStream_t s) {
  const View *first = &a, *second = &b;
  if (first->stride(1) != 0)
    throw 1;
  if (second->stride(1) == 0)
    throw 2;
  cudaDeviceSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaDeviceSynchronize' waits for all work on the device
}

// The same object.
extern "C" void one_object(const View &a, cudaStream_t s) {
  if (a.stride(0) != 1)
    return;
  if (a.stride(0) * 2 % 8 == 0)
    cudaDeviceSynchronize();
}
