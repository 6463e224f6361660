// RUN: %check %s
// RUN: %if gxx %{ %check %s --real-std %}
//
// A stream in a std::optional, or a number in an owner that a function creates,
// is the stream or the number that was stored there.

#include <cuda_runtime.h>
#include <memory>
#include <optional>

__global__ void kernel(float *x);

namespace bad {
void copied(cudaStream_t s) {
  std::optional<cudaStream_t> o = s;
  cudaStreamQuery(*o);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery'
}
void constructed(cudaStream_t s) {
  std::optional<cudaStream_t> o{s};
  cudaStreamQuery(o.value());
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery'
}
void assigned(cudaStream_t s) {
  std::optional<cudaStream_t> o;
  o = s;
  cudaStreamQuery(*o);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery'
}
void emplaced(cudaStream_t s) {
  std::optional<cudaStream_t> o;
  o.emplace(s);
  cudaStreamQuery(*o);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery'
}
struct Pair {
  cudaStream_t first, second;
};
void member(cudaStream_t s, cudaStream_t t) {
  std::optional<Pair> o = Pair{t, s};
  cudaStreamQuery(o->second);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery'
}
void copy(cudaStream_t s) {
  std::optional<cudaStream_t> o = s;
  std::optional<cudaStream_t> p = o;
  if (p)
    cudaStreamQuery(*p);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamQuery'
}
void owned(cudaStream_t s) {
  auto p = std::make_unique<cudaStream_t>(s);
  cudaStreamQuery(*p);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery'
}
void shared(cudaStream_t s) {
  std::shared_ptr<cudaStream_t> p = std::make_shared<cudaStream_t>(s);
  cudaStreamQuery(*p);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery'
}
void capture(cudaStream_t s, cudaStream_t t, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  copied(s);
  constructed(s);
  assigned(s);
  emplaced(s);
  member(s, t);
  copy(s);
  owned(s);
  shared(s);
  cudaStreamEndCapture(s, g);
}
} // namespace bad

// The same, but the optional contains a different stream, which a relaxed
// capture allows, or none.
namespace legal {
void copied(float *x, cudaStream_t s) {
  std::optional<cudaStream_t> o = s;
  kernel<<<1, 1, 0, *o>>>(x);
}
void replaced(cudaStream_t s, cudaStream_t t) {
  std::optional<cudaStream_t> o = s;
  o = t;
  cudaStreamQuery(*o);
}
void emptied(cudaStream_t s) {
  std::optional<cudaStream_t> o = s;
  o = std::nullopt;
  if (o)
    cudaStreamQuery(*o);
}
void none(cudaStream_t s) {
  std::optional<cudaStream_t> o;
  if (o.has_value())
    cudaStreamQuery(s);
}
void owned(cudaStream_t s, cudaStream_t t) {
  auto p = std::make_unique<cudaStream_t>(s);
  *p = t;
  cudaStreamQuery(*p);
}
void capture(float *x, cudaGraph_t *g) {
  cudaStream_t s, t;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  copied(x, s);
  replaced(s, t);
  emptied(s);
  none(s);
  owned(s, t);
  cudaStreamEndCapture(s, g);
}
} // namespace legal
