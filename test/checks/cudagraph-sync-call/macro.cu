// Error-check macros that are typical of projects: the finding is where the
// macro is used, and the failure paths have no findings.

// RUN: %check %s
// RUN: %if gxx %{ %check %s --real-std %}

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <iostream>

#define CUDA_CHECK(call)                                                       \
  do {                                                                         \
    cudaError_t status_ = (call);                                              \
    if (status_ != cudaSuccess) {                                              \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                       \
              cudaGetErrorString(status_));                                    \
      exit(EXIT_FAILURE);                                                      \
    }                                                                          \
  } while (0)

#define CUDA_RETURN(call)                                                      \
  if (cudaError_t e = (call); e != cudaSuccess) {                              \
    std::cerr << "CUDA: " << cudaGetErrorName(e) << std::endl;                 \
    return false;                                                              \
  }

#define CUDA_THROW(call)                                                       \
  do {                                                                         \
    cudaError_t e_ = call;                                                     \
    if (e_ != cudaSuccess)                                                     \
      throw std::runtime_error(std::string(#call) + cudaGetErrorString(e_));   \
  } while (false)

// A macro that continues after a failure.
#define CUDA_WARN(call)                                                        \
  do {                                                                         \
    cudaError_t e_ = call;                                                     \
    if (e_ != cudaSuccess)                                                     \
      fprintf(stderr, "CUDA error %d (%s)\n", (int)e_, cudaGetErrorString(e_)); \
  } while (false)

static inline void gpuAssert(cudaError_t code, const char *file, int line,
                             bool abort = true) {
  if (code != cudaSuccess) {
    fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
    if (abort)
      exit(code);
  }
}
#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }

// A function that does not return, as in ggml.
[[noreturn]] void report(const char *stmt, const char *func, const char *file,
                         int line, const char *msg);
#define CUDA_CHECK_GEN(err, success, error_fn)                                 \
  do {                                                                         \
    auto err_ = (err);                                                         \
    if (err_ != (success))                                                     \
      report(#err, __func__, __FILE__, __LINE__, error_fn(err_));              \
  } while (0)
#define GGML_CHECK(err) CUDA_CHECK_GEN(err, cudaSuccess, cudaGetErrorString)

// A macro that waits to check for errors.
#ifdef NDEBUG
#define CHECK_LAUNCH(stream) CUDA_CHECK(cudaGetLastError())
#else
#define CHECK_LAUNCH(stream)                                                   \
  do {                                                                         \
    CUDA_CHECK(cudaGetLastError());                                            \
    CUDA_CHECK(cudaStreamSynchronize(stream));                                 \
  } while (0)
#endif

__global__ void kernel(float *x);

bool capture(float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  CUDA_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  kernel<<<1, 32, 0, s>>>(x);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaStreamSynchronize(s));
  // CHECK-MESSAGES: :[[@LINE-1]]:14: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  CUDA_RETURN(cudaStreamQuery(s));
  // CHECK-MESSAGES: :[[@LINE-1]]:15: warning: 'cudaStreamQuery' queries stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  CUDA_THROW(cudaDeviceSynchronize());
  // CHECK-MESSAGES: :[[@LINE-1]]:14: warning: 'cudaDeviceSynchronize' waits for all work on the device while 's' (non-blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  CUDA_WARN(cudaStreamSynchronize(s));
  // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  gpuErrchk(cudaStreamSynchronize(s));
  // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  GGML_CHECK(cudaStreamSynchronize(s));
  // CHECK-MESSAGES: :[[@LINE-1]]:14: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  kernel<<<1, 32, 0, s>>>(x);
  CHECK_LAUNCH(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  CUDA_CHECK(cudaStreamEndCapture(s, &graph));
  CUDA_CHECK(cudaStreamSynchronize(s));
  return true;
}

// The same macros around calls that a capture allows.
bool legal(float *x, float *y, size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  CUDA_THROW(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CUDA_RETURN(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CUDA_CHECK(cudaMemcpyAsync(y, x, n, cudaMemcpyDeviceToDevice, s));
  CUDA_THROW(cudaMemsetAsync(x, 0, n, s));
  CUDA_WARN(cudaMemsetAsync(x, 0, n, s));
  gpuErrchk(cudaPeekAtLastError());
  GGML_CHECK(cudaMemsetAsync(x, 0, n, s));
  kernel<<<1, 32, 0, s>>>(x);
  CUDA_RETURN(cudaGetLastError());
  CUDA_CHECK(cudaStreamEndCapture(s, &graph));
  return true;
}

// The begin call and the end call are hidden in separate macros.
#define BEGIN_GRAPH(stream)                                                    \
  {                                                                            \
    cudaGraph_t captured_;                                                     \
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
#define END_GRAPH(stream, out)                                                 \
    CUDA_CHECK(cudaStreamEndCapture(stream, &captured_));                      \
    out = captured_;                                                           \
  }

cudaGraph_t region_in_macros(float *x) {
  cudaStream_t s;
  cudaGraph_t out;
  cudaStreamCreate(&s);
  BEGIN_GRAPH(s)
  kernel<<<1, 32, 0, s>>>(x);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  END_GRAPH(s, out)
  cudaStreamSynchronize(s);
  return out;
}

#undef CUDA_CHECK
#define CUDA_CHECK(x) (void)(x)

// A macro that replaces a call with a different call.
#define SYNC cudaStreamSynchronize
#define WAIT_ALL() cudaDeviceSynchronize()

void renamed(float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  CUDA_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  kernel<<<1, 32, 0, s>>>(x);
  SYNC(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  WAIT_ALL();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaDeviceSynchronize' waits for all work on the device while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  CUDA_CHECK(cudaStreamEndCapture(s, &graph));
}
