// Generators whose state is on the device and advances there, and numbers that
// no graph retains. No check reports a finding.

// RUN: %check %s
// RUN: %if gxx %{ %check %s --real-std %}

#include <curand.h>
#include <curand_kernel.h>
#include <random>

__global__ void noise(float *x, unsigned seed);

// The captured kernel loads and stores states that are initialized once.
__global__ void seed_states(curandStatePhilox4_32_10_t *states,
                            unsigned long long seed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    curand_init(seed, i, 0, &states[i]);
}

__global__ void dropout(float *x, curandStatePhilox4_32_10_t *states, float p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (curand_uniform(&states[i]) < p)
    x[i] = 0;
}

class Dropout {
public:
  Dropout(int n, unsigned long long seed, cudaStream_t s) : stream_(s) {
    cudaMalloc(&states_, n * sizeof(*states_));
    seed_states<<<1, 32, 0, stream_>>>(states_, seed, n);
  }
  void capture(float *x) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
    dropout<<<1, 32, 0, stream_>>>(x, states_, 0.1f);
    (void)cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() { cudaGraphLaunch(exec_, stream_); }

private:
  cudaStream_t stream_;
  curandStatePhilox4_32_10_t *states_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

// The kernel reads the seed and the offset from device memory.
__global__ void from_memory(float *x, unsigned long long *philox) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandStatePhilox4_32_10_t state;
  curand_init(philox[0], i, philox[1], &state);
  x[i] = curand_uniform(&state);
}

__global__ void advance(unsigned long long *philox) { philox[1] += 4; }

void offset(float *x, unsigned long long *philox, cudaStream_t s,
            cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  from_memory<<<1, 32, 0, s>>>(x, philox);
  advance<<<1, 1, 0, s>>>(philox);
  (void)cudaStreamEndCapture(s, graph);
}

// A cuRAND generator that advances on the device, warmed up before the capture.
void library(float *x, cudaStream_t s, cudaGraph_t *graph) {
  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curandSetStream(generator, s);
  curandGenerateUniform(generator, x, 32);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  curandGenerateUniform(generator, x, 32);
  (void)cudaStreamEndCapture(s, graph);
}

// Numbers drawn on the host for each launch and copied to the graph's memory.
class Pinned {
public:
  explicit Pinned(cudaStream_t s) : stream_(s), engine_(42) {
    cudaMallocHost(&seed_, sizeof(*seed_));
  }
  void capture(unsigned long long *device, float *x) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
    cudaMemcpyAsync(device, seed_, sizeof(*seed_), cudaMemcpyHostToDevice, stream_);
    from_memory<<<1, 32, 0, stream_>>>(x, device);
    (void)cudaStreamEndCapture(stream_, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
  }
  void run() {
    *seed_ = engine_();
    cudaGraphLaunch(exec_, stream_);
  }

private:
  cudaStream_t stream_;
  std::mt19937 engine_;
  unsigned long long *seed_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

// Not captured.
void eager(float *x, std::mt19937 &engine, cudaStream_t s) {
  noise<<<1, 32, 0, s>>>(x, engine());
}
