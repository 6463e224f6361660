/*
 * Block equalizer of a software radio receiver, plain C interface. The sample source writes blocks into a ring of
 * pinned buffers; for each block the chain copies it in, runs an FIR with the current taps, applies the gain of the
 * AGC and copies the result out. The chain is a graph so that a block costs one launch.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EQ_BLOCK 1024
#define EQ_TAPS 5
#define EQ_SLOTS 4

#define EQ_TRY(call)                                                              \
  do {                                                                            \
    cudaError_t eq_rc = (call);                                                   \
    if (eq_rc != cudaSuccess) {                                                   \
      fprintf(stderr, "%s failed: %s\n", #call, cudaGetErrorString(eq_rc));       \
      return -1;                                                                  \
    }                                                                             \
  } while (0)

typedef struct eq_ctx {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  float *ring[EQ_SLOTS]; /* pinned, filled by the source */
  int head;              /* slot of the block to be processed next */
  float *h_out;          /* pinned */
  float *d_in, *d_out, *d_taps;
  float *h_gain; /* pinned; set by the AGC after each block */
  float *d_gain;
  cudaGraphNode_t in_node; /* copy of the input block */
} eq_ctx;

__global__ void eq_fir(const float *in, const float *taps, float *out, const float *gain) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float acc = 0.0f;
  for (int k = 0; k < EQ_TAPS; ++k)
    if (i >= k) acc += taps[k] * in[i - k];
  out[i] = acc * *gain;
}

static int eq_open(eq_ctx *c) {
  memset(c, 0, sizeof *c);
  EQ_TRY(cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking));
  for (int i = 0; i < EQ_SLOTS; ++i) EQ_TRY(cudaMallocHost((void **)&c->ring[i], EQ_BLOCK * sizeof(float)));
  EQ_TRY(cudaMallocHost((void **)&c->h_out, EQ_BLOCK * sizeof(float)));
  EQ_TRY(cudaMalloc((void **)&c->d_in, EQ_BLOCK * sizeof(float)));
  EQ_TRY(cudaMalloc((void **)&c->d_out, EQ_BLOCK * sizeof(float)));
  EQ_TRY(cudaMalloc((void **)&c->d_taps, EQ_TAPS * sizeof(float)));
  EQ_TRY(cudaMallocHost((void **)&c->h_gain, sizeof(float)));
  EQ_TRY(cudaMalloc((void **)&c->d_gain, sizeof(float)));
  *c->h_gain = 1.0f;
  return 0;
}

static void eq_close(eq_ctx *c) {
  if (c->exec) cudaGraphExecDestroy(c->exec);
  if (c->graph) cudaGraphDestroy(c->graph);
  for (int i = 0; i < EQ_SLOTS; ++i) cudaFreeHost(c->ring[i]);
  cudaFreeHost(c->h_out);
  cudaFree(c->d_in);
  cudaFree(c->d_out);
  cudaFree(c->d_taps);
  cudaFreeHost(c->h_gain);
  cudaFree(c->d_gain);
  if (c->stream) cudaStreamDestroy(c->stream);
}

/* New taps go to the same device array, between two blocks. */
static int eq_set_taps(eq_ctx *c, const float *taps) {
  EQ_TRY(cudaMemcpyAsync(c->d_taps, taps, EQ_TAPS * sizeof(float), cudaMemcpyHostToDevice, c->stream));
  EQ_TRY(cudaStreamSynchronize(c->stream));
  return 0;
}

static int eq_record(eq_ctx *c) {
  const size_t bytes = EQ_BLOCK * sizeof(float);
  cudaError_t rc[4] = {cudaSuccess, cudaSuccess, cudaSuccess, cudaSuccess}; /* looked at when the capture is closed */
  EQ_TRY(cudaStreamBeginCapture(c->stream, cudaStreamCaptureModeRelaxed));
  rc[0] = cudaMemcpyAsync(c->d_in, c->ring[c->head], bytes, cudaMemcpyHostToDevice, c->stream); /* see eq_process */
  {
    cudaStreamCaptureStatus st;
    const cudaGraphNode_t *deps = NULL;
    size_t n_deps = 0;
    rc[1] = cudaStreamGetCaptureInfo(c->stream, &st, NULL, NULL, &deps, NULL, &n_deps);
    c->in_node = rc[1] == cudaSuccess && n_deps == 1 ? deps[0] : NULL;
  }
  rc[2] = cudaMemcpyAsync(c->d_gain, c->h_gain, sizeof(float), cudaMemcpyHostToDevice, c->stream);
  eq_fir<<<EQ_BLOCK / 128, 128, 0, c->stream>>>(c->d_in, c->d_taps, c->d_out, c->d_gain);
  rc[3] = cudaMemcpyAsync(c->h_out, c->d_out, bytes, cudaMemcpyDeviceToHost, c->stream);
  EQ_TRY(cudaStreamEndCapture(c->stream, &c->graph));
  for (int i = 0; i < 4; ++i) EQ_TRY(rc[i]);
  EQ_TRY(cudaGraphInstantiate(&c->exec, c->graph, 0));
  if (c->in_node == NULL) return -1;
  return 0;
}

/* Process the block in ring[head]; h_out is valid on return. */
static int eq_process(eq_ctx *c) {
  if (c->exec == NULL && eq_record(c) != 0) return -1;
  EQ_TRY(cudaGraphExecMemcpyNodeSetParams1D(c->exec, c->in_node, c->d_in, c->ring[c->head], EQ_BLOCK * sizeof(float),
                                            cudaMemcpyHostToDevice));
  EQ_TRY(cudaGraphLaunch(c->exec, c->stream));
  EQ_TRY(cudaStreamSynchronize(c->stream));
  c->head = (c->head + 1) % EQ_SLOTS;
  return 0;
}

static void source_fill(float *slot, int block) {
  for (int i = 0; i < EQ_BLOCK; ++i) slot[i] = sinf(0.01f * (float)(i + 1)) + (float)block;
}

int main(void) {
  eq_ctx eq;
  float taps[EQ_TAPS] = {0.5f, 0.2f, 0.1f, -0.1f, 0.05f};
  int wrong_input = 0, wrong_gain = 0, rc = 0;

  if (eq_open(&eq) != 0 || eq_set_taps(&eq, taps) != 0) rc = -1;
  for (int block = 0; block < 8 && rc == 0; ++block) {
    float *slot = eq.ring[eq.head];
    float gain, as_expected = 0.0f, gain_ratio = 0.0f;
    source_fill(slot, block);
    if (block == 4) {
      taps[0] = 0.7f;
      rc = eq_set_taps(&eq, taps);
    }
    if (rc == 0) rc = eq_process(&eq);
    if (rc != 0) break;
    gain = *eq.h_gain;
    /* the ratio of two outputs does not depend on the gain: it tells the input apart */
    {
      double first = taps[0] * slot[0], last = 0.0;
      for (int k = 0; k < EQ_TAPS; ++k) last += taps[k] * slot[500 - k];
      as_expected = (float)fabs(eq.h_out[500] * first - eq.h_out[0] * last);
      gain_ratio = (float)(eq.h_out[500] - last * gain);
    }
    if (as_expected > 1e-4f * (1.0f + (float)block * (float)block)) ++wrong_input;
    if (fabsf(gain_ratio) > 1e-3f * (1.0f + (float)block)) ++wrong_gain;
    /* AGC */
    *eq.h_gain = 1.0f + 0.25f * (float)(block + 1);
  }
  printf("rc %d, blocks with another input %d, with another level %d\n", rc, wrong_input, wrong_gain);
  eq_close(&eq);
  puts(rc == 0 && wrong_input == 0 && wrong_gain == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return rc == 0 ? 0 : 1;
}
