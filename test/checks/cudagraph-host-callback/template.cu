// Host functions that are templates.

// RUN: %check %s cudagraph-host-callback
// RUN: %if gxx %{ %check %s cudagraph-host-callback --real-std %}

#include <utility>

// The function calls its argument, and then deletes or retains it.
template <typename F, bool Once> void CUDART_CB invoke(void *data) {
  auto *function = static_cast<F *>(data);
  (*function)();
  if constexpr (Once)
    delete function;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: the host function 'invoke' frees its data, and every replay passes the same data to it again; the second replay will use freed memory [cudagraph-host-callback]
}

struct Step {
  int *count;
  void operator()() const { ++*count; }
};

struct Wait {
  cudaStream_t side;
  void operator()() const {
    cudaStreamSynchronize(side);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' is called in a host function of the graph; CUDA returns cudaErrorNotPermitted (800) on every replay [cudagraph-host-callback]
  }
};

template <bool Once, typename F> void post(cudaStream_t s, F *function) {
  cudaLaunchHostFunc(s, invoke<F, Once>, function);
}

static Step g_step;
static Wait g_wait;

void capture(cudaStream_t s, int *count, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  post<true>(s, new Step{count});
  post<false>(s, &g_step);
  post<false>(s, &g_wait);
  cudaStreamEndCapture(s, graph);
}
