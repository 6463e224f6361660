// The same work in both branches, and calls that a capture forbids only in the
// eager one. No check reports a finding.

// RUN: %check %s
// RUN: %if gxx %{ %check %s --real-std %}

#include <cstdio>

__global__ void fused(const float *q, float *o);
__global__ void refine(float *x);

static bool capturing(cudaStream_t s) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(s, &status);
  return status == cudaStreamCaptureStatusActive;
}

// The same kernel with the setup that each branch needs.
static void same(const float *q, float *o, float *pinned, cudaStream_t s) {
  if (capturing(s))
    fused<<<1, 32, 0, s>>>(q, pinned);
  else
    fused<<<1, 32, 0, s>>>(q, o);
}

// Waits, timing, errors, and logging.
static void synchronised(float *x, cudaEvent_t start, cudaEvent_t stop,
                         cudaStream_t s) {
  bool eager = !capturing(s);
  if (eager)
    cudaEventRecord(start, s);
  refine<<<1, 32, 0, s>>>(x);
  if (eager) {
    cudaEventRecord(stop, s);
    cudaEventSynchronize(stop);
    cudaStreamSynchronize(s);
    printf("done\n");
  }
}

// A different buffer, then the same work.
static void buffer(const float *q, float *fixed, float *scratch, cudaStream_t s) {
  float *target = capturing(s) ? fixed : scratch;
  fused<<<1, 32, 0, s>>>(q, target);
}

// A branch that is unrelated to captures.
static void configured(const float *q, float *o, bool fast, cudaStream_t s) {
  if (fast)
    fused<<<1, 32, 0, s>>>(q, o);
  else
    refine<<<1, 32, 0, s>>>(o);
}

void capture(const float *q, float *o, float *pinned, cudaEvent_t start,
             cudaEvent_t stop, bool fast, cudaStream_t s, cudaGraph_t *graph) {
  cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
  same(q, o, pinned, s);
  synchronised(o, start, stop, s);
  buffer(q, pinned, o, s);
  configured(q, o, fast, s);
  (void)cudaStreamEndCapture(s, graph);
}
