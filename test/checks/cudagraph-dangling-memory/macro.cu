// Calls and variables in macros.

// RUN: %check %s cudagraph-dangling-memory

#include <cstdlib>

__global__ void kernel(const float *in, float *out);

#define CU_CHECK(call)                                                         \
  do {                                                                         \
    if ((call) != cudaSuccess)                                                 \
      abort();                                                                 \
  } while (0)

#define UPLOAD(device, value, s)                                               \
  do {                                                                         \
    auto copy = (value);                                                       \
    cudaMemcpyAsync(device, &copy, sizeof(copy), cudaMemcpyHostToDevice, s);   \
  } while (0)

#define UPLOAD_STATIC(device, value, s)                                        \
  do {                                                                         \
    static auto copy = (value);                                                \
    cudaMemcpyAsync(device, &copy, sizeof(copy), cudaMemcpyHostToDevice, s);   \
  } while (0)

void checked(cudaStream_t s, float *device, cudaGraph_t *graph) {
  float scale = 2.0f;
  CU_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CU_CHECK(cudaMemcpyAsync(device, &scale, sizeof(scale), cudaMemcpyHostToDevice, s));
  // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: 'cudaMemcpyAsync' copies from 'scale', a local variable of 'checked'; every replay will read 4 bytes of the stack frame of 'checked' [cudagraph-dangling-memory]
  CU_CHECK(cudaStreamEndCapture(s, graph));
}

void in_macro(cudaStream_t s, float *device, cudaGraph_t *graph) {
  CU_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  UPLOAD(device, 2.0f, s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaMemcpyAsync' copies from 'copy', a local variable of 'in_macro'; every replay will read 4 bytes of the stack frame of 'in_macro' [cudagraph-dangling-memory]
  UPLOAD_STATIC(device, 2.0f, s);
  CU_CHECK(cudaStreamEndCapture(s, graph));
}

#define FREE(p) CU_CHECK(cudaFree(p))

void freed(cudaStream_t s, float *out, cudaGraph_t *graph) {
  float *scratch;
  CU_CHECK(cudaMalloc(&scratch, 4096));
  CU_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  kernel<<<1, 32, 0, s>>>(scratch, out);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: kernel 'kernel' uses 'scratch', which 'freed' frees; {{.*}} [cudagraph-dangling-memory]
  CU_CHECK(cudaStreamEndCapture(s, graph));
  FREE(scratch);
  // CHECK-NOTES: :[[@LINE-1]]:3: note: it is freed here
}
