// Pinned memory that is allocated before or after a capture. No findings.

// RUN: %check %s
// RUN: %if gxx %{ %check %s --real-std %}

#include <memory>
#include <vector>

__global__ void kernel(float *x, int n);

struct Staging {
  float *host = nullptr;
  size_t size = 0;
  explicit Staging(size_t n) : size(n) { cudaMallocHost(&host, n * sizeof(float)); }
  ~Staging() { cudaFreeHost(host); }
};

// The buffer is allocated before the capture and freed after it.
void raii(float *d, size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  Staging staging(n);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(d, staging.host, n, cudaMemcpyHostToDevice, s);
  cudaStreamEndCapture(s, &graph);
}

// A query is not an allocation.
void queries(float *h) {
  cudaStream_t s;
  cudaGraph_t graph;
  float *d;
  unsigned flags;
  cudaPointerAttributes attributes;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaHostGetDevicePointer(&d, h, 0);
  cudaHostGetFlags(&flags, h);
  cudaPointerGetAttributes(&attributes, h);
  kernel<<<1, 32, 0, s>>>(d, 1);
  cudaStreamEndCapture(s, &graph);
}

// Ordinary host memory.
void host_memory(float *d, size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  void *p = malloc(n);
  auto q = std::make_unique<float[]>(n);
  std::vector<float> v(n);
  float *r = new float[n];
  kernel<<<1, 32, 0, s>>>(d, (int)v.size());
  delete[] r;
  free(p);
  cudaStreamEndCapture(s, &graph);
}

// The memory is allocated only if no capture is active.
static float *staging_for(cudaStream_t s, size_t n) {
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(s, &status);
  float *h = nullptr;
  if (status == cudaStreamCaptureStatusNone)
    cudaMallocHost(&h, n);
  return h;
}

struct Workspace {
  float *host = nullptr;
  float *get(cudaStream_t s, size_t n) {
    if (!host) {
      cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
      if (cudaStreamIsCapturing(s, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone)
        return nullptr;
      cudaHostAlloc(&host, n, cudaHostAllocDefault);
    }
    return host;
  }
};

void guarded(Workspace &w, float *d, size_t n) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
  staging_for(s, n);
  w.get(s, n);
  kernel<<<1, 32, 0, s>>>(d, 1);
  cudaStreamEndCapture(s, &graph);
}

// The memory is freed on the error path, after the end of the capture.
bool cleanup(float *d, size_t n) {
  cudaStream_t s;
  cudaGraph_t graph = nullptr;
  float *h;
  cudaStreamCreate(&s);
  cudaMallocHost(&h, n);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaError_t e = cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, s);
  if (e != cudaSuccess) {
    cudaStreamEndCapture(s, &graph);
    cudaFreeHost(h);
    return false;
  }
  e = cudaStreamEndCapture(s, &graph);
  cudaFreeHost(h);
  return e == cudaSuccess;
}
