// A plan in the style of C libraries: its memory comes from malloc, the functions return a
// status, and a setter replaces the stream. The stream on which the capture ends must be the
// one on which it began.

// RUN: %check %s cudagraph-capture-scope --real-std
// REQUIRES: gxx

#include <cstdlib>

__global__ void kernel(float *x);

struct plan_s {
  cudaStream_t stream, origin;
  cudaEvent_t order;
  float *x;
};
typedef plan_s *plan_t;

int plan_create(plan_t *out, cudaStream_t stream) {
  plan_t p = (plan_t)calloc(1, sizeof(*p));
  if (!p)
    return 1;
  p->stream = stream;
  if (cudaMalloc((void **)&p->x, 4096) != cudaSuccess ||
      cudaEventCreate(&p->order) != cudaSuccess) {
    free(p);
    return 1;
  }
  *out = p;
  return 0;
}

int plan_set_stream(plan_t p, cudaStream_t stream) {
  if (stream == p->stream)
    return 0;
  if (cudaEventRecord(p->order, p->stream) != cudaSuccess ||
      cudaStreamWaitEvent(stream, p->order, 0) != cudaSuccess)
    return 2;
  p->stream = stream;
  return 0;
}

int plan_execute(plan_t p) {
  kernel<<<1, 1, 0, p->stream>>>(p->x);
  return cudaGetLastError() == cudaSuccess ? 0 : 2;
}

int plan_begin(plan_t p) {
  p->origin = p->stream;
  return cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeRelaxed) == cudaSuccess ? 0 : 3;
}

int plan_end(plan_t p, cudaGraph_t *graph) {
  return cudaStreamEndCapture(p->stream, graph) == cudaSuccess ? 0 : 3;
// CHECK-MESSAGES: :[[@LINE-1]]:10: warning: 'cudaStreamEndCapture' ends the capture on stream 'p->stream', which is part of the capture; CUDA returns cudaErrorStreamCaptureUnmatched (903)
}

int plan_end_at_origin(plan_t p, cudaGraph_t *graph) {
  if (p->origin != p->stream) {
    cudaEventRecord(p->order, p->stream);
    cudaStreamWaitEvent(p->origin, p->order, 0);
    p->stream = p->origin;
  }
  return cudaStreamEndCapture(p->origin, graph) == cudaSuccess ? 0 : 3;
}

int main() {
  cudaStream_t first = NULL, second = NULL;
  plan_t bad = NULL, good = NULL;
  int failed = 0;
  failed |= cudaStreamCreate(&first) | cudaStreamCreate(&second);
  failed |= plan_create(&bad, first);
  failed |= plan_create(&good, first);
  if (failed)
    return 1;
  cudaGraph_t graph = NULL;
  int status = plan_begin(good);
  if (status == 0) {
    status = plan_execute(good);
    if (status == 0)
      status = plan_set_stream(good, second);
    if (status == 0)
      status = plan_execute(good);
    status = plan_end_at_origin(good, &graph);
  }
  if (status != 0)
    return 2;
  status = plan_begin(bad);
  if (status == 0) {
    status = plan_execute(bad);
    if (status == 0)
      status = plan_set_stream(bad, second);
    if (status == 0)
      status = plan_execute(bad);
    status = plan_end(bad, &graph);
  }
  return status;
// CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this return leaves 'p->stream' (blocking, relaxed mode) capturing
}
