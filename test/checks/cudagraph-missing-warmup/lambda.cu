// The lazy initialization is in a lambda that is called in the region.

// RUN: %check %s cudagraph-missing-warmup

__global__ void fill(float *table);
__global__ void scale(float *x, const float *table);

class Layer {
public:
  void capture(float *x, float *table, cudaStream_t s, cudaGraph_t *graph) {
    auto forward = [&] {
      if (!filled_) {
        fill<<<1, 32, 0, s>>>(table);
        // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: the initialization that 'filled_' guards {{.*}} [cudagraph-missing-warmup]
        filled_ = true;
      }
      scale<<<1, 32, 0, s>>>(x, table);
    };
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    forward();
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls the lambda
    cudaStreamEndCapture(s, graph);
  }

private:
  bool filled_ = false;
};
