/*
 * lattice_sweep: long-range coupling on independent lattice planes.
 * Every plane: d_tmp = weight * sqrt(field), then field = mean over a window of d_tmp.
 * Planes are dealt out to an array of streams; the whole sweep is one graph.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NSTREAM 4
#define NPLANE 8
#define PLEN 1024 /* power of two */
#define WINDOW 2048
#define NEWTON 3000
#define NSWEEP 6
#define TPB 128

#define GRIDOF(n) (((n) + TPB - 1) / TPB)
#define FIELD(p) (d_field + (size_t)(p) * PLEN)

static int g_nerr = 0;
static void ck_(cudaError_t e, const char *what, int line) {
  if (e == cudaSuccess) return;
  ++g_nerr;
  printf("line %d: %s: %s\n", line, what, cudaGetErrorString(e));
}
#define CK(x) ck_((x), #x, __LINE__)

static float *d_field, *d_tmp;
static cudaStream_t strm[NSTREAM];
static cudaEvent_t ev_fork, ev_join[NSTREAM];
static float h_field[NPLANE * PLEN];
static double ref[NPLANE * PLEN];

/* fixed-point square root; deliberately iterated to full convergence */
__global__ void k_root(const float *f, float *tmp, float w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = f[i], x = 0.5f * (a + 1.0f);
  for (int it = 0; it < NEWTON; ++it) x = 0.5f * (x + a / x);
  tmp[i] = w * x;
}

__global__ void k_window(const float *tmp, float *f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float acc = 0.0f;
  for (int j = 0; j < WINDOW; ++j) acc += tmp[(i + 3 * j) & (PLEN - 1)] * (1.0f / WINDOW);
  f[i] = acc + 0.25f * (float)(i & 7);
}

static float plane_weight(int p) { return 1.0f + 0.5f * (float)p; }

static void host_sweep(void) {
  static double t[PLEN];
  for (int p = 0; p < NPLANE; ++p) {
    double *f = ref + (size_t)p * PLEN;
    for (int i = 0; i < PLEN; ++i) t[i] = plane_weight(p) * sqrt(f[i]);
    for (int i = 0; i < PLEN; ++i) {
      double acc = 0.0;
      for (int j = 0; j < WINDOW; ++j) acc += t[(i + 3 * j) & (PLEN - 1)];
      f[i] = acc / WINDOW + 0.25 * (i & 7);
    }
  }
}

static int capture_sweep(cudaGraphExec_t *exec) {
  cudaGraph_t g = NULL;
  CK(cudaStreamBeginCapture(strm[0], cudaStreamCaptureModeGlobal));
  CK(cudaEventRecord(ev_fork, strm[0]));
  for (int s = 1; s < NSTREAM; ++s) CK(cudaStreamWaitEvent(strm[s], ev_fork, 0));
  for (int p = 0; p < NPLANE; ++p) {
    cudaStream_t s = strm[p % NSTREAM];
    /* one scratch row per stream: planes p and p+NSTREAM share it, but run in stream order */
    float *tmp = d_tmp + (size_t)(p % NSTREAM) * PLEN;
    k_root<<<GRIDOF(PLEN), TPB, 0, s>>>(FIELD(p), tmp, plane_weight(p), PLEN);
    k_window<<<GRIDOF(PLEN), TPB, 0, s>>>(tmp, FIELD(p), PLEN);
  }
  for (int s = 1; s < NSTREAM; ++s) {
    CK(cudaEventRecord(ev_join[s], strm[s]));
    CK(cudaStreamWaitEvent(strm[0], ev_join[s], 0));
  }
  CK(cudaStreamEndCapture(strm[0], &g));
  if (g_nerr) return -1;
  CK(cudaGraphInstantiate(exec, g, 0));
  CK(cudaGraphDestroy(g));
  return g_nerr ? -1 : 0;
}

static int count_wrong(void) {
  int wrong = 0;
  for (int i = 0; i < NPLANE * PLEN; ++i)
    if (fabs(h_field[i] - ref[i]) > 2e-3 * fabs(ref[i])) ++wrong;
  return wrong;
}

int main(void) {
  cudaGraphExec_t exec = NULL;
  int wrong = 0;

  CK(cudaMalloc((void **)&d_field, sizeof(h_field)));
  CK(cudaMalloc((void **)&d_tmp, NSTREAM * PLEN * sizeof(float)));
  for (int s = 0; s < NSTREAM; ++s) {
    CK(cudaStreamCreateWithFlags(&strm[s], cudaStreamNonBlocking));
    CK(cudaEventCreateWithFlags(&ev_join[s], cudaEventDisableTiming));
  }
  CK(cudaEventCreateWithFlags(&ev_fork, cudaEventDisableTiming));

  for (int p = 0; p < NPLANE; ++p)
    for (int i = 0; i < PLEN; ++i) {
      h_field[p * PLEN + i] = 1.0f + (float)((i * 7 + p * 31) % 97) * 0.05f;
      ref[p * PLEN + i] = h_field[p * PLEN + i];
    }
  CK(cudaMemcpy(d_field, h_field, sizeof(h_field), cudaMemcpyHostToDevice));
  CK(cudaDeviceSynchronize());

  if (capture_sweep(&exec) == 0) {
    for (int n = 0; n < NSWEEP; ++n) {
      int w;
      CK(cudaGraphLaunch(exec, strm[0]));
      CK(cudaMemcpyAsync(h_field, d_field, sizeof(h_field), cudaMemcpyDeviceToHost, strm[0]));
      CK(cudaStreamSynchronize(strm[0]));
      host_sweep();
      w = count_wrong();
      printf("sweep %d: %d of %d lattice points off\n", n, w, NPLANE * PLEN);
      wrong += w;
    }
  }

  if (exec) cudaGraphExecDestroy(exec);
  for (int s = 0; s < NSTREAM; ++s) {
    cudaStreamDestroy(strm[s]);
    cudaEventDestroy(ev_join[s]);
  }
  cudaEventDestroy(ev_fork);
  cudaFree(d_field);
  cudaFree(d_tmp);
  puts(wrong == 0 && g_nerr == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
