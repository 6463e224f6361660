// Local bookkeeping, error checks, assertions, logging of failures, and code
// that only formats or computes. No check reports a finding.

// RUN: %check %s
// RUN: %if gxx %{ %check %s --real-std %}

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

__global__ void kernel(float *x, int n);

// Local variables, containers, and strings.
void bookkeeping(float *x, const std::vector<int> &sizes) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  int offset = 0, launches = 0;
  std::vector<int> offsets;
  std::map<int, int> index;
  std::string name = "layer";
  for (int size : sizes) {
    offsets.push_back(offset);
    index[size] = offset;
    name += "x";
    offset += size;
    ++launches;
    kernel<<<1, 32, 0, s>>>(x + offset, size);
  }
  std::array<int, 4> shape{};
  shape[0] = offset;
  int *p = &offset;
  *p = 3;
  char buffer[32];
  snprintf(buffer, sizeof(buffer), "%d", offset);
  memset(buffer, 0, sizeof(buffer));
  std::sort(offsets.begin(), offsets.end());
  float scale = std::sqrt((float)launches);
  (void)scale;
  cudaStreamEndCapture(s, &graph);
}

// Error paths: print, throw, abort, and return.
#define CHECK(x)                                                               \
  do {                                                                         \
    cudaError_t e = (x);                                                       \
    if (e != cudaSuccess) {                                                    \
      std::cerr << __FILE__ << ":" << __LINE__ << " "                          \
                << cudaGetErrorString(e) << std::endl;                         \
      std::abort();                                                            \
    }                                                                          \
  } while (0)

static void fail(const std::string &what) {
  fprintf(stderr, "%s\n", what.c_str());
  throw std::runtime_error(what);
}

static bool log_failure(cudaError_t e, const char *what) {
  if (e == cudaSuccess)
    return true;
  printf("%s: %s\n", what, cudaGetErrorString(e));
  return false;
}

bool error_paths(float *x, float *h, int n) {
  cudaStream_t s;
  cudaGraph_t graph;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  assert(n > 0 && "empty");
  if (n < 0)
    fail("negative size");
  if (x == nullptr) {
    std::ostringstream message;
    message << "no buffer for " << n << " elements";
    cudaStreamEndCapture(s, &graph);
    throw std::invalid_argument(message.str());
  }
  CHECK(cudaMemcpyAsync(x, h, n, cudaMemcpyHostToDevice, s));
  kernel<<<1, 32, 0, s>>>(x, n);
  if (cudaError_t e = cudaGetLastError(); e != cudaSuccess) {
    std::cerr << "launch failed: " << cudaGetErrorString(e) << "\n";
    cudaStreamEndCapture(s, &graph);
    return false;
  }
  if (!log_failure(cudaMemsetAsync(x, 0, n, s), "memset")) {
    cudaStreamEndCapture(s, &graph);
    return false;
  }
  if (cudaStreamEndCapture(s, &graph) != cudaSuccess) {
    fprintf(stderr, "end failed\n");
    return false;
  }
  printf("captured\n");
  return true;
}

// A failure after which the code logs a message and continues.
bool logged_and_counted(float *x, int n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(x, n);
  cudaError_t err = cudaGetLastError();
  if (err != cudaSuccess)
    fprintf(stderr, "kernel: %s\n", cudaGetErrorString(err));
  bool ok = err == cudaSuccess;
  cudaStreamEndCapture(s, &graph);
  return ok;
}

// Around the region.
static std::mutex graph_mutex;
void around(float *x, int n) {
  std::lock_guard<std::mutex> lock(graph_mutex);
  auto start = std::chrono::steady_clock::now();
  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(x, n);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  auto elapsed = std::chrono::steady_clock::now() - start;
  std::cout << "captured in " << elapsed.count() << " ns" << std::endl;
}

// Results of the capture itself are stored in members.
struct Engine {
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  cudaStreamCaptureStatus status_;
  cudaError_t error_ = cudaSuccess;
  bool captured_ = false;
  bool capturing_ = false;
  float *x_;
  void build(int n) {
    error_ = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal);
    cudaStreamIsCapturing(stream_, &status_);
    kernel<<<1, 32, 0, stream_>>>(x_, n);
    error_ = cudaStreamEndCapture(stream_, &graph_);
    error_ = cudaGraphInstantiate(&exec_, graph_, 0);
    captured_ = true;
  }
};

// A host function that is part of the graph runs on every replay.
static void CUDART_CB on_replay(void *data) { printf("replayed %d\n", *(int *)data); }

void host_node(float *x, int *counter) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(x, 1);
  cudaLaunchHostFunc(s, on_replay, counter);
  cudaStreamEndCapture(s, &graph);
}

// The code logs only if no capture is active, or if logging is compiled in.
static constexpr bool kVerbose = false;
static void log_step(cudaStream_t s, int i) {
  if (kVerbose)
    printf("step %d\n", i);
  cudaStreamCaptureStatus status;
  if (cudaStreamIsCapturing(s, &status) == cudaSuccess && status == cudaStreamCaptureStatusNone)
    printf("eager step %d\n", i);
}

void quiet(float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < 4; ++i) {
    log_step(s, i);
    kernel<<<1, 32, 0, s>>>(x, i);
  }
  cudaStreamEndCapture(s, &graph);
}

// Branches on configuration and on sizes that are arguments.
struct Config {
  bool use_bias = true;
  int layers = 4;
};

void branches(const Config &config, float *x, float *bias, int n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < config.layers; ++i) {
    kernel<<<1, 32, 0, s>>>(x, n);
    if (config.use_bias && bias)
      kernel<<<1, 32, 0, s>>>(bias, n);
  }
  cudaStreamEndCapture(s, &graph);
}

// A helper returns its result through references and pointers to locals.
static void split(int n, int &blocks, int *rest) {
  blocks = n / 32;
  *rest = n % 32;
}
static dim3 grid_for(int n) {
  dim3 g;
  g.x = (n + 31) / 32;
  return g;
}
struct Shape {
  int dims[4];
  Shape &set(int i, int v) {
    dims[i] = v;
    return *this;
  }
};

void out_parameters(float *x, int n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  int blocks, rest;
  split(n, blocks, &rest);
  Shape shape;
  shape.set(0, blocks).set(1, rest);
  kernel<<<grid_for(n), 32, 0, s>>>(x, rest);
  kernel<<<blocks, 32, 0, s>>>(x, shape.dims[1]);
  cudaStreamEndCapture(s, &graph);
}

// Objects created in the region: by value, on the heap, and in a smart pointer.
struct Layer {
  int calls = 0;
  std::vector<int> shape;
  void forward(cudaStream_t s, float *x) {
    calls++;
    shape.push_back(calls);
    kernel<<<1, 32, 0, s>>>(x, calls);
  }
};

void local_objects(float *x) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  Layer layer;
  layer.forward(s, x);
  auto heap = std::make_unique<Layer>();
  heap->forward(s, x);
  Layer *raw = new Layer;
  raw->forward(s, x);
  delete raw;
  cudaStreamEndCapture(s, &graph);
}

// Exceptions that are caught in the region.
bool try_capture(float *x, int n) {
  cudaStream_t s;
  cudaGraph_t graph = nullptr;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  try {
    if (n > 1024)
      throw std::runtime_error("too large");
    kernel<<<1, 32, 0, s>>>(x, n);
  } catch (const std::exception &e) {
    std::cerr << "capture failed: " << e.what() << std::endl;
    cudaStreamEndCapture(s, &graph);
    return false;
  }
  cudaStreamEndCapture(s, &graph);
  return true;
}
