// Legal calls in a capture, and calls that are not captured. No findings.

// RUN: %check %s

#include <vector>

__global__ void kernel(float *x, int n);

struct Graph {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
};

// Waits before and after the capture, and stream-ordered calls in between.
void around(float *d, float *h, size_t n) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
  kernel<<<1, 32, 0, s>>>(d, 32);
  cudaStreamSynchronize(s);
  cudaDeviceSynchronize();
  Graph g;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, s);
  cudaMemsetAsync(d, 0, n, s);
  kernel<<<1, 32, 0, s>>>(d, 32);
  cudaMemcpyAsync(h, d, n, cudaMemcpyDeviceToHost, s);
  cudaStreamEndCapture(s, &g.graph);
  cudaGraphInstantiate(&g.exec, g.graph, 0);
  cudaGraphLaunch(g.exec, s);
  cudaStreamSynchronize(s);
  cudaMemcpy(h, d, n, cudaMemcpyDeviceToHost);
}

// Fork and join, as in the programming guide.
void fork_join(float *d, int n) {
  cudaStream_t s, side;
  cudaEvent_t fork, join;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamCreate(&side);
  cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, s);
  cudaStreamWaitEvent(side, fork);
  kernel<<<1, 32, 0, s>>>(d, n);
  kernel<<<1, 32, 0, side>>>(d, n);
  cudaEventRecord(join, side);
  cudaStreamWaitEvent(s, join);
  cudaStreamEndCapture(s, &graph);
  cudaStreamSynchronize(side);
  cudaEventRecord(join, side); // its last record was in the graph
  cudaEventSynchronize(join);
}

// Synchronizes only if no capture is active, in the three usual spellings.
static bool is_capturing(cudaStream_t s) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(s, &status);
  return status != cudaStreamCaptureStatusNone;
}

static void step(cudaStream_t s, float *d, float *h, size_t n) {
  cudaMemcpyAsync(h, d, n, cudaMemcpyDeviceToHost, s);
  if (!is_capturing(s))
    cudaStreamSynchronize(s);
}

static void step_early_return(cudaStream_t s) {
  cudaStreamCaptureStatus status;
  if (cudaStreamIsCapturing(s, &status) != cudaSuccess)
    return;
  if (status == cudaStreamCaptureStatusActive)
    return;
  cudaStreamSynchronize(s);
  cudaDeviceSynchronize();
}

static void step_info(cudaStream_t s) {
  cudaStreamCaptureStatus status;
  unsigned long long id;
  cudaStreamGetCaptureInfo(s, &status, &id);
  if (status == cudaStreamCaptureStatusNone) {
    cudaEvent_t e;
    cudaEventCreate(&e);
    cudaEventRecord(e, s);
    cudaEventSynchronize(e);
    cudaEventDestroy(e);
  }
}

static void step_switch(cudaStream_t s) {
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(s, &status);
  switch (status) {
  case cudaStreamCaptureStatusNone:
    cudaStreamSynchronize(s);
    break;
  default:
    break;
  }
}

static void step_ternary(cudaStream_t s) {
  bool capturing = is_capturing(s);
  cudaError_t e = capturing ? cudaSuccess : cudaStreamSynchronize(s);
  (void)e;
}

void guarded(float *d, float *h, size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  step(s, d, h, n);
  step_early_return(s);
  step_info(s);
  step_switch(s);
  step_ternary(s);
  cudaStreamEndCapture(s, &graph);
  step(s, d, h, n);
}

// The begin call failed: nothing is captured on this path.
bool begin_failed(float *d, int n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) != cudaSuccess) {
    cudaGetLastError();
    kernel<<<1, 32, 0, s>>>(d, n);
    cudaStreamSynchronize(s);
    return false;
  }
  kernel<<<1, 32, 0, s>>>(d, n);
  cudaStreamEndCapture(s, &graph);
  return true;
}

// The capture and the wait exclude each other.
void optional_graph(bool use_graph, float *d, int n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  if (use_graph)
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  kernel<<<1, 32, 0, s>>>(d, n);
  if (!use_graph)
    cudaStreamSynchronize(s);
  if (use_graph)
    cudaStreamEndCapture(s, &graph);
  else
    cudaDeviceSynchronize();
}

// The graph is captured once and replayed from then on.
struct Decoder {
  cudaStream_t stream;
  cudaGraphExec_t exec = nullptr;
  float *data;

  void run(int n) {
    if (!exec) {
      cudaGraph_t graph;
      cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
      kernel<<<8, 128, 0, stream>>>(data, 1024);
      cudaStreamEndCapture(stream, &graph);
      cudaGraphInstantiate(&exec, graph, 0);
      cudaGraphDestroy(graph);
    }
    cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
  }
};

// A stream with the same name in a different object.
void two_objects(Decoder &a, Decoder &b, float *d) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(a.stream, cudaStreamCaptureModeRelaxed);
  kernel<<<8, 128, 0, a.stream>>>(d, 1024);
  cudaStreamSynchronize(b.stream);
  cudaStreamEndCapture(a.stream, &graph);
}

// Functions that only query the device, the last error, or a pointer.
void harmless(float *d) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  int device, count, sms;
  cudaGetDevice(&device);
  cudaSetDevice(device);
  cudaGetDeviceCount(&count);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  cudaPointerAttributes where;
  cudaPointerGetAttributes(&where, d);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  kernel<<<1, 32, 0, s>>>(d, 1);
  if (cudaPeekAtLastError() != cudaSuccess)
    cudaGetLastError();
  cudaStreamEndCapture(s, &graph);
}

// A function that no capturing function calls.
void uncaptured_helper(cudaStream_t s) {
  cudaStreamSynchronize(s);
  cudaDeviceSynchronize();
}

// A lambda that is only created in the region and called after it.
void deferred(float *d) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  auto finish = [&] { cudaStreamSynchronize(s); };
  kernel<<<1, 32, 0, s>>>(d, 1);
  cudaStreamEndCapture(s, &graph);
  finish();
}
