// One of several functions in a table leaves work unjoined, and another function
// invalidates the capture. Neither error hides the other.

// RUN: %check %s cudagraph-stream-dependency

#include <cuda_runtime.h>

__global__ void kernel(float *x);

struct Bus {
  cudaStream_t stream, side;
  cudaEvent_t forked, before;
  float *x;
};

static cudaError_t fork(Bus *b) {
  cudaEventRecord(b->forked, b->stream);
  cudaStreamWaitEvent(b->side, b->forked, 0);
  kernel<<<1, 32, 0, b->side>>>(b->x);
  return cudaGetLastError();
}

static cudaError_t wait(Bus *b) {
  cudaStreamWaitEvent(b->stream, b->before, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamWaitEvent' makes stream 'b->stream' wait for event 'b->before', which was recorded outside the capture
  kernel<<<1, 32, 0, b->stream>>>(b->x);
  return cudaGetLastError();
}

static struct Driver {
  cudaError_t (*record)(Bus *);
} drivers[] = {{fork}, {wait}};

static void compile(Bus *b, Driver *d, cudaGraph_t *graph) {
  cudaStreamBeginCapture(b->stream, cudaStreamCaptureModeThreadLocal);
  d->record(b);
  cudaStreamEndCapture(b->stream, graph);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamEndCapture' ends the capture of 'b->stream' with unjoined work of a forked stream
}

// Both errors are on the same path, so the first one hides the second one.
static void once(Bus *b, cudaGraph_t *graph) {
  cudaStreamBeginCapture(b->stream, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(b->forked, b->stream);
  cudaStreamWaitEvent(b->side, b->forked, 0);
  kernel<<<1, 32, 0, b->side>>>(b->x);
  cudaStreamWaitEvent(b->stream, b->before, 0);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: 'cudaStreamWaitEvent' makes stream 'b->stream' wait for event 'b->before', which was recorded outside the capture
  cudaStreamEndCapture(b->stream, graph);
}

int main() {
  Bus b;
  cudaStreamCreate(&b.stream);
  cudaStreamCreate(&b.side);
  cudaEventCreate(&b.forked);
  cudaEventCreate(&b.before);
  cudaMalloc(&b.x, 128);
  cudaEventRecord(b.before, b.side);
  cudaGraph_t graphs[2], third;
  for (int i = 0; i < 2; ++i)
    compile(&b, &drivers[i], &graphs[i]);
  once(&b, &third);
}
