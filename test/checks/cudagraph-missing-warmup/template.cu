// Templates: one instantiation is lazy; the other is not.

// RUN: %check %s cudagraph-missing-warmup

template <typename T> __global__ void fill(T *table);
template <typename T> __global__ void scale(T *x, const T *table);

template <typename T, bool Lazy> class Layer {
public:
  explicit Layer(T *table) : table_(table) {}
  void forward(T *x, cudaStream_t s) {
    if constexpr (Lazy) {
      if (!filled_) {
        fill<T><<<1, 32, 0, s>>>(table_);
        // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: the initialization that 'filled_' guards (fill) is captured because no warm-up ran; every replay will repeat it [cudagraph-missing-warmup]
        filled_ = true;
      }
    }
    scale<T><<<1, 32, 0, s>>>(x, table_);
  }

private:
  T *table_;
  bool filled_ = false;
};

template <typename L, typename T>
cudaGraph_t capture(L &layer, T *x, cudaStream_t s) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  layer.forward(x, s);
  cudaStreamEndCapture(s, &graph);
  return graph;
}

void layers(Layer<float, true> &lazy, Layer<double, false> &eager, float *x,
            double *y, cudaStream_t s) {
  capture(lazy, x, s);
  capture(eager, y, s);
}
