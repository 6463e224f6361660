// Exits from a capture: by a macro, past an object that does not end it, and by
// exceptions of callables.

// RUN: %check %s cudagraph-capture-scope

#include <stdexcept>

__global__ void k(float *x);
#define TRY(X) do { cudaError_t rc = (X); if (rc != cudaSuccess) return rc; } while (0)

// The called function fails on its own, not because of CUDA.
static cudaError_t stage(cudaStream_t s, int n) {
  if (n > 8)
    return cudaErrorInvalidValue;
  k<<<1, 1, 0, s>>>(nullptr);
  return cudaGetLastError();
}
cudaError_t by_macro(cudaStream_t s, int n, cudaGraph_t *g) {
  TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  TRY(stage(s, n));
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this return leaves 's' (global mode) capturing; later waits for it return cudaErrorStreamCaptureUnsupported (900) [cudagraph-capture-scope]
  TRY(cudaStreamEndCapture(s, g));
  return cudaSuccess;
}
cudaError_t by_macro_ended(cudaStream_t s, int n, cudaGraph_t *g) {
  TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  cudaError_t staged = stage(s, n);
  TRY(cudaStreamEndCapture(s, g));
  TRY(staged);
  return cudaSuccess;
}

// An object begins the capture; its destructor ends it or does not.
template <bool Ends> class Scope {
public:
  explicit Scope(cudaStream_t s) : s_(s) {
    if (cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal) != cudaSuccess)
      __builtin_trap();
  }
  cudaGraph_t done() {
    cudaGraph_t g = nullptr;
    if (cudaStreamEndCapture(s_, &g) != cudaSuccess)
      __builtin_trap();
    open_ = false;
    return g;
  }

protected:
  cudaStream_t s_;
  bool open_ = true;
};
class Closing : public Scope<true> {
public:
  using Scope::Scope;
  ~Closing() {
    if (open_)
      done();
  }
};
bool leaves(cudaStream_t s, int n, cudaGraph_t *g) {
  Scope<false> scope(s);
  if (n > 4)
    return false;
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this return leaves 's_' (global mode) capturing
  k<<<1, 1, 0, s>>>(nullptr);
  *g = scope.done();
  return true;
}
bool closes(cudaStream_t s, int n, cudaGraph_t *g) {
  Closing scope(s);
  if (n > 4)
    return false;
  k<<<1, 1, 0, s>>>(nullptr);
  *g = scope.done();
  return true;
}

// An exception thrown by a callable leaves the function that captures it.
template <class F> void capture(cudaStream_t s, cudaGraph_t *g, F f) {
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) != cudaSuccess)
    return;
  f();
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this call throws, and leaves {{.*}} capturing
  // CHECK-NOTES: :[[@LINE+20]]:9: note: it is thrown here
  if (cudaStreamEndCapture(s, g) != cudaSuccess)
    *g = nullptr;
}
template <class F> void capture_closing(cudaStream_t s, cudaGraph_t *g, F f) {
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) != cudaSuccess)
    return;
  try {
    f();
  } catch (...) {
    cudaStreamEndCapture(s, g);
    throw;
  }
  if (cudaStreamEndCapture(s, g) != cudaSuccess)
    *g = nullptr;
}
void thrown(cudaStream_t s, int n, cudaGraph_t *g) {
  try {
    capture(s, g, [&] {
      if (n > 4)
        throw std::runtime_error("n");
      k<<<1, 1, 0, s>>>(nullptr);
    });
  } catch (const std::runtime_error &) {
  }
  try {
    capture_closing(s, g, [&] {
      if (n > 4)
        throw std::runtime_error("n");
      k<<<1, 1, 0, s>>>(nullptr);
    });
  } catch (const std::runtime_error &) {
  }
}

// The same, but another function begins the capture, and the caller catches the
// exception.
struct Table {
  bool ready = false;
  float *rows() const {
    if (!ready)
      throw std::runtime_error("no rows");
    return nullptr;
  }
};
struct Session {
  cudaStream_t s;
  void open() {
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed) != cudaSuccess)
      throw 1;
  }
  void close(cudaGraph_t *g) {
    if (cudaStreamEndCapture(s, g) != cudaSuccess)
      throw 1;
  }
};
bool leaves_session(Session &session, Table &t, cudaGraph_t *g) {
  try {
    session.open();
    k<<<1, 1, 0, session.s>>>(t.rows());
    // CHECK-MESSAGES: :[[@LINE-1]]:31: warning: this call throws, and leaves {{.*}} capturing
    session.close(g);
    return true;
  } catch (const std::runtime_error &) {
    return false;
  }
}
bool closes_session(Session &session, Table &t, cudaGraph_t *g) {
  try {
    session.open();
    k<<<1, 1, 0, session.s>>>(t.rows());
    session.close(g);
    return true;
  } catch (const std::runtime_error &) {
    session.close(g);
    return false;
  }
}

// A function that begins a capture leaves the end to its caller; its own
// exceptions, or those of its callees, leave the function.
struct Recorder {
  cudaStream_t s;
  void open(int n) {
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed) != cudaSuccess)
      throw 1;
    if (n < 0)
      throw std::runtime_error("n");
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: this throw leaves 's' (relaxed mode) capturing
  }
  void fill(Table &t) {
    open(1);
    k<<<1, 1, 0, s>>>(t.rows());
    // CHECK-MESSAGES: :[[@LINE-1]]:23: warning: this call throws, and leaves {{.*}} capturing
  }
  void close(cudaGraph_t *g) {
    if (cudaStreamEndCapture(s, g) != cudaSuccess)
      throw 1;
  }
};
bool leaves_recorder(Recorder &r, int n, cudaGraph_t *g) {
  try {
    r.open(n);
    k<<<1, 1, 0, r.s>>>(nullptr);
    r.close(g);
    return true;
  } catch (const std::runtime_error &) {
    return false;
  }
}
bool leaves_filled(Recorder &r, Table &t, cudaGraph_t *g) {
  try {
    r.fill(t);
    r.close(g);
    return true;
  } catch (const std::runtime_error &) {
    return false;
  }
}

// Legal: the function that catches the exception ends the capture.
struct Closer {
  cudaStream_t s;
  void open(int n) {
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed) != cudaSuccess)
      throw 1;
    if (n < 0)
      throw std::runtime_error("n");
  }
};
static void record_rows(cudaStream_t s, Table &t, cudaGraph_t *g) {
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) != cudaSuccess)
    return;
  k<<<1, 1, 0, s>>>(t.rows());
  if (cudaStreamEndCapture(s, g) != cudaSuccess)
    *g = nullptr;
}
static void record_directly(cudaStream_t s, int n, cudaGraph_t *g) {
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) != cudaSuccess)
    return;
  if (n < 0)
    throw std::runtime_error("n");
  k<<<1, 1, 0, s>>>(nullptr);
  if (cudaStreamEndCapture(s, g) != cudaSuccess)
    *g = nullptr;
}
bool closes_further_out(Closer &c, Table &t, int n, cudaGraph_t *g) {
  try {
    c.open(n);
    k<<<1, 1, 0, c.s>>>(nullptr);
    if (cudaStreamEndCapture(c.s, g) != cudaSuccess)
      *g = nullptr;
  } catch (const std::runtime_error &) {
    cudaStreamEndCapture(c.s, g);
  }
  try {
    record_rows(c.s, t, g);
    record_directly(c.s, n, g);
  } catch (const std::runtime_error &) {
    cudaStreamEndCapture(c.s, g);
    return false;
  }
  return true;
}
