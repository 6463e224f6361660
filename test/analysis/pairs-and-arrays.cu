// RUN: %check %s cudagraph-sync-call
// RUN: %if gxx %{ %check %s cudagraph-sync-call --real-std %}
//
// A stream in a std::pair or a std::array is the stream that was stored there.

#include <array>
#include <cuda_runtime.h>
#include <utility>

namespace bad {
void constructed(cudaStream_t s) {
  std::pair<int, cudaStream_t> p(0, s);
  cudaStreamQuery(p.second);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery'
}
void listed(cudaStream_t s) {
  std::pair<int, cudaStream_t> p = {0, s};
  cudaStreamQuery(p.second);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery'
}
void made(cudaStream_t s) {
  auto p = std::make_pair(s, 0);
  cudaStreamQuery(p.first);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery'
}
void array(cudaStream_t s) {
  std::array<cudaStream_t, 2> a = {s};
  cudaStreamQuery(a[0]);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery'
}
void nested(cudaStream_t s) {
  std::array<cudaStream_t, 2> a{{nullptr, s}};
  cudaStreamQuery(a[1]);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery'
}
void capture(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  constructed(s);
  listed(s);
  made(s);
  array(s);
  nested(s);
  cudaStreamEndCapture(s, g);
}
} // namespace bad

// The other member or element: a stream that may be queried during a relaxed
// capture.
namespace legal {
void constructed(cudaStream_t s, cudaStream_t t) {
  std::pair<cudaStream_t, cudaStream_t> p(s, t);
  cudaStreamQuery(p.second);
}
void made(cudaStream_t s, cudaStream_t t) {
  auto p = std::make_pair(t, s);
  cudaStreamQuery(p.first);
}
void array(cudaStream_t s, cudaStream_t t) {
  std::array<cudaStream_t, 2> a = {s, t};
  cudaStreamQuery(a[1]);
}
void replaced(cudaStream_t s, cudaStream_t t) {
  std::pair<int, cudaStream_t> p(0, s);
  p.second = t;
  cudaStreamQuery(p.second);
}
void capture(cudaGraph_t *g) {
  cudaStream_t s, t;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  constructed(s, t);
  made(s, t);
  array(s, t);
  replaced(s, t);
  cudaStreamEndCapture(s, g);
}
} // namespace legal
