// Templates that copy, own, and capture.

// RUN: %check %s cudagraph-dangling-memory
// RUN: %if gxx %{ %check %s cudagraph-dangling-memory --real-std %}

#include <utility>
#include <vector>

template <typename T> __global__ void fill(T *x, T value);

// One of the two instantiations retains the address of its parameter.
template <bool ByValue, typename T>
void set(T *device, T value, cudaStream_t s) {
  if constexpr (ByValue)
    fill<<<1, 32, 0, s>>>(device, value);
  else
    cudaMemcpyAsync(device, &value, sizeof(T), cudaMemcpyHostToDevice, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies from 'value', a parameter of 'set'; every replay will read 4 bytes of the stack frame of 'set' [cudagraph-dangling-memory]
}

void instantiated(cudaStream_t s, float *device, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  set<true>(device, 1.0f, s);
  set<false>(device, 2.0f, s);
  cudaStreamEndCapture(s, graph);
}

// A function template captures its argument.
template <typename Body> cudaGraph_t capture(cudaStream_t s, Body &&body) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::forward<Body>(body)();
  cudaStreamEndCapture(s, &graph);
  return graph;
}

cudaGraph_t uploaded(cudaStream_t s, int *device) {
  std::vector<int> table(16);
  return capture(s, [&] {
    cudaMemcpyAsync(device, table.data(), 64, cudaMemcpyHostToDevice, s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpyAsync' copies from the elements of 'table', a local variable of 'uploaded'; every replay will read 64 bytes of freed memory [cudagraph-dangling-memory]
  });
}

// An owner of any element type, and a view that owns nothing.
template <typename T> struct Owner {
  explicit Owner(size_t n) { cudaMalloc(&data, n * sizeof(T)); }
  ~Owner() { cudaFree(data); }
  T *data;
};

template <typename T> struct View {
  explicit View(T *p) : data(p) {}
  T *data;
};

template <typename Holder>
cudaGraph_t captured_with(Holder &&holder, cudaStream_t s) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  fill<<<1, 32, 0, s>>>(holder.data, 0);
  cudaStreamEndCapture(s, &graph);
  return graph;
}

cudaGraph_t viewed(cudaStream_t s, int *buffer) {
  View<int> view(buffer);
  return captured_with(view, s);
}
