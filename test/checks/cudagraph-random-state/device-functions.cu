// Kernels that seed their generators through device functions, and kernels that
// an API launches.

// RUN: %check %s cudagraph-random-state

#include <curand_kernel.h>

typedef unsigned long long u64;

struct Params {
  float *x;
  u64 rng_seed;
  const u64 *offset;
};

__device__ inline float draw(u64 seed, u64 offset) {
  curandStatePhilox4_32_10_t state;
  curand_init(seed, threadIdx.x, offset, &state);
  return curand_uniform(&state);
}
__device__ inline float draw_twice(u64 seed, u64 offset) {
  return draw(seed, offset) + draw(seed, offset + 4);
}
template <typename T> __device__ T noise_of(const Params &p, int i) {
  u64 seed;
  seed = p.rng_seed + i;
  return draw_twice(seed, 0);
}

__global__ void by_value(float *x, u64 seed) { x[threadIdx.x] = draw_twice(seed, 0); }
__global__ void by_structure(Params p) { p.x[threadIdx.x] = noise_of<float>(p, 3); }
__global__ void from_memory(Params p) { p.x[threadIdx.x] = draw_twice(p.rng_seed, *p.offset); }
__global__ void through_pointer(const Params *p) { p->x[threadIdx.x] = noise_of<float>(*p, 3); }

void launches(Params p, Params *where, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  by_value<<<1, 32, 0, s>>>(p.x, 7);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'by_value' seeds its generators from its arguments; every replay will use the same random numbers
  by_structure<<<1, 32, 0, s>>>(p);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'by_structure' seeds its generators from its arguments
  void *arguments[] = {&p};
  cudaLaunchKernel((const void *)by_structure, 1, 32, arguments, 0, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'by_structure' seeds its generators from its arguments
  from_memory<<<1, 32, 0, s>>>(p);
  through_pointer<<<1, 32, 0, s>>>(where);
  cudaLaunchKernel((const void *)from_memory, 1, 32, arguments, 0, s);
  cudaStreamEndCapture(s, graph);
}

// A generator defined by the program.
__device__ inline unsigned philox_randint(long long seed, unsigned offset) {
  return (unsigned)seed * 0xD2511F53u ^ offset;
}
__device__ inline unsigned mix(long long seed, unsigned offset) {
  return (unsigned)seed * 0xD2511F53u ^ offset;
}
__global__ void rounded(float *x, long long seed, unsigned at) { x[0] = philox_randint(seed, at + threadIdx.x); }
__global__ void rounded_by_memory(float *x, const long long *seed) { x[0] = philox_randint(*seed, 4); }
__global__ void hashed(float *x, long long key) { x[0] = mix(key, threadIdx.x); }

void own(float *x, const long long *seed, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  rounded<<<1, 32, 0, s>>>(x, 7, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'rounded' seeds its generators from its arguments
  rounded_by_memory<<<1, 32, 0, s>>>(x, seed);
  hashed<<<1, 32, 0, s>>>(x, 7);
  cudaStreamEndCapture(s, graph);
}
