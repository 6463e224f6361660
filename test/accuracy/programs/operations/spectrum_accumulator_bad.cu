// link: -lcuda
/* Long-integration spectrometer backend: driver API, module from PTX, table of functions per backend. */
#include <cuda.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kAccumPtx[] =
    ".version 6.4\n.target sm_52\n.address_size 64\n"
    ".visible .entry accum(.param .u64 src, .param .u64 dst, .param .u32 n)\n"
    "{\n"
    ".reg .pred %p1;\n.reg .b32 %r<6>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<4>;\n"
    "ld.param.u64 %rd1, [src];\nld.param.u64 %rd2, [dst];\nld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
    "mad.lo.u32 %r5, %r2, %r3, %r4;\nsetp.ge.u32 %p1, %r5, %r1;\n@%p1 bra DONE;\n"
    "cvta.to.global.u64 %rd3, %rd1;\ncvta.to.global.u64 %rd4, %rd2;\nmul.wide.u32 %rd5, %r5, 4;\n"
    "add.u64 %rd6, %rd3, %rd5;\nadd.u64 %rd7, %rd4, %rd5;\n"
    "ld.global.f32 %f1, [%rd6];\nld.global.f32 %f2, [%rd7];\nfma.rn.f32 %f3, %f1, %f1, %f2;\nst.global.f32 [%rd7], %f3;\n"
    "DONE:\nret;\n}\n";

#define TRY(call)                                                          \
  do {                                                                     \
    CUresult r_ = (call);                                                  \
    if (r_ != CUDA_SUCCESS) { printf("%s = %d\n", #call, (int)r_); return (int)r_; } \
  } while (0)

enum { CHANNELS = 2048 };

struct spectro {
  CUdevice dev;
  CUcontext ctx;
  CUmodule mod;
  CUfunction accum;
  CUstream stream;
  CUgraphExec exec;
  float* h_in;
  CUdeviceptr d_in;
  CUdeviceptr history; /* history[0..CHANNELS) is the running integration, the rest finished ones */
  unsigned depth, finished;
};

struct spectro_ops {
  int (*open)(struct spectro*, unsigned depth);
  int (*feed)(struct spectro*);
  int (*archive)(struct spectro*);
  int (*read)(struct spectro*, unsigned slot, float* out);
  int (*close)(struct spectro*);
};

static const size_t kRow = CHANNELS * sizeof(float);

static int drv_reserve(struct spectro* s, unsigned depth) {
  CUdeviceptr bigger;
  if (depth <= s->depth) return 0;
  TRY(cuMemAlloc(&bigger, kRow * depth));
  TRY(cuMemsetD8Async(bigger, 0, kRow * depth, s->stream));
  if (s->history) {
    TRY(cuMemcpyDtoDAsync(bigger, s->history, kRow * s->depth, s->stream));
    TRY(cuStreamSynchronize(s->stream));
    TRY(cuMemFree(s->history));  // HAZARD dangling #history
  }
  TRY(cuStreamSynchronize(s->stream));
  s->history = bigger;
  s->depth = depth;
  return 0;
}

static int drv_open(struct spectro* s, unsigned depth) {
  memset(s, 0, sizeof *s);
  TRY(cuInit(0));
  TRY(cuDeviceGet(&s->dev, 0));
  TRY(cuDevicePrimaryCtxRetain(&s->ctx, s->dev));
  TRY(cuCtxSetCurrent(s->ctx));
  TRY(cuModuleLoadData(&s->mod, kAccumPtx));
  TRY(cuModuleGetFunction(&s->accum, s->mod, "accum"));
  TRY(cuStreamCreate(&s->stream, CU_STREAM_NON_BLOCKING));
  TRY(cuMemAllocHost((void**)&s->h_in, kRow));
  TRY(cuMemAlloc(&s->d_in, kRow));
  return drv_reserve(s, depth);
}

static int record_feed(struct spectro* s) {
  CUgraph g = NULL;
  unsigned n = CHANNELS;
  void* argv[] = {&s->d_in, &s->history, &n};
  TRY(cuStreamBeginCapture(s->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  CUresult up = cuMemcpyHtoDAsync(s->d_in, s->h_in, kRow, s->stream);
  CUresult run = cuLaunchKernel(s->accum, CHANNELS / 128, 1, 1, 128, 1, 1, 0, s->stream, argv, NULL);  // HAZARD dangling #history
  TRY(cuStreamEndCapture(s->stream, &g));
  TRY(up);
  TRY(run);
  TRY(cuGraphInstantiateWithFlags(&s->exec, g, 0));
  TRY(cuGraphDestroy(g));
  return 0;
}

static int drv_feed(struct spectro* s) {
  int rc;
  if (!s->exec && (rc = record_feed(s)) != 0) return rc;
  TRY(cuGraphLaunch(s->exec, s->stream));
  TRY(cuStreamSynchronize(s->stream));
  return 0;
}

/* Keeps the running integration as a finished one and starts over. */
static int drv_archive(struct spectro* s) {
  int rc;
  if (s->finished + 2 > s->depth && (rc = drv_reserve(s, s->depth * 2)) != 0) return rc;
  s->finished++;
  TRY(cuMemcpyDtoDAsync(s->history + kRow * s->finished, s->history, kRow, s->stream));
  TRY(cuMemsetD8Async(s->history, 0, kRow, s->stream));
  TRY(cuStreamSynchronize(s->stream));
  return 0;
}

static int drv_read(struct spectro* s, unsigned slot, float* out) {
  TRY(cuMemcpyDtoHAsync(out, s->history + kRow * slot, kRow, s->stream));
  TRY(cuStreamSynchronize(s->stream));
  return 0;
}

static int drv_close(struct spectro* s) {
  TRY(cuStreamSynchronize(s->stream));
  if (s->exec) TRY(cuGraphExecDestroy(s->exec));
  TRY(cuMemFree(s->history));
  TRY(cuMemFree(s->d_in));
  TRY(cuMemFreeHost(s->h_in));
  TRY(cuStreamDestroy(s->stream));
  TRY(cuModuleUnload(s->mod));
  TRY(cuDevicePrimaryCtxRelease(s->dev));
  return 0;
}

static const struct spectro_ops driver_ops = {drv_open, drv_feed, drv_archive, drv_read, drv_close};

int main(void) {
  const struct spectro_ops* ops = &driver_ops;
  static float got[CHANNELS];
  struct spectro s;
  int bad_rows[4] = {0, 0, 0, 0}, rc = ops->open(&s, 2);
  if (rc) { puts("LABEL UNOBSERVED"); return 1; }
  for (int round = 0; round < 4 && !rc; ++round) {
    for (int k = 0; k < 5 && !rc; ++k) {
      for (int c = 0; c < CHANNELS; ++c) s.h_in[c] = (float)((c + k + round) % 9);
      rc = ops->feed(&s);
    }
    if (!rc) rc = ops->archive(&s);
    if (!rc) rc = ops->read(&s, (unsigned)round + 1, got);
    for (int c = 0; c < CHANNELS && !rc; ++c) {
      float want = 0.f;
      for (int k = 0; k < 5; ++k) want += (float)((c + k + round) % 9) * (float)((c + k + round) % 9);
      if (fabsf(want - got[c]) > 1e-3f) bad_rows[round]++;
    }
    printf("integration %d: rc %d, %d channels differ, depth %u\n", round, rc, bad_rows[round], s.depth);
  }
  int seen = bad_rows[0] == 0 && (rc != 0 || bad_rows[2] > 0 || bad_rows[3] > 0);
  if (!rc) ops->close(&s);
  puts(seen ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return seen ? 0 : 1;
}
