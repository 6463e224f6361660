// Places for a wait in C++: conditions, initializers, operators, conversions,
// default arguments, and assertions.

// RUN: %check %s cudagraph-sync-call
// RUN: %if gxx %{ %check %s cudagraph-sync-call --real-std %}

#include <cassert>
#include <functional>
#include <memory>
#include <vector>

__global__ void kernel(float *x);

// A reference to a device value: its conversion reads the value.
template <typename T> struct DeviceReference {
  T *p;
  operator T() const {
    T value;
    cudaMemcpy(&value, p, sizeof(T), cudaMemcpyDeviceToHost);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpy' copies memory and blocks the host while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
    return value;
  }
  DeviceReference &operator=(const T &value) {
    cudaMemcpy(p, &value, sizeof(T), cudaMemcpyHostToDevice);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaMemcpy' copies memory and blocks the host while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureImplicit (906) in every capture mode [cudagraph-sync-call]
    return *this;
  }
};
template <typename T> struct DeviceVector {
  T *data;
  DeviceReference<T> operator[](size_t i) { return {data + i}; }
};

static int wait_and_return(cudaStream_t s, int value) {
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  return value;
}

static void takes_default(cudaStream_t s, cudaError_t e = cudaDeviceSynchronize());
// CHECK-MESSAGES: :[[@LINE-1]]:59: warning: 'cudaDeviceSynchronize' waits for all work on the device while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
static void takes_default(cudaStream_t, cudaError_t) {}

struct Guard {
  cudaStream_t s;
  explicit operator bool() const {
    return cudaStreamQuery(s) == cudaSuccess;
    // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: 'cudaStreamQuery' queries stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  }
  bool operator==(int) const {
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
    return true;
  }
};

struct Op {
  virtual ~Op() {}
  virtual void run(cudaStream_t s) = 0;
};
struct WaitingOp final : Op {
  void run(cudaStream_t s) override {
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  }
};

static void first(cudaStream_t s) {
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
}
static void second(cudaStream_t s) {
  cudaStreamQuery(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery' queries stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
}
static void (*const table[])(cudaStream_t) = {first, second};

// Never evaluated.
static_assert(sizeof(cudaDeviceSynchronize()) > 0, "");
using Result = decltype(cudaDeviceSynchronize());

void capture(DeviceVector<float> v, float *x, int which, std::vector<std::unique_ptr<Op>> &ops) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(x);
  float y = v[0];
  v[1] = y + 1;
  while (cudaStreamQuery(s) == cudaErrorNotReady)
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: 'cudaStreamQuery' queries stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
    ;
  for (cudaError_t e = cudaStreamSynchronize(s); e != cudaSuccess;)
  // CHECK-MESSAGES: :[[@LINE-1]]:24: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
    break;
  assert(cudaStreamSynchronize(s) == cudaSuccess);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  int array[2] = {wait_and_return(s, 1), 2};
  takes_default(s);
  Guard guard{s};
  if (guard && guard == 1)
    kernel<<<1, 32, 0, s>>>(x);
  (void)(x ? cudaStreamSynchronize(s) : cudaSuccess);
  // CHECK-MESSAGES: :[[@LINE-1]]:14: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  (void)sizeof(cudaStreamSynchronize(s));
  for (auto &op : ops)
    op->run(s);
  table[which](s);
  auto *raw = new int(wait_and_return(s, array[0]));
  delete raw;
  if (false)
    cudaDeviceSynchronize();
  switch (which) {
  case 0:
    cudaDeviceSynchronize();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaDeviceSynchronize' waits for all work on the device while 's' (blocking, global mode) captures; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
    break;
  default:
    break;
  }
  do {
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  } while (false);
  cudaStreamEndCapture(s, &graph);
}

// After an early return, the code is not reached.
void unreachable(float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(x);
  cudaStreamEndCapture(s, &graph);
  return;
  cudaStreamSynchronize(s);
}

// Guards that are reversed, or that query a different state.
static void wrong_guard(cudaStream_t s) {
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(s, &status);
  if (status == cudaStreamCaptureStatusActive)
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
}
static void other_condition(cudaStream_t s) {
  int device;
  if (cudaGetDevice(&device) == cudaSuccess)
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
}
static void guard_of_another(cudaStream_t s, cudaStream_t other) {
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(other, &status);
  if (status == cudaStreamCaptureStatusNone)
    cudaStreamSynchronize(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
}
void guards() {
  cudaStream_t s, other;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamCreate(&other);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  wrong_guard(s);
  other_condition(s);
  guard_of_another(s, other);
  cudaStreamEndCapture(s, &graph);
}

// The end of one capture does not end the other.
void two_captures(float *x) {
  cudaStream_t a, b;
  cudaGraph_t graph;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed);
  cudaStreamBeginCapture(b, cudaStreamCaptureModeRelaxed);
  kernel<<<1, 32, 0, a>>>(x);
  kernel<<<1, 32, 0, b>>>(x);
  cudaStreamEndCapture(a, &graph);
  cudaStreamSynchronize(a);
  cudaStreamSynchronize(b);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 'b', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  cudaStreamEndCapture(b, &graph);
  cudaStreamSynchronize(b);
}

// Conditional begin and end calls: the wait is on the capturing path.
void conditional(bool graphs, float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  if (graphs)
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(x);
  cudaStreamSynchronize(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing; CUDA returns cudaErrorStreamCaptureUnsupported (900) in every capture mode [cudagraph-sync-call]
  if (graphs)
    cudaStreamEndCapture(s, &graph);
}
