// Lambdas and std::function: called in the region, or only created there.

// RUN: %check %s
// RUN: %if gxx %{ %check %s --real-std %}

#include <functional>
#include <utility>
#include <algorithm>
#include <vector>

__global__ void kernel(float *x);

void called_in_place(float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  auto wait = [&s] {
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
    // CHECK-NOTES: :[[@LINE+3]]:3: note: calls the lambda
  };
  kernel<<<1, 32, 0, s>>>(x);
  wait();
  [&] {
    cudaStreamQuery(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamQuery' queries stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  }();
  cudaStreamEndCapture(s, &graph);
  wait();
}

// A helper of the project that captures its argument.
static cudaGraph_t record(cudaStream_t s, const std::function<void()> &body) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  body();
  cudaStreamEndCapture(s, &graph);
  return graph;
}

void through_std_function(float *x, float *y, size_t n) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  record(s, [&] {
    kernel<<<1, 32, 0, s>>>(x);
    cudaMemcpy(y, x, n, cudaMemcpyDeviceToHost);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpy' copies memory and blocks the host while 's' (non-blocking, thread-local mode) captures; CUDA returns success, but the work runs once, at capture, and is not in the graph [cudagraph-sync-call]
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  });
  record(s, [&] {
    kernel<<<1, 32, 0, s>>>(x);
    cudaMemcpyAsync(y, x, n, cudaMemcpyDeviceToHost, s);
  });
  cudaStreamSynchronize(s);
}

// Captures by value, by move, and with an initializer; generic lambdas.
void captures(float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  auto by_value = [s] {
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  };
  auto renamed = [t = s] {
    cudaStreamSynchronize(t);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 't', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  };
  auto generic = [](auto stream) {
    cudaStreamSynchronize(stream);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 'stream', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  };
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  by_value();
  renamed();
  generic(s);
  cudaStreamEndCapture(s, &graph);
}

// Algorithms call their argument before they return.
void algorithm(std::vector<float *> &buffers) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::for_each(buffers.begin(), buffers.end(), [&](float *x) {
    kernel<<<1, 32, 0, s>>>(x);
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  });
  cudaStreamEndCapture(s, &graph);
}

// A scope guard that ends the capture: its later calls are not captured.
template <class F> struct ScopeExit {
  explicit ScopeExit(F f) : f(std::move(f)) {}
  ~ScopeExit() { f(); }
  F f;
};

void scope_guard(float *x) {
  cudaStream_t s;
  cudaStreamCreate(&s);
  {
    ScopeExit guard([&] {
      cudaGraph_t graph;
      cudaStreamEndCapture(s, &graph);
      cudaStreamSynchronize(s);
    });
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    kernel<<<1, 32, 0, s>>>(x);
  }
  cudaStreamSynchronize(s);
}

// The lambdas are created here, but run after the capture.
struct Deferred {
  std::vector<std::function<void()>> after;
  void later(std::function<void()> f);
};

void only_stored(float *x, Deferred &queue) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  auto wait = [s] { cudaStreamSynchronize(s); };
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(x);
  std::function<void()> finish = [s] { cudaDeviceSynchronize(); };
  queue.later(wait);
  cudaStreamEndCapture(s, &graph);
  finish();
}
