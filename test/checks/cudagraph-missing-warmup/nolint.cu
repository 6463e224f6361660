// NOLINT at the test, or at any step of the chain that leads to it.

// RUN: %check %s cudagraph-missing-warmup

__global__ void fill(float *table);

class Layer {
public:
  void forward(float *table, cudaStream_t s) {
    if (!a_) {
      fill<<<1, 32, 0, s>>>(table); // NOLINT
      a_ = true;
    }
    if (!b_) {
      fill<<<1, 32, 0, s>>>(table); // NOLINT(cudagraph-missing-warmup)
      b_ = true;
    }
    if (!c_) {
      // NOLINTNEXTLINE(cudagraph-missing-warmup)
      fill<<<1, 32, 0, s>>>(table);
      c_ = true;
    }
    // NOLINTBEGIN(cudagraph-*)
    if (!d_) {
      fill<<<1, 32, 0, s>>>(table);
      d_ = true;
    }
    // NOLINTEND(cudagraph-*)
    if (!e_) {
      fill<<<1, 32, 0, s>>>(table); // NOLINT(cudagraph-host-logic)
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the initialization that 'e_' guards (fill) is captured because no warm-up ran; every replay will repeat it [cudagraph-missing-warmup]
      e_ = true;
    }
  }
  void quiet(float *table, cudaStream_t s) {
    if (!f_) {
      fill<<<1, 32, 0, s>>>(table);
      f_ = true;
    }
  }

private:
  bool a_ = false, b_ = false, c_ = false, d_ = false, e_ = false, f_ = false;
};

static void step(Layer &layer, float *table, cudaStream_t s) {
  layer.quiet(table, s); // NOLINT(cudagraph-missing-warmup)
}

void capture(Layer &layer, float *table, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  layer.forward(table, s);
  step(layer, table, s);
  cudaStreamEndCapture(s, graph);
}
