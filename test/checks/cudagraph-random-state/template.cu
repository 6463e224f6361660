// Kernels that are templates, and engines that are template arguments.

// RUN: %check %s cudagraph-random-state
// RUN: %if gxx %{ %check %s cudagraph-random-state --real-std %}

#include <curand_kernel.h>
#include <random>

__global__ void noise(float *x, unsigned seed);

// One instantiation seeds its generator; the other loads the generator's state.
template <typename State, bool Seeds>
__global__ void draw(float *x, State *states, unsigned seed) {
  if constexpr (Seeds) {
    State state;
    curand_init(seed, threadIdx.x, 0, &state);
    x[threadIdx.x] = curand_uniform(&state);
  } else {
    x[threadIdx.x] = curand_uniform(&states[threadIdx.x]);
  }
}

void kernels(float *x, curandState *states, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  draw<curandState, true><<<1, 32, 0, s>>>(x, nullptr, 7);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'draw' seeds its generators from its arguments; every replay will use the same random numbers [cudagraph-random-state]
  draw<curandState, false><<<1, 32, 0, s>>>(x, states, 7);
  cudaStreamEndCapture(s, graph);
}

// Any engine.
template <typename Engine> void inject(float *x, Engine &engine, cudaStream_t s) {
  noise<<<1, 32, 0, s>>>(x, engine());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: a number drawn on the host is an argument of 'noise', which keeps it; every replay will use the same random numbers [cudagraph-random-state]
}

struct Constant {
  unsigned operator()() const { return 4; }
};

void engines(float *x, std::mt19937 &engine, cudaStream_t s, cudaGraph_t *graph) {
  Constant constant;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  inject(x, engine, s);
  inject(x, constant, s);
  cudaStreamEndCapture(s, graph);
}
