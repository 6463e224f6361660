// The condition of a loop also tests a status. Code that fills the object that
// the loop visits runs before the capture.

// RUN: %check %s cudagraph-host-logic --real-std

#include <cuda_runtime.h>
#include <cstdlib>

__global__ void k(float *p);

// Legal.
struct List {
  float *items[8];
  int n = 0;
  cudaStream_t s;
  cudaGraphExec_t exec;
  int add(float *p) {
    if (n == 8)
      return -1;
    items[n++] = p;
    return 0;
  }
  int record() {
    cudaGraph_t g;
    int rc = 0;
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
      return -1;
    for (int i = 0; rc == 0 && i < n; ++i) {
      k<<<1, 1, 0, s>>>(items[i]);
      if (cudaGetLastError())
        rc = -1;
    }
    if (cudaStreamEndCapture(s, &g))
      return -1;
    return cudaGraphInstantiate(&exec, g, 0) ? -1 : 0;
  }
  int replay() { return cudaGraphLaunch(exec, s) ? -1 : 0; }
};

// Not the condition of the loop.
struct Odd {
  int n = 0;
  float *p;
  cudaStream_t s;
  cudaGraphExec_t exec;
  void record() {
    cudaGraph_t g;
    if (cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
      return;
    for (int i = 0; i < 4; ++i)
      if (i > 1 && n > 2)
        // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: the branch depends on host state that changes between replays during the capture of 's' (global mode); replays repeat the branch taken at capture [cudagraph-host-logic]
        k<<<1, 1, 0, s>>>(p);
    if (cudaStreamEndCapture(s, &g))
      return;
    cudaGraphInstantiate(&exec, g, 0);
  }
  void replay() {
    ++n;
    cudaGraphLaunch(exec, s);
  }
};

// Legal: in memory of malloc().
typedef struct {
  float *items[8];
  int n;
  cudaStream_t s;
  cudaGraphExec_t exec;
} rig;

static int rig_open(rig **out) {
  rig *r = static_cast<rig *>(calloc(1, sizeof *r));
  if (!r)
    return -1;
  if (cudaStreamCreate(&r->s)) {
    free(r);
    return -1;
  }
  *out = r;
  return 0;
}
static int rig_add(rig *r, float *p) {
  if (r->n == 8)
    return -1;
  r->items[r->n] = p;
  r->n++;
  return 0;
}
static int rig_record(rig *r) {
  cudaGraph_t g;
  int rc = 0;
  if (cudaStreamBeginCapture(r->s, cudaStreamCaptureModeGlobal))
    return -1;
  if (r->n > 4)
    k<<<2, 1, 0, r->s>>>(r->items[0]);
  else
    k<<<1, 1, 0, r->s>>>(r->items[0]);
  if (cudaStreamEndCapture(r->s, &g))
    return -1;
  return cudaGraphInstantiate(&r->exec, g, 0) ? -1 : rc;
}
int main() {
  float *p;
  rig *r = nullptr;
  cudaMalloc(&p, 64);
  int rc = rig_open(&r);
  for (int i = 0; rc == 0 && i < 3; ++i)
    rc = rig_add(r, p + i);
  if (rc == 0)
    rc = rig_record(r);
  for (int i = 0; rc == 0 && i < 4; ++i)
    rc = cudaGraphLaunch(r->exec, r->s);
  return rc;
}
