// Elements of a vector of Thrust: to refer to one is nothing, to read or write
// one is a copy. And vectors that are made without memory.

// REQUIRES: cuda
// RUN: %check %s --cuda-include=%cuda-include --real-std

#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <utility>

using Vector = thrust::device_vector<float>;
void use(float *address);
void use(float value);
void use(Vector &v);

void legal(Vector &v, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  use(thrust::raw_pointer_cast(&v[0]));
  use(thrust::raw_pointer_cast(&v.front()));
  use(thrust::raw_pointer_cast(v.data()));
  thrust::device_ptr<float> p = &v[1];
  auto &&element = v[2];
  Vector empty;
  Vector taken = std::move(v);
  use(empty);
  use(taken);
  cudaStreamEndCapture(s, g);
}
void reads(Vector &v, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  use(v[0]);
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: 'thrust::device_reference::operator value_type' copies an element to the host on the legacy default stream while 's' (global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) if the capturing stream is blocking; CUDA returns cudaErrorStreamCaptureUnsupported (900) if the capturing stream is non-blocking [cudagraph-default-stream]
  cudaStreamEndCapture(s, g);
}
void reads_the_last(Vector &v, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  float last = v.back();
  // CHECK-MESSAGES: :[[@LINE-1]]:16: warning: 'thrust::device_reference::operator value_type' copies an element to the host on the legacy default stream
  cudaStreamEndCapture(s, g);
}
void writes(Vector &v, thrust::device_ptr<float> p, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  v[0] = 1;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::device_reference::operator=' writes an element on the device on the legacy default stream
  *p = 1;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::device_reference::operator=' writes an element on the device on the legacy default stream
  v[0] = v[1];
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::device_reference::operator=' writes an element on the device on the legacy default stream
  v[0] += 2;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'thrust::device_reference::operator+=' reads and writes an element on the device on the legacy default stream
  Vector copy = v;
  // CHECK-MESSAGES: :[[@LINE-1]]:17: warning: 'thrust::device_vector::device_vector' allocates device memory and fills it on the legacy default stream
  cudaStreamEndCapture(s, g);
}
