// Durations and points in time that are computed from a clock.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include <chrono>
#include <cuda_runtime.h>

__global__ void apply(float *p, float t);

using Clock = std::chrono::steady_clock;

struct Animation {
  Clock::time_point Start = Clock::now();
  const float Fixed = std::chrono::duration<float>(Start.time_since_epoch()).count();
  float seconds() const {
    return std::chrono::duration<float>(Clock::now() - Start).count();
  }
  long ticks() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               Clock::now().time_since_epoch())
        .count();
  }
};

cudaGraph_t record(Animation &a, float *p, cudaStream_t s) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  apply<<<1, 32, 0, s>>>(p, a.seconds());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'a.seconds()' of kernel 'apply' differs from call to call
  apply<<<1, 32, 0, s>>>(p, a.ticks() * 1e-3f);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: argument 'a.ticks() * 1e-3f' of kernel 'apply' differs from call to call
  apply<<<1, 32, 0, s>>>(p, std::chrono::duration<float>(std::chrono::milliseconds(16)).count());
  cudaStreamEndCapture(s, &g);
  return g;
}
