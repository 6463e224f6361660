// Random numbers that a graph repeats: numbers drawn on the host, generators
// seeded from arguments, and generators with their state on the host.

// RUN: %check %s cudagraph-random-state
// RUN: %if gxx %{ %check %s cudagraph-random-state --real-std %}

#include <cstdlib>
#include <curand.h>
#include <curand_kernel.h>
#include <random>

__global__ void noise(float *x, unsigned seed);

// The number is an argument of the kernel.
void drawn_in_capture(float *x, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: capture of 's' (global mode) begins here
  unsigned seed = (unsigned)rand();
  // CHECK-NOTES: :[[@LINE-1]]:29: note: the number is drawn here
  noise<<<1, 32, 0, s>>>(x, seed);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: a number drawn on the host is an argument of 'noise', which keeps it; every replay will use the same random numbers [cudagraph-random-state]
  cudaStreamEndCapture(s, graph);
}

// The number is drawn before the capture, but the graph freezes it.
void drawn_before(float *x, std::mt19937 &engine, cudaStream_t s,
                  cudaGraph_t *graph) {
  unsigned seed = engine();
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  noise<<<1, 32, 0, s>>>(x, seed);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: a number drawn on the host is an argument of 'noise', which keeps it; {{.*}} [cudagraph-random-state]
  cudaStreamEndCapture(s, graph);
}

// A distribution, and a device with true random numbers.
__global__ void scaled(float *x, float factor);

void distributions(float *x, cudaStream_t s, cudaGraph_t *graph) {
  std::mt19937 engine(42);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::random_device device;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  scaled<<<1, 32, 0, s>>>(x, uniform(engine));
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: a number drawn on the host is an argument of 'scaled', which keeps it; {{.*}} [cudagraph-random-state]
  noise<<<1, 32, 0, s>>>(x, device());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: a number drawn on the host is an argument of 'noise', which keeps it; {{.*}} [cudagraph-random-state]
  cudaStreamEndCapture(s, graph);
}

// A kernel that seeds its generators from its arguments.
__global__ void dropout(float *x, unsigned long long seed, float p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  curandStatePhilox4_32_10_t state;
  curand_init(seed, i, 0, &state);
  if (curand_uniform(&state) < p)
    x[i] = 0;
}

void seeded(float *x, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  dropout<<<1, 32, 0, s>>>(x, 1234, 0.1f, 32);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'dropout' seeds its generators from its arguments; every replay will use the same random numbers [cudagraph-random-state]
  cudaStreamEndCapture(s, graph);
}

// cuRAND generators with their state on the host.
void library(float *x, cudaStream_t s, cudaGraph_t *graph) {
  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_MT19937);
  curandSetStream(generator, s);
  curandGenerateUniform(generator, x, 32);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  curandGenerateUniform(generator, x, 32);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'curandGenerateUniform' draws from a generator that keeps its state on the host (MT19937 or MTGP32); every replay will use the same random numbers [cudagraph-random-state]
  curandGenerateNormal(generator, x, 32, 0, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'curandGenerateNormal' draws from a generator that keeps its state on the host (MT19937 or MTGP32); {{.*}} [cudagraph-random-state]
  cudaStreamEndCapture(s, graph);
}

void mtgp(float *x, cudaStream_t s, cudaGraph_t *graph) {
  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_MTGP32);
  curandSetStream(generator, s);
  curandGenerateUniform(generator, x, 32);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  curandGenerateUniform(generator, x, 32);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'curandGenerateUniform' draws from a generator that keeps its state on the host (MT19937 or MTGP32); {{.*}} [cudagraph-random-state]
  cudaStreamEndCapture(s, graph);
}
