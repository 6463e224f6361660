// Values passed by unseen callers of captured code. If the kernel has no
// source, the name of the argument is the only evidence.

// RUN: %check %s cudagraph-random-state --roots=entry-points
// RUN: %check %s cudagraph-frozen-argument --roots=entry-points --suffix=SURE
// RUN: %check %s cudagraph-frozen-argument --roots=entry-points --confidence=possible --suffix=FROZEN

#include <cublas_v2.h>

struct Params {
  float *x;
  unsigned long long rng_seed;
  float scale;
};
__global__ void noise(float *x, unsigned long long seed, float scale);
__global__ void noise_of(Params p);
__global__ void noise_from(float *x, unsigned long long seed, const unsigned long long *rng_offset);
__global__ void scaled(float *x, float by, int n);

extern "C" void op_noise(float *x, unsigned long long seed, cudaStream_t s) {
  noise<<<1, 32, 0, s>>>(x, seed, 1.0f);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'seed' of 'noise' seeds a generator with parameter 'seed' of 'op_noise'; every replay will use the same random numbers
}
extern "C" void op_structure(float *x, unsigned long long first, cudaStream_t s) {
  Params p;
  p.x = x;
  p.rng_seed = first;
  p.scale = 2;
  noise_of<<<1, 32, 0, s>>>(p);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'rng_seed' of 'noise_of' seeds a generator with parameter 'first' of 'op_structure'
}

// Memory that advances, and seeds that the program itself selects.
extern "C" void op_memory(float *x, unsigned long long seed, const unsigned long long *offset, cudaStream_t s) {
  noise_from<<<1, 32, 0, s>>>(x, seed, offset);
  // CHECK-MESSAGES-FROZEN: :[[@LINE-1]]:3: warning: argument 'seed' of kernel 'noise_from' comes from parameter 'seed' of 'op_memory'
}
extern "C" void op_constant(float *x, cudaStream_t s) {
  noise<<<1, 32, 0, s>>>(x, 42, 1.0f);
}

// Other numbers may be constant intentionally.
extern "C" void op_scaled(float *x, float by, int n, cudaStream_t s) {
  scaled<<<n / 32, 32, 0, s>>>(x, by, n);
  // CHECK-MESSAGES-FROZEN: :[[@LINE-1]]:3: warning: argument 'by' of kernel 'scaled' comes from parameter 'by' of 'op_scaled'; replays use the value from the captured call
}
extern "C" void op_axpy(cublasHandle_t h, float *x, float *y, float alpha, cudaStream_t s) {
  cublasSetStream(h, s);
  cublasSaxpy(h, 32, &alpha, x, 1, y, 1);
  // CHECK-MESSAGES-FROZEN: :[[@LINE-1]]:3: warning: the scalar 'alpha', which 'cublasSaxpy' reads from the host at capture, comes from parameter 'alpha' of 'op_axpy'
}
