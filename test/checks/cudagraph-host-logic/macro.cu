// Macros: those that always log have findings; those that log failures do not.

// RUN: %check %s
// RUN: %if gxx %{ %check %s --real-std %}

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>

__global__ void kernel(float *x);

#define LOG_INFO(...) printf(__VA_ARGS__)
#define LOG_ERROR(...) fprintf(stderr, __VA_ARGS__)
#ifdef VERBOSE
#define LOG_DEBUG(...) printf(__VA_ARGS__)
#else
#define LOG_DEBUG(...) ((void)0)
#endif

#define CU_CHECK(x)                                                            \
  if (cudaError_t e = (x); e != cudaSuccess) {                                 \
    LOG_ERROR("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e));        \
    std::exit(1);                                                              \
  }

// The macro only counts failures and warns.
#define CU_WARN(x)                                                             \
  do {                                                                         \
    if (cudaError_t e = (x))                                                   \
      std::cerr << #x << ": " << cudaGetErrorString(e) << '\n';                \
  } while (0)

// glog and similar: a temporary whose destructor aborts.
struct FatalMessage {
  std::ostringstream stream;
  [[noreturn]] ~FatalMessage() {
    std::cerr << stream.str() << std::endl;
    std::abort();
  }
};
#define CHECK_GT(a, b)                                                         \
  if (!((a) > (b)))                                                            \
  FatalMessage().stream << "Check failed: " #a " > " #b

void capture(float *x, int n) {
  cudaStream_t s;
  cudaGraph_t graph;
  CU_CHECK(cudaStreamCreate(&s));
  CU_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CHECK_GT(n, 0);
  LOG_INFO("capturing %d\n", n);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'printf' writes to the standard output or error stream during the capture of 's' (blocking, global mode); the input or output happens once, at capture, and not on replay [cudagraph-host-logic]
  LOG_DEBUG("capturing %d\n", n);
  kernel<<<1, 32, 0, s>>>(x);
  CU_CHECK(cudaGetLastError());
  CU_WARN(cudaMemsetAsync(x, 0, 4, s));
  if (n > 1024) {
    LOG_ERROR("too large: %d\n", n);
    std::exit(1);
  }
  CU_CHECK(cudaStreamEndCapture(s, &graph));
  LOG_INFO("captured %d\n", n);
}
