// A macro that runs code once, and one that checks.

// RUN: %check %s cudagraph-missing-warmup

#include <cstdlib>

__global__ void fill(float *table);
__global__ void scale(float *x, const float *table);

#define CU_CHECK(call)                                                         \
  do {                                                                         \
    if ((call) != cudaSuccess)                                                 \
      abort();                                                                 \
  } while (0)

#define ONCE(flag, ...)                                                        \
  do {                                                                         \
    if (!(flag)) {                                                             \
      __VA_ARGS__;                                                             \
      (flag) = true;                                                           \
    }                                                                          \
  } while (0)

class Layer {
public:
  void forward(float *x, float *table, cudaStream_t s) {
    ONCE(filled_, fill<<<1, 32, 0, s>>>(table));
    // CHECK-MESSAGES: :[[@LINE-1]]:19: warning: the initialization that 'filled_' guards (fill) is captured because no warm-up ran; every replay will repeat it [cudagraph-missing-warmup]
    if (!cleared_) {
      CU_CHECK(cudaMemsetAsync(table, 0, 64, s));
      // CHECK-MESSAGES: :[[@LINE-1]]:16: warning: the initialization that 'cleared_' guards (a memset) is captured because no warm-up ran; every replay will repeat it [cudagraph-missing-warmup]
      cleared_ = true;
    }
    scale<<<1, 32, 0, s>>>(x, table);
  }

private:
  bool filled_ = false, cleared_ = false;
};

void capture(Layer &layer, float *x, float *table, cudaStream_t s,
             cudaGraph_t *graph) {
  CU_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  layer.forward(x, table, s);
  CU_CHECK(cudaStreamEndCapture(s, graph));
}
