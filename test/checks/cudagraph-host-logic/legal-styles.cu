// Legal host code in the styles of public projects. No check reports a finding.

// RUN: %check %s
// RUN: %if gxx %{ %check %s --real-std %}

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

__global__ void k(float *x, int n);

// Bookkeeping that the code does only while it captures (custom all-reduce).
struct AllReduce {
  std::vector<void *> graph_unreg_buffers_;
  float *base;
  void allreduce(cudaStream_t stream, float *input, int n) {
    float *ptrs;
    cudaStreamCaptureStatus status;
    cudaStreamIsCapturing(stream, &status);
    if (status == cudaStreamCaptureStatusActive) {
      ptrs = base + graph_unreg_buffers_.size();
      graph_unreg_buffers_.push_back(input);
    } else {
      ptrs = input;
    }
    k<<<1, 32, 0, stream>>>(ptrs, n);
  }
};
void all_reduce(AllReduce &r, cudaStream_t s, float *x) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  r.allreduce(s, x, 1);
  cudaStreamEndCapture(s, &g);
}

// Failures, reported in many ways.
static void log_error(cudaError_t e) { std::cerr << "error " << cudaGetErrorString(e) << std::endl; }
bool failures(cudaStream_t s, float *x, float *h, size_t n) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaError_t err = cudaMemcpyAsync(x, h, n, cudaMemcpyHostToDevice, s);
  if (cudaSuccess != err)
    log_error(err);
  if (err == cudaSuccess) {
    k<<<1, 32, 0, s>>>(x, 1);
  } else {
    fprintf(stderr, "copy failed\n");
  }
  if (err)
    printf("failed: %d\n", err);
  const bool failed = err != cudaSuccess;
  if (failed)
    puts("failed");
  err == cudaSuccess || (fprintf(stderr, "bad\n"), exit(1), 0);
  (err == cudaSuccess) ? (void)0 : log_error(err);
  switch (cudaGetLastError()) {
  case cudaSuccess:
    break;
  case cudaErrorMemoryAllocation:
    std::cerr << "out of memory\n";
    break;
  default:
    std::cerr << "unknown\n";
  }
  if (auto e = cudaMemsetAsync(x, 0, n, s); e != cudaSuccess) {
    std::cerr << "memset: " << cudaGetErrorName(e) << "\n";
    cudaStreamEndCapture(s, &g);
    return false;
  }
  cudaStreamEndCapture(s, &g);
  return true;
}

// Formatting into memory.
std::string formatting(cudaStream_t s, float *x, const std::vector<int> &v) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  std::ostringstream os;
  os << "kernel_" << v.size() << "_" << 3.0;
  std::string name = os.str();
  std::stringstream ss;
  ss << name;
  k<<<1, 32, 0, s>>>(x, (int)name.size());
  cudaStreamEndCapture(s, &g);
  return name;
}

// Memo tables, first-call settings, and function-local statics.
static int sm_count(int device) {
  static std::unordered_map<int, int> cache;
  auto it = cache.find(device);
  if (it != cache.end())
    return it->second;
  int sms;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  cache.emplace(device, sms);
  return sms;
}
static bool configured = false;
static void configure() {
  if (!configured) {
    cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    configured = true;
  }
}
static int max_smem() {
  static int value = [] { int v; cudaDeviceGetAttribute(&v, cudaDevAttrMaxSharedMemoryPerBlock, 0); return v; }();
  return value;
}
static bool debug_sync() {
  static const bool on = getenv("DEBUG_SYNC") != nullptr;
  return on;
}
void memo(cudaStream_t s, float *x) {
  cudaGraph_t g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  configure();
  k<<<sm_count(0), 32, max_smem(), s>>>(x, debug_sync());
  cudaStreamEndCapture(s, &g);
}

// The body of a conditional node is captured while the outer capture is active.
void conditional(cudaStream_t s, cudaStream_t body, float *x) {
  cudaGraph_t g, outer, bodyGraph = nullptr;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 32, 0, s>>>(x, 1);
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t *deps;
  size_t n;
  cudaStreamGetCaptureInfo(s, &status, nullptr, &outer, &deps, nullptr, &n);
  cudaStreamBeginCaptureToGraph(body, bodyGraph, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal);
  k<<<1, 32, 0, body>>>(x, 1);
  cudaStreamEndCapture(body, nullptr);
  k<<<1, 32, 0, s>>>(x, 1);
  cudaStreamEndCapture(s, &g);
}

// One capture per device.
void devices(std::vector<cudaStream_t> &streams, std::vector<cudaGraph_t> &graphs, float **x) {
  for (size_t d = 0; d < streams.size(); ++d) {
    cudaSetDevice((int)d);
    cudaStreamBeginCapture(streams[d], cudaStreamCaptureModeRelaxed);
    k<<<1, 32, 0, streams[d]>>>(x[d], 1);
    cudaStreamEndCapture(streams[d], &graphs[d]);
  }
  for (auto s : streams)
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  for (auto s : streams)
    k<<<1, 32, 0, s>>>(x[0], 1);
  for (size_t d = 0; d < streams.size(); ++d)
    cudaStreamEndCapture(streams[d], &graphs[d]);
  for (auto s : streams)
    cudaStreamSynchronize(s);
}

// Ping-pong with local pointers.
struct Jacobi {
  float *a, *b;
  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  int iterations = 0;
  void build() {
    float *cur = a, *next = b;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    for (int i = 0; i < 10; ++i) {
      k<<<1, 32, 0, s>>>(cur, i);
      std::swap(cur, next);
    }
    cudaStreamEndCapture(s, &graph);
    ++iterations;
    cudaGraphInstantiate(&exec, graph, 0);
    std::swap(a, b);
  }
};

// checkCudaErrors of NVIDIA's samples.
template <typename T> void check(T result, char const *const func, const char *const file, int const line) {
  if (result) {
    fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, static_cast<unsigned int>(result), cudaGetErrorName(result), func);
    exit(EXIT_FAILURE);
  }
}
#define checkCudaErrors(val) check((val), #val, __FILE__, __LINE__)
#define getLastCudaError(msg) __getLastCudaError(msg, __FILE__, __LINE__)
inline void __getLastCudaError(const char *errorMessage, const char *file, const int line) {
  cudaError_t err = cudaGetLastError();
  if (cudaSuccess != err) {
    fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, errorMessage, static_cast<int>(err), cudaGetErrorString(err));
    exit(EXIT_FAILURE);
  }
}
void samples(float *x, float *h, size_t n) {
  cudaStream_t stream1, stream2, stream3, streamForGraph;
  cudaEvent_t forkStreamEvent, memsetEvent1, memsetEvent2;
  cudaGraph_t graph;
  checkCudaErrors(cudaStreamCreate(&stream1));
  checkCudaErrors(cudaStreamCreate(&stream2));
  checkCudaErrors(cudaStreamCreate(&stream3));
  checkCudaErrors(cudaStreamCreate(&streamForGraph));
  checkCudaErrors(cudaEventCreate(&forkStreamEvent));
  checkCudaErrors(cudaEventCreate(&memsetEvent1));
  checkCudaErrors(cudaEventCreate(&memsetEvent2));
  checkCudaErrors(cudaStreamBeginCapture(stream1, cudaStreamCaptureModeGlobal));
  checkCudaErrors(cudaEventRecord(forkStreamEvent, stream1));
  checkCudaErrors(cudaStreamWaitEvent(stream2, forkStreamEvent, 0));
  checkCudaErrors(cudaStreamWaitEvent(stream3, forkStreamEvent, 0));
  checkCudaErrors(cudaMemcpyAsync(x, h, n, cudaMemcpyDefault, stream1));
  checkCudaErrors(cudaMemsetAsync(x, 0, n, stream2));
  checkCudaErrors(cudaEventRecord(memsetEvent1, stream2));
  checkCudaErrors(cudaMemsetAsync(x, 0, sizeof(double), stream3));
  checkCudaErrors(cudaEventRecord(memsetEvent2, stream3));
  checkCudaErrors(cudaStreamWaitEvent(stream1, memsetEvent1, 0));
  k<<<1, 32, 0, stream1>>>(x, 1);
  getLastCudaError("k");
  checkCudaErrors(cudaStreamWaitEvent(stream1, memsetEvent2, 0));
  checkCudaErrors(cudaMemcpyAsync(h, x, n, cudaMemcpyDefault, stream1));
  checkCudaErrors(cudaLaunchHostFunc(stream1, [](void *p) { printf("%p\n", p); }, h));
  checkCudaErrors(cudaStreamEndCapture(stream1, &graph));
  cudaGraphNode_t *nodes = NULL;
  size_t numNodes = 0;
  checkCudaErrors(cudaGraphGetNodes(graph, nodes, &numNodes));
  printf("\nNum of nodes in the graph created using stream capture API = %zu\n", numNodes);
  cudaGraphExec_t graphExec;
  checkCudaErrors(cudaGraphInstantiate(&graphExec, graph, NULL, NULL, 0));
  for (int i = 0; i < 3; i++)
    checkCudaErrors(cudaGraphLaunch(graphExec, streamForGraph));
  checkCudaErrors(cudaStreamSynchronize(streamForGraph));
}
// A capture object that ends its capture on exceptions.
struct Capture {
  cudaStream_t s; cudaGraph_t g = nullptr; bool active = false;
  explicit Capture(cudaStream_t s_) : s(s_) { if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) != cudaSuccess) throw std::runtime_error("begin"); active = true; }
  cudaGraph_t finish() { active = false; if (cudaStreamEndCapture(s, &g) != cudaSuccess) throw std::runtime_error("end"); return g; }
  ~Capture() { if (active) { cudaStreamEndCapture(s, &g); if (g) cudaGraphDestroy(g); } }
};
cudaGraph_t use(cudaStream_t s, float *x) {
  Capture c(s);
  k<<<1, 32, 0, s>>>(x, 1);
  cudaGraph_t g = c.finish();
  cudaStreamSynchronize(s);
  return g;
}
// An argument selects whether to wait.
static void run(cudaStream_t s, float *x, bool sync = true) { k<<<1, 32, 0, s>>>(x, 1); if (sync) cudaStreamSynchronize(s); }
void flagged(cudaStream_t s, float *x) {
  cudaGraph_t g;
  run(s, x);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  run(s, x, false);
  cudaStreamEndCapture(s, &g);
}
// An enumerator selects whether to capture.
enum class Mode { Eager, Graph };
struct Runner {
  Mode mode; cudaStream_t s;
  void go(float *x) {
    cudaGraph_t g;
    if (mode == Mode::Graph) cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    k<<<1, 32, 0, s>>>(x, 1);
    if (mode == Mode::Eager) { cudaStreamSynchronize(s); return; }
    cudaStreamEndCapture(s, &g);
  }
};
