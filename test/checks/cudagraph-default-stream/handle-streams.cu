// The stream of a library handle in a member: none, the stream in another
// member, or the capturing one. Other handles, in classes or local, provide no
// evidence about it.

// RUN: %check %s cudagraph-default-stream

#include <cublas_v2.h>
#include <map>

static const float one = 1;

class Unbound {
public:
  Unbound() {
    cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking);
    cublasCreate_v2(&handle_);
  }
  void capture(float *x, cudaGraph_t *graph) {
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    cublasSscal_v2(handle_, 1, &one, x, 1);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cublasSscal' {{.*}} [cudagraph-default-stream]
    cudaStreamEndCapture(s_, graph);
  }

private:
  cudaStream_t s_;
  cublasHandle_t handle_;
};

class Beside {
public:
  Beside() {
    cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking);
    cublasCreate_v2(&handle_);
    cublasSetStream_v2(handle_, copies_);
  }
  void capture(float *x, cudaGraph_t *graph) {
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    cublasSscal_v2(handle_, 1, &one, x, 1);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cublasSscal' {{.*}} [cudagraph-default-stream]
    cudaStreamEndCapture(s_, graph);
  }

private:
  cudaStream_t s_, copies_;
  cublasHandle_t handle_;
};

// Legal: the handle is bound once, to the capturing stream.
class Bound {
public:
  explicit Bound(cudaStream_t s) : s_(s) {
    cublasCreate_v2(&handle_);
    cublasSetStream_v2(handle_, s_);
  }
  void capture(float *x, cudaGraph_t *graph) {
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    cublasSscal_v2(handle_, 1, &one, x, 1);
    cudaStreamEndCapture(s_, graph);
  }

private:
  cudaStream_t s_;
  cublasHandle_t handle_;
};

// Legal as far as is visible: another function also binds the handle.
class Rebound {
public:
  Rebound() {
    cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking);
    cublasCreate_v2(&handle_);
    cublasSetStream_v2(handle_, copies_);
  }
  void use() { cublasSetStream_v2(handle_, s_); }
  void capture(float *x, cudaGraph_t *graph) {
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    cublasSscal_v2(handle_, 1, &one, x, 1);
    cudaStreamEndCapture(s_, graph);
  }

private:
  cudaStream_t s_, copies_;
  cublasHandle_t handle_;
};

// A handle without a stream so far, and one passed to a function that binds it.
static void bind(cublasHandle_t handle, cudaStream_t s) {
  cublasSetStream_v2(handle, s);
}
class Passed {
public:
  explicit Passed(cudaStream_t s) : s_(s) {
    cublasCreate_v2(&handle_);
    bind(handle_, s_);
  }
  void capture(float *x, cudaGraph_t *graph) {
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    cublasSscal_v2(handle_, 1, &one, x, 1);
    cudaStreamEndCapture(s_, graph);
  }

private:
  cudaStream_t s_;
  cublasHandle_t handle_;
};
void onTheSpot(cudaStream_t s, float *x, cudaGraph_t *graph) {
  cublasHandle_t handle;
  cublasCreate_v2(&handle);
  cublasSetStream_v2(handle, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cublasSscal_v2(handle, 1, &one, x, 1);
  cudaStreamEndCapture(s, graph);
}

// A function may create or bind a handle by reference and in a lambda. A handle
// created nearby is not shared.
template <class F> static void run(F body) { body(); }
static void make(cublasHandle_t &handle) { cublasCreate_v2(&handle); }
static void unused(cublasHandle_t handle, cudaStream_t s) {
  cublasSetStream_v2(handle, s);
}
static void rebind(cublasHandle_t &handle, cudaStream_t s) {
  cublasSetStream_v2(handle, s);
}
void madeElsewhere(cudaStream_t s) {
  cublasHandle_t handle, other, third, fourth;
  make(handle);
  rebind(handle, s);
  cublasHandle_t &same = fourth;
  make(same);
  cublasSetStream_v2(fourth, s);
  run([&] {
    cublasCreate_v2(&other);
    cublasSetStream_v2(other, s);
    make(third);
  });
  cublasSetStream_v2(third, s);
}

class MadeByHelper {
public:
  MadeByHelper() {
    cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking);
    make(handle_);
  }
  void capture(float *x, cudaGraph_t *graph) {
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    cublasSscal_v2(handle_, 1, &one, x, 1);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cublasSscal' {{.*}} [cudagraph-default-stream]
    cudaStreamEndCapture(s_, graph);
  }

private:
  cudaStream_t s_;
  cublasHandle_t handle_;
};

// Legal: the handle is bound by reference, in lambdas, or under other names.
class BoundByReference {
public:
  explicit BoundByReference(cudaStream_t s) : s_(s) {
    make(handle_);
    rebind(handle_, s_);
  }
  void capture(float *x, cudaGraph_t *graph) {
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    cublasSscal_v2(handle_, 1, &one, x, 1);
    cudaStreamEndCapture(s_, graph);
  }

private:
  cudaStream_t s_;
  cublasHandle_t handle_;
};
class BoundNearby {
public:
  explicit BoundNearby(cudaStream_t s) : s_(s) {
    cublasCreate_v2(&first_);
    cublasCreate_v2(&second_);
    cublasCreate_v2(&third_);
    cublasCreate_v2(&fourth_);
    run([h = first_, s] { cublasSetStream_v2(h, s); });
    run([&h = second_, s] { rebind(h, s); });
    cublasHandle_t copy = third_, &same = fourth_;
    cublasSetStream_v2(copy, s);
    rebind(same, s);
  }
  void capture(float *x, cudaGraph_t *graph) {
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    cublasSscal_v2(first_, 1, &one, x, 1);
    cublasSscal_v2(second_, 1, &one, x, 1);
    cublasSscal_v2(third_, 1, &one, x, 1);
    cublasSscal_v2(fourth_, 1, &one, x, 1);
    cudaStreamEndCapture(s_, graph);
  }

private:
  cudaStream_t s_;
  cublasHandle_t first_, second_, third_, fourth_;
};

// Handles from one factory or one loop are distinct.
static cublasHandle_t make() {
  cublasHandle_t h;
  cublasCreate_v2(&h);
  return h;
}
struct Two {
  cudaStream_t s, t;
  cublasHandle_t a, b, each[2];
  Two() {
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    a = make();
    cublasSetStream_v2(a, s);
    b = make();
    cublasSetStream_v2(b, t);
    for (int i = 0; i < 2; ++i)
      cublasCreate_v2(&each[i]);
    cublasSetStream_v2(each[0], s);
    cublasSetStream_v2(each[1], t);
  }
  void capture(float *x, cudaGraph_t *graph) {
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cublasSscal_v2(a, 1, &one, x, 1);
    cublasSscal_v2(b, 1, &one, x, 1);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cublasSscal' {{.*}} [cudagraph-default-stream]
    cublasSscal_v2(each[0], 1, &one, x, 1);
    cublasSscal_v2(each[1], 1, &one, x, 1);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: 'cublasSscal' {{.*}} [cudagraph-default-stream]
    cudaStreamEndCapture(s, graph);
  }
};
void two(float *x, cudaGraph_t *graph) {
  Two t;
  t.capture(x, graph);
}

// Legal: all handles of a table are bound in a loop.
class Bank {
public:
  void add(int n) {
    cublasHandle_t h;
    cublasCreate_v2(&h);
    handles_.emplace(n, h);
  }
  void bind(cudaStream_t s) {
    for (auto &entry : handles_)
      cublasSetStream_v2(entry.second, s);
  }
  void run(int n, float *x) { cublasSscal_v2(handles_.at(n), 1, &one, x, 1); }

private:
  std::map<int, cublasHandle_t> handles_;
};
void bank(cudaStream_t s, float *x, cudaGraph_t *graph) {
  Bank b;
  b.add(1);
  b.add(2);
  b.bind(s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  b.run(1, x);
  cudaStreamEndCapture(s, graph);
}

// A handle of unknown origin cannot be one of those above, because no function
// returns them. It may be a handle that a function does return.
void from_elsewhere(cublasHandle_t handle, cudaStream_t s) { bind(handle, s); }

static void scale(cublasHandle_t handle, float *x) {
  cublasSscal_v2(handle, 1, &one, x, 1);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cublasSscal' {{.*}} [cudagraph-default-stream]
}
class UsedByHelper {
public:
  UsedByHelper() {
    cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking);
    cublasCreate_v2(&handle_);
  }
  void capture(float *x, cudaGraph_t *graph) {
    cublasHandle_t handle = handle_;
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    scale(handle, x);
    cudaStreamEndCapture(s_, graph);
  }

private:
  cudaStream_t s_;
  cublasHandle_t handle_;
};

class HandedOut {
public:
  HandedOut() {
    cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking);
    cublasCreate_v2(&handle_);
  }
  cublasHandle_t handle() const { return handle_; }
  void capture(float *x, cudaGraph_t *graph) {
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    cublasSscal_v2(handle_, 1, &one, x, 1);
    cudaStreamEndCapture(s_, graph);
  }

private:
  cudaStream_t s_;
  cublasHandle_t handle_;
};
void give(cublasHandle_t handle, cudaStream_t s);
class PassedOut {
public:
  PassedOut() {
    cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking);
    cublasCreate_v2(&handle_);
    give(handle_, s_);
  }
  void capture(float *x, cudaGraph_t *graph) {
    cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal);
    cublasSscal_v2(handle_, 1, &one, x, 1);
    cudaStreamEndCapture(s_, graph);
  }

private:
  cudaStream_t s_;
  cublasHandle_t handle_;
};
