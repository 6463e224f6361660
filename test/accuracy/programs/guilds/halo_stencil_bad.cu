/* 1-D heat equation, slabs on separate streams, one captured graph = STEPS_PER_GRAPH steps. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NSLAB 4
#define NCELL 4096
#define SLAB (NCELL / NSLAB)
#define STEPS_PER_GRAPH 4 /* even: the result lands back in d_u[0] */
#define NREPLAY 25
#define ALPHA 0.2f
#define TPB 128

#define CK(call)                                                                        \
  do {                                                                                  \
    cudaError_t e_ = (call);                                                            \
    if (e_ != cudaSuccess && g_err == cudaSuccess) {                                    \
      g_err = e_;                                                                       \
      printf("%s:%d %s -> %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_));    \
    }                                                                                   \
  } while (0)

static cudaError_t g_err = cudaSuccess;

static float *d_u[2];
static float *d_energy; /* one value per replay slot, read by the monitor */
static cudaStream_t s_slab[NSLAB];
static cudaStream_t s_mon;
static cudaEvent_t ev_step[STEPS_PER_GRAPH + 1];
static cudaEvent_t ev_slab[STEPS_PER_GRAPH][NSLAB];
static cudaEvent_t ev_state;
static float h_u[NCELL], h_ref[NCELL], h_tmp[NCELL];

__global__ void k_heat(const float *in, float *out, int lo, int hi) {
  int i = lo + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= hi) return;
  if (i == 0 || i == NCELL - 1) {
    out[i] = in[i];
    return;
  }
  out[i] = in[i] + ALPHA * (in[i - 1] - 2.0f * in[i] + in[i + 1]);
}

/* deterministic single-block sum */
__global__ void k_energy(const float *u, float *dst) {
  __shared__ float part[256];
  float s = 0.0f;
  for (int i = threadIdx.x; i < NCELL; i += 256) s += u[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = 128; w > 0; w >>= 1) {
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0) *dst = part[0];
}

static void setup(void) {
  int i, j;
  CK(cudaMalloc((void **)&d_u[0], sizeof(h_u)));
  CK(cudaMalloc((void **)&d_u[1], sizeof(h_u)));
  CK(cudaMalloc((void **)&d_energy, sizeof(float)));
  CK(cudaMemset(d_energy, 0, sizeof(float)));
  for (i = 0; i < NSLAB; ++i) CK(cudaStreamCreateWithFlags(&s_slab[i], cudaStreamNonBlocking));
  CK(cudaStreamCreateWithFlags(&s_mon, cudaStreamNonBlocking));
  for (i = 0; i <= STEPS_PER_GRAPH; ++i) CK(cudaEventCreateWithFlags(&ev_step[i], cudaEventDisableTiming));
  for (i = 0; i < STEPS_PER_GRAPH; ++i)
    for (j = 0; j < NSLAB; ++j) CK(cudaEventCreateWithFlags(&ev_slab[i][j], cudaEventDisableTiming));
  CK(cudaEventCreateWithFlags(&ev_state, cudaEventDisableTiming));
  for (i = 0; i < NCELL; ++i) h_ref[i] = h_u[i] = (i / 300) % 2 ? 1.0f : 0.0f;
  CK(cudaMemcpy(d_u[0], h_u, sizeof(h_u), cudaMemcpyHostToDevice));
  CK(cudaDeviceSynchronize());
}

static void teardown(void) {
  int i, j;
  for (i = 0; i < NSLAB; ++i) cudaStreamDestroy(s_slab[i]);
  cudaStreamDestroy(s_mon);
  for (i = 0; i <= STEPS_PER_GRAPH; ++i) cudaEventDestroy(ev_step[i]);
  for (i = 0; i < STEPS_PER_GRAPH; ++i)
    for (j = 0; j < NSLAB; ++j) cudaEventDestroy(ev_slab[i][j]);
  cudaEventDestroy(ev_state);
  cudaFree(d_u[0]);
  cudaFree(d_u[1]);
  cudaFree(d_energy);
}

static cudaGraphExec_t build(void) {
  cudaGraph_t graph = NULL;
  cudaGraphExec_t exec = NULL;
  int t, k;
  CK(cudaStreamBeginCapture(s_slab[0], cudaStreamCaptureModeGlobal));
  for (t = 0; t < STEPS_PER_GRAPH; ++t) {
    const float *in = d_u[t & 1];
    float *out = d_u[(t + 1) & 1];
    CK(cudaEventRecord(ev_step[t], s_slab[0]));
    for (k = 1; k < NSLAB; ++k) CK(cudaStreamWaitEvent(s_slab[k], ev_step[t], 0));
    for (k = 0; k < NSLAB; ++k)
      k_heat<<<(SLAB + TPB - 1) / TPB, TPB, 0, s_slab[k]>>>(in, out, k * SLAB, (k + 1) * SLAB);
    for (k = NSLAB - 1; k > 0; --k) { /* chain the joins: 3 -> 2 -> 1 -> 0 */
      CK(cudaEventRecord(ev_slab[t][k], s_slab[k]));
      CK(cudaStreamWaitEvent(s_slab[k - 1], ev_slab[t][k], 0));
    }
  }
  /* the energy monitor hangs off the finished state; nobody downstream in the graph needs it */
  CK(cudaEventRecord(ev_state, s_slab[0]));
  CK(cudaStreamWaitEvent(s_mon, ev_state, 0));
  k_energy<<<1, 256, 0, s_mon>>>(d_u[0], d_energy); // HAZARD dependency #mon
  CK(cudaStreamEndCapture(s_slab[0], &graph)); // HAZARD dependency #mon
  if (g_err == cudaSuccess) CK(cudaGraphInstantiate(&exec, graph, 0));
  if (graph) CK(cudaGraphDestroy(graph));
  return exec;
}

static void host_steps(int n) {
  int t, i;
  for (t = 0; t < n; ++t) {
    h_tmp[0] = h_ref[0];
    h_tmp[NCELL - 1] = h_ref[NCELL - 1];
    for (i = 1; i < NCELL - 1; ++i)
      h_tmp[i] = h_ref[i] + ALPHA * (h_ref[i - 1] - 2.0f * h_ref[i] + h_ref[i + 1]);
    for (i = 0; i < NCELL; ++i) h_ref[i] = h_tmp[i];
  }
}

int main(void) {
  int r, i, bad_values = 0;
  float energy = 0.0f;
  cudaGraphExec_t exec;

  setup();
  exec = build();
  for (r = 0; r < NREPLAY && g_err == cudaSuccess; ++r) {
    double sum = 0.0;
    CK(cudaGraphLaunch(exec, s_slab[0]));
    CK(cudaStreamSynchronize(s_slab[0]));
    CK(cudaMemcpy(&energy, d_energy, sizeof(float), cudaMemcpyDeviceToHost));
    host_steps(STEPS_PER_GRAPH);
    for (i = 0; i < NCELL; ++i) sum += h_ref[i];
    if (fabs(sum - energy) > 1e-4 * fabs(sum)) ++bad_values;
  }
  if (g_err == cudaSuccess) {
    CK(cudaMemcpy(h_u, d_u[0], sizeof(h_u), cudaMemcpyDeviceToHost));
    for (i = 0; i < NCELL; ++i)
      if (fabsf(h_u[i] - h_ref[i]) > 1e-4f) ++bad_values;
  }
  printf("energy %f, wrong values %d, error %d\n", energy, bad_values, (int)g_err);
  if (exec) cudaGraphExecDestroy(exec);
  teardown();
  puts(g_err == cudaErrorStreamCaptureUnjoined ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
