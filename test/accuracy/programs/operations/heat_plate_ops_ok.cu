// link: -lcuda
/* Heat plate relaxation behind a table of functions; the device side goes through the driver API. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DRV(call)                                                                  \
  do {                                                                             \
    CUresult rc_ = (call);                                                         \
    if (rc_ != CUDA_SUCCESS) { fprintf(stderr, "%s -> %d\n", #call, (int)rc_); return -1; } \
  } while (0)

enum { EDGE = 48, CELLS = EDGE * EDGE };

__global__ void relax(const float* src, float* dst, int edge) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= edge || y >= edge) return;
  int i = y * edge + x;
  if (x == 0 || y == 0 || x == edge - 1 || y == edge - 1) { dst[i] = src[i]; return; }
  dst[i] = 0.25f * (src[i - 1] + src[i + 1] + src[i - edge] + src[i + edge]);
}

typedef struct plate {
  CUdevice dev;
  CUcontext ctx;
  CUstream stream;
  CUfunction fn;
  CUdeviceptr cur, nxt;
  CUgraphExec exec[2];
  unsigned phase;
  int edge;
} plate_t;

typedef struct plate_ops {
  const char* name;
  int (*open)(plate_t*, const float* init);
  int (*step)(plate_t*);
  int (*read)(plate_t*, float* out);
  int (*close)(plate_t*);
} plate_ops_t;

static int record_step(plate_t* p, CUdeviceptr from, CUdeviceptr to, CUgraphExec* out) {
  CUgraph g = NULL;
  void* args[] = {&from, &to, &p->edge};
  unsigned blocks = (unsigned)(p->edge + 15) / 16;
  DRV(cuStreamBeginCapture(p->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  CUresult launched = cuLaunchKernel(p->fn, blocks, blocks, 1, 16, 16, 1, 0, p->stream, args, NULL);
  CUresult ended = cuStreamEndCapture(p->stream, &g);
  DRV(launched);
  DRV(ended);
  DRV(cuGraphInstantiateWithFlags(out, g, 0));
  DRV(cuGraphDestroy(g));
  return 0;
}

static int plate_open(plate_t* p, const float* init) {
  cudaFunction_t f;
  memset(p, 0, sizeof *p);
  p->edge = EDGE;
  DRV(cuInit(0));
  DRV(cuDeviceGet(&p->dev, 0));
  DRV(cuDevicePrimaryCtxRetain(&p->ctx, p->dev));
  DRV(cuCtxSetCurrent(p->ctx));
  if (cudaGetFuncBySymbol(&f, (const void*)relax) != cudaSuccess) return -1;
  p->fn = (CUfunction)f;
  DRV(cuStreamCreate(&p->stream, CU_STREAM_NON_BLOCKING));
  DRV(cuMemAlloc(&p->cur, CELLS * sizeof(float)));
  DRV(cuMemAlloc(&p->nxt, CELLS * sizeof(float)));
  DRV(cuMemcpyHtoDAsync(p->cur, init, CELLS * sizeof(float), p->stream));
  DRV(cuMemcpyHtoDAsync(p->nxt, init, CELLS * sizeof(float), p->stream));
  DRV(cuStreamSynchronize(p->stream));
  return 0;
}

static int plate_step(plate_t* p) {
  CUgraphExec* slot = &p->exec[p->phase & 1u];
  if (!*slot && record_step(p, p->cur, p->nxt, slot)) return -1;
  DRV(cuGraphLaunch(*slot, p->stream));
  p->phase++;
  CUdeviceptr t = p->cur;
  p->cur = p->nxt;
  p->nxt = t;
  return 0;
}

static int plate_read(plate_t* p, float* out) {
  DRV(cuMemcpyDtoHAsync(out, p->cur, CELLS * sizeof(float), p->stream));
  DRV(cuStreamSynchronize(p->stream));
  return 0;
}

static int plate_close(plate_t* p) {
  DRV(cuStreamSynchronize(p->stream));
  for (int i = 0; i < 2; ++i)
    if (p->exec[i]) DRV(cuGraphExecDestroy(p->exec[i]));
  DRV(cuMemFree(p->cur));
  DRV(cuMemFree(p->nxt));
  DRV(cuStreamDestroy(p->stream));
  DRV(cuDevicePrimaryCtxRelease(p->dev));
  return 0;
}

static const plate_ops_t graph_backend = {"graph", plate_open, plate_step, plate_read, plate_close};

static void reference(const float* init, float* out, int steps) {
  static float a[CELLS], b[CELLS];
  memcpy(a, init, sizeof a);
  for (int s = 0; s < steps; ++s) {
    memcpy(b, a, sizeof b);
    for (int y = 1; y < EDGE - 1; ++y)
      for (int x = 1; x < EDGE - 1; ++x) {
        int i = y * EDGE + x;
        b[i] = 0.25f * (a[i - 1] + a[i + 1] + a[i - EDGE] + a[i + EDGE]);
      }
    memcpy(a, b, sizeof a);
  }
  memcpy(out, a, sizeof a);
}

static float max_diff(const float* a, const float* b) {
  float w = 0.f;
  for (int i = 0; i < CELLS; ++i) w = fmaxf(w, fabsf(a[i] - b[i]));
  return w;
}

int main(void) {
  static float init[CELLS], got[CELLS], want[CELLS];
  const plate_ops_t* ops = &graph_backend;
  plate_t plate;
  float diff[3];
  const int marks[3] = {1, 7, 20};
  int done = 0;

  for (int x = 0; x < EDGE; ++x) init[x] = 100.f;
  if (ops->open(&plate, init)) { puts("LABEL UNOBSERVED"); return 1; }
  for (int m = 0; m < 3; ++m) {
    for (; done < marks[m]; ++done)
      if (ops->step(&plate)) { puts("LABEL UNOBSERVED"); return 1; }
    if (ops->read(&plate, got)) { puts("LABEL UNOBSERVED"); return 1; }
    reference(init, want, done);
    diff[m] = max_diff(got, want);
    printf("%s: %d steps, max difference %g\n", ops->name, done, diff[m]);
  }
  if (ops->close(&plate)) { puts("LABEL UNOBSERVED"); return 1; }
  int seen = diff[0] < 1e-3f && diff[1] < 1e-3f && diff[2] < 1e-3f;
  puts(seen ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return seen ? 0 : 1;
}
