// The lazy work is in a helper of the captured function, or in an object.

// RUN: %check %s cudagraph-missing-warmup
// RUN: %if gxx %{ %check %s cudagraph-missing-warmup --real-std %}

#include <functional>

__global__ void fill(float *table);
__global__ void scale(float *x, const float *table);

class Table {
public:
  explicit Table(float *memory) : memory_(memory) {}
  const float *get(cudaStream_t s) {
    if (table_ == nullptr) {
      table_ = memory_;
      fill<<<1, 32, 0, s>>>(table_);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: the initialization that 'table_' guards (fill) is captured because no warm-up ran; every replay will repeat it [cudagraph-missing-warmup]
    }
    return table_;
  }

private:
  float *memory_;
  float *table_ = nullptr;
};

class Layer {
public:
  explicit Layer(float *memory) : table_(memory) {}
  void forward(float *x, cudaStream_t s) {
    const float *table = table_.get(s);
    // CHECK-NOTES: :[[@LINE-1]]:26: note: calls 'Table::get'
    scale<<<1, 32, 0, s>>>(x, table);
  }

private:
  Table table_;
};

static cudaGraph_t with_capture(cudaStream_t s,
                                const std::function<void(cudaStream_t)> &body) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  body(s);
  cudaStreamEndCapture(s, &graph);
  return graph;
}

cudaGraph_t plan(Layer &layer, float *x, cudaStream_t s) {
  return with_capture(s, [&](cudaStream_t t) {
    layer.forward(x, t);
    // CHECK-NOTES: :[[@LINE-1]]:5: note: calls 'Layer::forward'
  });
}
