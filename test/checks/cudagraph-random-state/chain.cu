// A helper or a member draws the number; the generator is created elsewhere.

// RUN: %check %s cudagraph-random-state
// RUN: %if gxx %{ %check %s cudagraph-random-state --real-std %}

#include <curand.h>
#include <random>

__global__ void noise(float *x, unsigned seed);

class Dropout {
public:
  void forward(float *x, cudaStream_t s) {
    unsigned seed = next();
    launch(x, seed, s);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls 'Dropout::launch'
  }

private:
  unsigned next() {
    return engine_();
    // CHECK-NOTES: :[[@LINE-1]]:12: note: the number is drawn here
  }
  void launch(float *x, unsigned seed, cudaStream_t s) {
    noise<<<1, 32, 0, s>>>(x, seed);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: a number drawn on the host is an argument of 'noise', which keeps it; every replay will use the same random numbers [cudagraph-random-state]
  }
  std::mt19937 engine_{42};
};

void capture(Dropout &dropout, float *x, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  dropout.forward(x, s);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: calls 'Dropout::forward'
  cudaStreamEndCapture(s, graph);
}

class Paths {
public:
  explicit Paths(cudaStream_t s) : stream_(s) {
    curandCreateGenerator(&generator_, CURAND_RNG_PSEUDO_MT19937);
    curandSetStream(generator_, stream_);
  }
  void record(float *x, cudaGraph_t *graph) {
    draw(x);
    cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    draw(x);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls 'Paths::draw'
    cudaStreamEndCapture(stream_, graph);
  }

private:
  void draw(float *x) {
    curandGenerateNormal(generator_, x, 32, 0, 1);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'curandGenerateNormal' draws from a generator that keeps its state on the host (MT19937 or MTGP32); every replay will use the same random numbers [cudagraph-random-state]
  }
  cudaStream_t stream_;
  curandGenerator_t generator_;
};
