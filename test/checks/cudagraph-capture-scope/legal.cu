// Captures that begin and end correctly: no findings.

// RUN: %check %s

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

__global__ void k(float *x);

#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t error_ = (call);                                               \
    if (error_ != cudaSuccess) {                                               \
      fprintf(stderr, "%s\n", cudaGetErrorString(error_));                     \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)
#define TRY(call)                                                              \
  if (cudaError_t status = (call); status != cudaSuccess)                      \
    return status;

// Every exit ends the capture.
int every_way(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  if (n == 0) {
    CHECK(cudaStreamEndCapture(s, g));
    CHECK(cudaGraphDestroy(*g));
    return 0;
  }
  k<<<1, 1, 0, s>>>(x);
  CHECK(cudaStreamEndCapture(s, g));
  return n;
}
cudaError_t go_to(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  cudaError_t status, end;
  status = cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  if (status != cudaSuccess)
    return status;
  for (int i = 0; i < n; ++i) {
    status = cudaMemsetAsync(x, 0, 4, s);
    if (status != cudaSuccess)
      goto out;
  }
  k<<<1, 1, 0, s>>>(x);
out:
  end = cudaStreamEndCapture(s, g);
  return status != cudaSuccess ? status : end;
}
void caught(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  try {
    if (n < 0)
      throw std::runtime_error("negative");
    k<<<1, 1, 0, s>>>(x);
  } catch (...) {
    CHECK(cudaStreamEndCapture(s, g));
    throw;
  }
  CHECK(cudaStreamEndCapture(s, g));
}
// After CUDA itself fails, the program no longer uses the capture.
cudaError_t failures(float *x, cudaStream_t s, cudaGraph_t *g) {
  TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  TRY(cudaMemsetAsync(x, 0, 4, s));
  TRY(cudaStreamEndCapture(s, g));
  return cudaSuccess;
}

// A flag records whether the capture began, or both calls have one condition.
bool remembered(float *x, bool graphs, cudaStream_t s, cudaGraph_t *g) {
  bool capturing = false;
  if (graphs && cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed) == cudaSuccess)
    capturing = true;
  k<<<1, 1, 0, s>>>(x);
  if (!capturing)
    return false;
  CHECK(cudaStreamEndCapture(s, g));
  return true;
}
void conditional(float *x, bool graphs, cudaStream_t s, cudaGraph_t *g) {
  if (graphs)
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  k<<<1, 1, 0, s>>>(x);
  if (graphs)
    CHECK(cudaStreamEndCapture(s, g));
}
class Runner {
public:
  void run(float *x) {
    if (use_ && !exec_)
      CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
    if (!exec_)
      k<<<1, 1, 0, stream_>>>(x);
    if (use_ && !exec_) {
      CHECK(cudaStreamEndCapture(stream_, &graph_));
      CHECK(cudaGraphInstantiate(&exec_, graph_, 0));
    }
    if (exec_)
      CHECK(cudaGraphLaunch(exec_, stream_));
  }

private:
  bool use_ = true;
  cudaStream_t stream_;
  cudaGraph_t graph_;
  cudaGraphExec_t exec_ = nullptr;
};
void use_runner(Runner &r, float *x) { r.run(x); }

// Begin and end calls in separate functions: the function that begins the
// capture leaves it open.
class Capture {
public:
  explicit Capture(cudaStream_t s) : s_(s) {}
  cudaError_t begin() {
    if (busy_)
      return cudaSuccess;
    busy_ = true;
    return cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal);
  }
  cudaGraph_t end() {
    cudaGraph_t g;
    CHECK(cudaStreamEndCapture(s_, &g));
    busy_ = false;
    return g;
  }

private:
  cudaStream_t s_;
  bool busy_ = false;
};
cudaGraph_t by_class(float *x, cudaStream_t s) {
  Capture c(s);
  CHECK(c.begin());
  k<<<1, 1, 0, s>>>(x);
  return c.end();
}
class Scope {
public:
  Scope(cudaStream_t s, cudaGraph_t *g) : s_(s), g_(g) {
    CHECK(cudaStreamBeginCapture(s_, cudaStreamCaptureModeGlobal));
  }
  ~Scope() { CHECK(cudaStreamEndCapture(s_, g_)); }

private:
  cudaStream_t s_;
  cudaGraph_t *g_;
};
int by_scope(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  Scope scope(s, g);
  if (n == 0)
    return 0;
  if (n < 0)
    throw std::runtime_error("negative");
  k<<<1, 1, 0, s>>>(x);
  return n;
}
template <class F> struct Finally {
  F f;
  ~Finally() { f(); }
};
int finally(float *x, int n, cudaStream_t s, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  auto end = [&] { CHECK(cudaStreamEndCapture(s, g)); };
  Finally<decltype(end)> guard{end};
  if (n == 0)
    return 0;
  k<<<1, 1, 0, s>>>(x);
  return n;
}
void *opened(cudaStream_t s) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: 'cudaStreamBeginCapture' begins a capture in global mode for callers that are not visible
  return s;
}
cudaError_t start(cudaStream_t s, cudaStreamCaptureMode mode) {
  TRY(cudaStreamBeginCapture(s, mode));
  return cudaSuccess;
}

// Repeated captures, and several at the same time.
void again(float *x, cudaStream_t s, std::vector<cudaGraph_t> &graphs) {
  for (auto &g : graphs) {
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    k<<<1, 1, 0, s>>>(x);
    CHECK(cudaStreamEndCapture(s, &g));
  }
}
void several(float *x, cudaStream_t *s, cudaGraph_t *g, int n) {
  for (int i = 0; i < n; ++i)
    CHECK(cudaStreamBeginCapture(s[i], cudaStreamCaptureModeGlobal));
  for (int i = 0; i < n; ++i)
    k<<<1, 1, 0, s[i]>>>(x);
  for (int i = 0; i < n; ++i)
    CHECK(cudaStreamEndCapture(s[i], &g[i]));
}
cudaError_t retry(float *x, cudaStream_t s, cudaGraph_t *g) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    k<<<1, 1, 0, s>>>(x);
    if (cudaStreamEndCapture(s, g) == cudaSuccess)
      return cudaSuccess;
    cudaGetLastError();
  }
  return cudaErrorUnknown;
}

// The capture begins only if none is active, and ends only if one is.
void guarded(float *x, cudaStream_t s, cudaGraph_t *g) {
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(s, &status));
  if (status == cudaStreamCaptureStatusNone)
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  k<<<1, 1, 0, s>>>(x);
  CHECK(cudaStreamIsCapturing(s, &status));
  if (status == cudaStreamCaptureStatusActive)
    CHECK(cudaStreamEndCapture(s, g));
}
void abandoned(float *x, cudaStream_t s, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  guarded(x, s, g);
}

// The per-thread default stream can capture.
void per_thread(float *x, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
  k<<<1, 1, 0, cudaStreamPerThread>>>(x);
  CHECK(cudaStreamEndCapture(cudaStreamPerThread, g));
}

// Work on one stream while another stream is capturing.
void launched_after(float *x, cudaStream_t s, cudaGraph_t *g, cudaGraphExec_t *exec) {
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  k<<<1, 1, 0, s>>>(x);
  CHECK(cudaStreamEndCapture(s, g));
  CHECK(cudaGraphInstantiate(exec, *g, 0));
  CHECK(cudaGraphLaunch(*exec, s));
}

// The stream is stored in different locations.
struct Holder {
  cudaStream_t stream;
  cudaStream_t get() const { return stream; }
  operator cudaStream_t() const { return stream; }
};
void held(float *x, std::shared_ptr<Holder> h, Holder &other, cudaGraph_t *g) {
  CHECK(cudaStreamBeginCapture(h->get(), cudaStreamCaptureModeGlobal));
  k<<<1, 1, 0, h->stream>>>(x);
  CHECK(cudaStreamEndCapture(h->stream, g));
  CHECK(cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal));
  k<<<1, 1, 0, other>>>(x);
  CHECK(cudaStreamEndCapture(other.get(), g));
}

// Callables.
cudaGraph_t record(cudaStream_t s, std::function<void()> const &body) {
  cudaGraph_t g = nullptr;
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  body();
  CHECK(cudaStreamEndCapture(s, &g));
  return g;
}
void use_record(float *x, cudaStream_t s) {
  CHECK(cudaGraphDestroy(record(s, [=] {
    if (!x)
      return;
    k<<<1, 1, 0, s>>>(x);
  })));
}

// An end call on another thread in relaxed mode, which is legal, is in
// cudagraph-concurrent-work/legal.cu.
