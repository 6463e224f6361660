// RUN: %check %s cudagraph-sync-call --confidence=certain
// RUN: %check %s cudagraph-capture-scope --suffix=SCOPE
//
// A converted status indicates a failure whenever CUDA's own status does: every
// path without a failure reaches the code that follows, and a return after a
// failure leaves the capture open.

#include <cuda_runtime.h>

enum class Result { Good, Bad, Busy };

static Result toResult(cudaError_t e) {
  return e == cudaSuccess ? Result::Good : Result::Bad;
}
static Result inDetail(cudaError_t e, int line) {
  switch (e) {
  case cudaSuccess:
    return Result::Good;
  case cudaErrorNotReady:
    return Result::Busy;
  default:
    break;
  }
  return Result::Bad;
}
static bool failed(cudaError_t e) {
  if (e == cudaSuccess)
    return false;
  return true;
}
void say(cudaError_t e);
static bool good(cudaError_t e) {
  do {
    if (e != cudaSuccess) {
      say(e);
      return false;
    }
  } while (0);
  return true;
}
// The result does not depend on the status.
static Result always(cudaError_t) { return Result::Good; }
// The meaning of the result is unknown here.
Result somewhere(cudaError_t e);

void compared(cudaStream_t s, cudaGraph_t *g) {
  if (toResult(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)) == Result::Good) {
    cudaStreamQuery(s);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cudaStreamQuery'
    cudaStreamEndCapture(s, g);
  }
}

void switched(cudaStream_t s, cudaGraph_t *g) {
  cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (Result::Good != inDetail(e, __LINE__))
    return;
  cudaStreamQuery(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery'
  cudaStreamEndCapture(s, g);
}

void answered(cudaStream_t s, cudaGraph_t *g) {
  if (failed(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)))
    return;
  cudaStreamQuery(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery'
  cudaStreamEndCapture(s, g);
}

void macro(cudaStream_t s, cudaGraph_t *g) {
  if (!good(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)))
    return;
  cudaStreamQuery(s);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamQuery'
  cudaStreamEndCapture(s, g);
}

bool leaves(cudaStream_t s, float *x, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (failed(cudaMemsetAsync(x, 0, 4, s)))
    return false;
  // CHECK-MESSAGES-SCOPE: :[[@LINE-1]]:5: warning: this return leaves 's' (global mode) capturing
  cudaStreamEndCapture(s, g);
  return true;
}

// A function that receives the result of the begin call does not affect the
// result of a different call.
void report(cudaError_t e);
void told(cudaStream_t s, float *x, cudaGraph_t *g) {
  cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  report(e);
  if (failed(cudaMemsetAsync(x, 0, 4, s)))
    return;
  // CHECK-MESSAGES-SCOPE: :[[@LINE-1]]:5: warning: this return leaves 's' (global mode) capturing
  cudaStreamEndCapture(s, g);
}

// The same without a function: a comparison with an error code.
void coded(cudaStream_t s, cudaGraph_t *g) {
  cudaError_t e = cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (e == cudaErrorNotReady)
    return;
  cudaStreamEndCapture(s, g);
}

// The condition distinguishes no failure, so it may select any path.
void unrelated(cudaStream_t s, cudaGraph_t *g) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (always(cudaGetLastError()) == somewhere(cudaGetLastError()))
    cudaStreamQuery(s);
  cudaStreamEndCapture(s, g);
}

// A status class: a function that creates a status from its own number fails
// independently of CUDA, and its check returns with the capture open.
class Status {
public:
  Status() = default;
  Status(int code) : code_(code) {}
  static Status of(cudaError_t e) { return e == cudaSuccess ? Status() : Status(1); }
  bool ok() const { return code_ == 0; }

private:
  int code_ = 0;
};
#define RETURN_IF_ERROR(expr)                                                  \
  do {                                                                         \
    if (Status st = (expr); !st.ok())                                          \
      return st;                                                               \
  } while (0)
__global__ void work(int n);
struct Stage {
  virtual ~Stage() = default;
  virtual Status enqueue(cudaStream_t s) = 0;
};
struct Gain : Stage {
  Status enqueue(cudaStream_t s) override {
    work<<<1, 1, 0, s>>>(1);
    return Status::of(cudaGetLastError());
  }
};
struct Limiter : Stage {
  int ahead;
  Status enqueue(cudaStream_t s) override {
    if (ahead < 0)
      return {2};
    work<<<1, 1, 0, s>>>(ahead);
    return Status::of(cudaGetLastError());
  }
};
Status leaves(Stage *stage, cudaStream_t s, cudaGraph_t *g) {
  RETURN_IF_ERROR(Status::of(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)));
  RETURN_IF_ERROR(stage->enqueue(s));
  // CHECK-MESSAGES-SCOPE: :[[@LINE-1]]:3: warning: this return leaves 's' (global mode) capturing
  return Status::of(cudaStreamEndCapture(s, g));
}
Status endsFirst(Stage *stage, cudaStream_t s, cudaGraph_t *g) {
  RETURN_IF_ERROR(Status::of(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)));
  Status enqueued = stage->enqueue(s);
  RETURN_IF_ERROR(Status::of(cudaStreamEndCapture(s, g)));
  return enqueued;
}
class Open {
public:
  explicit Open(cudaStream_t s) : s_(s) {}
  ~Open() {
    cudaGraph_t g;
    if (s_)
      cudaStreamEndCapture(s_, &g);
  }
  cudaStream_t release() {
    cudaStream_t s = s_;
    s_ = nullptr;
    return s;
  }

private:
  cudaStream_t s_;
};
Status guarded(Stage *stage, cudaStream_t s, cudaGraph_t *g) {
  RETURN_IF_ERROR(Status::of(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)));
  Open open(s);
  RETURN_IF_ERROR(stage->enqueue(s));
  return Status::of(cudaStreamEndCapture(open.release(), g));
}
