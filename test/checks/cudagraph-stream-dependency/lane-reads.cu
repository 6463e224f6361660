// Streams in a container wait for an event. Each reads memory that the origin
// writes before or after it records the event.

// RUN: %check %s cudagraph-stream-dependency --real-std

#include <cuda_runtime.h>
#include <vector>

__global__ void fill(int *p) { p[threadIdx.x] = 1; }
__global__ void use(const int *p, int *out) {
  out[threadIdx.x] = p[threadIdx.x];
}

struct Lane {
  cudaStream_t stream;
  cudaEvent_t done;
  int *out;
};

struct Pipeline {
  cudaStream_t origin;
  cudaEvent_t fork;
  std::vector<Lane> lanes;
  int *base, *late;

  Pipeline() {
    cudaStreamCreateWithFlags(&origin, cudaStreamNonBlocking);
    cudaEventCreate(&fork);
    cudaMalloc(&base, 128);
    cudaMalloc(&late, 128);
    lanes.resize(3);
    for (auto &l : lanes) {
      cudaStreamCreateWithFlags(&l.stream, cudaStreamNonBlocking);
      cudaEventCreate(&l.done);
      cudaMalloc(&l.out, 128);
    }
  }
  void join() {
    for (auto &l : lanes) {
      cudaEventRecord(l.done, l.stream);
      cudaStreamWaitEvent(origin, l.done, 0);
    }
  }
  void record(cudaGraph_t *g) {
    if (cudaStreamBeginCapture(origin, cudaStreamCaptureModeThreadLocal))
      return;
    fill<<<1, 32, 0, origin>>>(base);
    cudaEventRecord(fork, origin);
    for (auto &l : lanes)
      cudaStreamWaitEvent(l.stream, fork, 0);
    fill<<<1, 32, 0, origin>>>(late);
    for (size_t i = 0; i < lanes.size(); ++i) {
      use<<<1, 32, 0, lanes[i].stream>>>(base, lanes[i].out);
      use<<<1, 32, 0, lanes[i].stream>>>(late, lanes[i].out);
      // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: kernel 'use' reads 'late', which kernel 'fill' writes on stream 'origin', without waiting for it; CUDA returns success, and replays may run both at the same time [cudagraph-stream-dependency]
    }
    join();
    // Legal: the origin has waited for all lanes.
    fill<<<1, 32, 0, origin>>>(base);
    cudaStreamEndCapture(origin, g);
  }
};

int main() {
  Pipeline p;
  cudaGraph_t g;
  p.record(&g);
}
