// link: -lcuda
/* Still-image filter chain. Filters are described by a table; chains that can be recorded are replayed as a graph. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PIXELS = 64 * 64 };
enum chain_rc { CHAIN_OK = 0, CHAIN_NEEDS_HOST = 1, CHAIN_DRIVER = 2 };

static CUresult last_driver_error = CUDA_SUCCESS;
#define DRV(call)                                                        \
  do {                                                                   \
    CUresult r_ = (call);                                                \
    if (r_ != CUDA_SUCCESS) {                                            \
      last_driver_error = r_;                                            \
      printf("line %d: driver error %d\n", __LINE__, (int)r_);           \
      return CHAIN_DRIVER;                                               \
    }                                                                    \
  } while (0)

__global__ void k_gain(float* img, int n, float gain) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) img[i] *= gain;
}
__global__ void k_gamma2(float* img, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) img[i] *= img[i];
}
__global__ void k_peak(const float* img, int n, float* out) {
  __shared__ float m[256];
  float v = 0.f;
  for (int i = threadIdx.x; i < n; i += 256) v = fmaxf(v, img[i]);
  m[threadIdx.x] = v;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s) m[threadIdx.x] = fmaxf(m[threadIdx.x], m[threadIdx.x + s]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = m[0];
}

struct chain;
struct filter {
  const char* name;
  int (*enqueue)(struct chain* c, int recording);
};

struct chain {
  CUstream stream;
  CUgraphExec exec;
  CUdeviceptr img, peak;
  float *h_img, *h_peak;
  CUfunction gain, gamma2, peak_fn;
  const struct filter* filters[4];
  int count, eager;
};

static int launch(struct chain* c, CUfunction f, unsigned grid, void** argv) {
  DRV(cuLaunchKernel(f, grid, 1, 1, 256, 1, 1, 0, c->stream, argv, NULL));
  return CHAIN_OK;
}

static int scale(struct chain* c, float g) {
  int n = PIXELS;
  void* argv[] = {&c->img, &n, &g};
  return launch(c, c->gain, PIXELS / 256, argv);
}

static int brighten_enqueue(struct chain* c, int recording) { (void)recording; return scale(c, 1.5f); }

static int gamma_enqueue(struct chain* c, int recording) {
  int n = PIXELS;
  void* argv[] = {&c->img, &n};
  (void)recording;
  return launch(c, c->gamma2, PIXELS / 256, argv);
}

static int auto_level_enqueue(struct chain* c, int recording) {
  int n = PIXELS, rc;
  void* argv[] = {&c->img, &n, &c->peak};
  if (recording) return CHAIN_NEEDS_HOST;
  if ((rc = launch(c, c->peak_fn, 1, argv)) != CHAIN_OK) return rc;
  DRV(cuMemcpyDtoHAsync(c->h_peak, c->peak, sizeof(float), c->stream));
  DRV(cuStreamSynchronize(c->stream));
  return scale(c, 1.0f / *c->h_peak);
}

static const struct filter f_brighten = {"brighten", brighten_enqueue};
static const struct filter f_gamma = {"gamma", gamma_enqueue};
static const struct filter f_auto = {"auto_level", auto_level_enqueue};

static int enqueue_all(struct chain* c, int recording) {
  DRV(cuMemcpyHtoDAsync(c->img, c->h_img, PIXELS * sizeof(float), c->stream));
  for (int i = 0; i < c->count; ++i) {
    int rc = c->filters[i]->enqueue(c, recording);
    if (rc != CHAIN_OK) return rc;
  }
  DRV(cuMemcpyDtoHAsync(c->h_img, c->img, PIXELS * sizeof(float), c->stream));
  return CHAIN_OK;
}

static int chain_record(struct chain* c) {
  CUgraph g = NULL;
  DRV(cuStreamBeginCapture(c->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  int rc = enqueue_all(c, 1);
  CUresult ended = cuStreamEndCapture(c->stream, &g);
  if (rc != CHAIN_OK) {
    if (g) cuGraphDestroy(g);
    return rc;
  }
  DRV(ended);
  DRV(cuGraphInstantiateWithFlags(&c->exec, g, 0));
  DRV(cuGraphDestroy(g));
  return CHAIN_OK;
}

static int chain_process(struct chain* c) {
  int rc;
  if (!c->exec && !c->eager) {
    rc = chain_record(c);
    if (rc == CHAIN_NEEDS_HOST) c->eager = 1;
    else if (rc != CHAIN_OK) return rc;
  }
  if (c->eager) {
    if ((rc = enqueue_all(c, 0)) != CHAIN_OK) return rc;
  } else {
    DRV(cuGraphLaunch(c->exec, c->stream));
  }
  DRV(cuStreamSynchronize(c->stream));
  return CHAIN_OK;
}

static int load_fn(CUfunction* out, const void* symbol) {
  cudaFunction_t f;
  if (cudaGetFuncBySymbol(&f, symbol) != cudaSuccess) return CHAIN_DRIVER;
  *out = (CUfunction)f;
  return CHAIN_OK;
}

static int chain_open(struct chain* c) {
  memset(c, 0, sizeof *c);
  if (load_fn(&c->gain, (const void*)k_gain) || load_fn(&c->gamma2, (const void*)k_gamma2) ||
      load_fn(&c->peak_fn, (const void*)k_peak))
    return CHAIN_DRIVER;
  DRV(cuStreamCreate(&c->stream, CU_STREAM_NON_BLOCKING));
  DRV(cuMemAlloc(&c->img, PIXELS * sizeof(float)));
  DRV(cuMemAlloc(&c->peak, sizeof(float)));
  DRV(cuMemAllocHost((void**)&c->h_img, PIXELS * sizeof(float)));
  DRV(cuMemAllocHost((void**)&c->h_peak, sizeof(float)));
  return CHAIN_OK;
}

static int chain_close(struct chain* c) {
  if (c->exec) DRV(cuGraphExecDestroy(c->exec));
  DRV(cuMemFree(c->img));
  DRV(cuMemFree(c->peak));
  DRV(cuMemFreeHost(c->h_img));
  DRV(cuMemFreeHost(c->h_peak));
  DRV(cuStreamDestroy(c->stream));
  return CHAIN_OK;
}

/* Runs three images; worst receives the largest distance from the expected image. */
static int drive(struct chain* c, int with_level, float* worst) {
  *worst = 0.f;
  for (int k = 1; k <= 3; ++k) {
    for (int i = 0; i < PIXELS; ++i) c->h_img[i] = (float)(i % (50 * k)) / 100.f;
    int rc = chain_process(c);
    if (rc != CHAIN_OK) return rc;
    float top = (float)(50 * k - 1) / 100.f * 1.5f;
    for (int i = 0; i < PIXELS; ++i) {
      float v = (float)(i % (50 * k)) / 100.f * 1.5f;
      if (with_level) v /= top;
      *worst = fmaxf(*worst, fabsf(v * v - c->h_img[i]));
    }
  }
  return CHAIN_OK;
}

int main(void) {
  struct chain plain, levelled;
  float w1 = -1.f, w2 = -1.f;
  if (cuInit(0) != CUDA_SUCCESS || cudaFree(0) != cudaSuccess || chain_open(&plain) || chain_open(&levelled)) {
    puts("LABEL UNOBSERVED");
    return 1;
  }
  plain.filters[plain.count++] = &f_brighten;
  plain.filters[plain.count++] = &f_gamma;
  levelled.filters[levelled.count++] = &f_brighten;
  levelled.filters[levelled.count++] = &f_auto;
  levelled.filters[levelled.count++] = &f_gamma;

  int rc1 = drive(&plain, 0, &w1);
  int closed = chain_close(&plain) == CHAIN_OK;
  int rc2 = drive(&levelled, 1, &w2);
  printf("plain: rc %d worst %g; levelled: rc %d worst %g, driver error %d\n", rc1, w1, rc2, w2, (int)last_driver_error);
  int seen = closed && rc1 == CHAIN_OK && w1 < 1e-3f && rc2 == CHAIN_OK && w2 < 1e-3f && levelled.eager && !plain.eager;
  if (chain_close(&levelled)) seen = 0;
  puts(seen ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return seen ? 0 : 1;
}
