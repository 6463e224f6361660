// Elements that are set to zero one by one, and then to other values with an
// index: an element with a known index may have either value.

// RUN: %check %s cudagraph-sync-call --real-std

#include <cuda_runtime.h>
#include <cstdlib>

static void set(void **p) { *p = malloc(4); }

int main(int argc, char **) {
  cudaStream_t s;
  cudaGraph_t g;
  cudaStreamCreate(&s);
  void *a[2] = {nullptr, nullptr}, *b[2] = {nullptr, nullptr};
  int c[3] = {0, 0, 0}, d[3] = {0, 0, 0};
  for (int i = 0; i < 2; ++i) {
    set(&a[i]);
    b[i] = malloc(4);
  }
  for (int i = 0; i < 3; ++i)
    c[i] = i + 1;
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
    return 1;
  if (a[1])
    cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing
  if (b[1])
    cudaStreamQuery(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamQuery' queries stream 's', which is capturing
  if (c[1])
    cudaDeviceSynchronize();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaDeviceSynchronize' waits for all work on the device
  // Nothing has set it.
  if (d[1])
    cudaDeviceSynchronize();
  return cudaStreamEndCapture(s, &g);
}
