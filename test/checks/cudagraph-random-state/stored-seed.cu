// The chain shows where the seed is stored in the kernel's arguments or passed
// on. An array of positions is not the state of a generator.

// RUN: %check %s cudagraph-random-state --roots=entry-points

#include <cuda_runtime.h>

struct Params {
  float *x;
  long rand_seed;
  int n;
  const int *state_indices;
};
__device__ inline unsigned philox_randint(long seed, long offset) { return (unsigned)seed * 0xD2511F53u ^ offset; }
__global__ void rounded(Params p) { p.x[0] = philox_randint(p.rand_seed, p.n + threadIdx.x); }
__global__ void rounded_at(Params p) {
  long row = (long)p.state_indices[blockIdx.x] * p.n;
  p.x[row] = philox_randint(p.rand_seed, row);
}
__global__ void rounded_by(float *x, long seed, unsigned *counters, const unsigned *rng_offsets) {
  x[0] = philox_randint(seed, counters[threadIdx.x]);
  x[1] = philox_randint(seed, rng_offsets[threadIdx.x]);
}
__global__ void noise(float *x, unsigned long long seed);

static void launch(Params &p, cudaStream_t s) {
  auto kernel = rounded;
  kernel<<<1, 32, 0, s>>>(p);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'rounded' seeds its generators from its arguments; every replay will use the same random numbers
}
extern "C" void stored(float *x, long rand_seed, cudaStream_t s) {
  Params p;
  p.x = x;
  p.rand_seed = rand_seed;
  // CHECK-NOTES: :[[@LINE-1]]:{{[0-9]+}}: note: the seed comes from here
  launch(p, s);
}

static void launch_noise(float *x, int n, unsigned long long seed, cudaStream_t s) {
  noise<<<n, 32, 0, s>>>(x, seed);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'seed' of 'noise' seeds a generator with parameter 'philox_seed' of 'passed'
}
extern "C" void passed(float *x, int n, unsigned long long philox_seed, cudaStream_t s) {
  launch_noise(x, n,
               philox_seed, s);
  // CHECK-NOTES: :[[@LINE-1]]:16: note: the seed comes from here
}

extern "C" void at_positions(float *x, int n, const int *indices, long rand_seed, cudaStream_t s) {
  Params p{x, rand_seed, n, indices};
  rounded_at<<<1, 32, 0, s>>>(p);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'rounded_at' seeds its generators from its arguments
}

// The state of each thread is in memory.
extern "C" void by_counters(float *x, long seed, unsigned *counters, const unsigned *offsets, cudaStream_t s) {
  rounded_by<<<1, 32, 0, s>>>(x, seed, counters, offsets);
}
