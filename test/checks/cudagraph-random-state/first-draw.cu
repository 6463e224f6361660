// cuRAND initializes a generator on its first draw and after a new seed. In a
// capture, this initialization is refused.

// RUN: %check %s cudagraph-random-state

#include <curand.h>
#include <cuda_runtime.h>

// The constructor creates the generator; no draw precedes the capture.
class Cold {
public:
  explicit Cold(cudaStream_t s) : s_(s) {
    curandCreateGenerator(&generator_, CURAND_RNG_PSEUDO_PHILOX4_32_10);
    curandSetStream(generator_, s);
  }
  void record(cudaGraph_t *graph) {
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    curandGenerateUniform(generator_, x_, 64);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'curandGenerateUniform' generates random numbers from a generator of the host API on its stream, which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) if the call is the first use, or the first after a new seed [cudagraph-random-state]
    cudaStreamEndCapture(s_, graph);
  }

private:
  cudaStream_t s_;
  float *x_;
  curandGenerator_t generator_;
};

// Other code may have drawn from the generator.
void handed_in(curandGenerator_t generator, float *x, cudaStream_t s,
               cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  curandGenerateUniform(generator, x, 64);
  cudaStreamEndCapture(s, graph);
}

class Warm {
public:
  explicit Warm(cudaStream_t s) : s_(s) {
    curandCreateGenerator(&generator_, CURAND_RNG_PSEUDO_PHILOX4_32_10);
    curandSetStream(generator_, s);
  }
  void draw() { curandGenerateUniform(generator_, x_, 64); }
  void record(cudaGraph_t *graph) {
    draw();
    cudaStreamSynchronize(s_);
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    draw();
    cudaStreamEndCapture(s_, graph);
  }

private:
  cudaStream_t s_;
  float *x_;
  curandGenerator_t generator_;
};
