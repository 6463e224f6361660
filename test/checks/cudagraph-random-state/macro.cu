// Macros that check, draw, and launch.

// RUN: %check %s cudagraph-random-state

#include <cstdlib>
#include <curand_kernel.h>

__global__ void noise(float *x, unsigned seed);

#define CU_CHECK(call)                                                         \
  do {                                                                         \
    if ((call) != cudaSuccess)                                                 \
      abort();                                                                 \
  } while (0)

#define SEED() ((unsigned)rand())
#define FIXED_SEED() 42u
#define INIT(seed, state) curand_init(seed, threadIdx.x, 0, state)
#define LAUNCH(kernel, s, ...) kernel<<<1, 32, 0, s>>>(__VA_ARGS__)

__global__ void seeded(float *x, unsigned seed) {
  curandState state;
  INIT(seed, &state);
  x[threadIdx.x] = curand_uniform(&state);
}

void capture(float *x, cudaStream_t s, cudaGraph_t *graph) {
  CU_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  LAUNCH(noise, s, x, SEED());
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: a number drawn on the host is an argument of 'noise', which keeps it; every replay will use the same random numbers [cudagraph-random-state]
  LAUNCH(noise, s, x, FIXED_SEED());
  LAUNCH(seeded, s, x, FIXED_SEED());
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: kernel 'seeded' seeds its generators from its arguments; every replay will use the same random numbers [cudagraph-random-state]
  CU_CHECK(cudaStreamEndCapture(s, graph));
}
