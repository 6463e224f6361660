#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct nowcast_s* nowcast_t;

typedef struct stage_ops {
  const char* name;
  cudaError_t (*record)(nowcast_t nc, cudaStream_t s);
} stage_ops;

struct nowcast_s {
  int cells;
  float* radar;
  float* flow;
  float* rain;
  cudaStream_t ingest;
  cudaStream_t model;
  cudaStream_t motion;
  cudaEvent_t swept;
  cudaEvent_t fork, join;
  cudaGraphExec_t exec[2];
  int published;
};

__global__ void sweep_kernel(float* radar, float dbz, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) radar[i] = dbz;
}

__global__ void motion_kernel(const float* radar, float* flow, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) flow[i] = 0.5f * radar[i];
}

__global__ void advect_kernel(const float* flow, float* rain, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) rain[i] = flow[i] + 1.0f;
}

#define TRY(x)                        \
  do {                                \
    cudaError_t e_ = (x);             \
    if (e_ != cudaSuccess) return e_; \
  } while (0)

static cudaError_t motion_branch(nowcast_t nc, cudaStream_t s) {
  TRY(cudaEventRecord(nc->fork, s));
  TRY(cudaStreamWaitEvent(nc->motion, nc->fork, 0));
  motion_kernel<<<(nc->cells + 127) / 128, 128, 0, nc->motion>>>(nc->radar, nc->flow, nc->cells);
  TRY(cudaEventRecord(nc->join, nc->motion));
  return cudaStreamWaitEvent(s, nc->join, 0);
}

static cudaError_t advect_record(nowcast_t nc, cudaStream_t s) {
  TRY(motion_branch(nc, s));
  advect_kernel<<<(nc->cells + 127) / 128, 128, 0, s>>>(nc->flow, nc->rain, nc->cells);
  return cudaPeekAtLastError();
}

static void CUDART_CB on_published(void* user) { ((nowcast_t)user)->published++; }

static cudaError_t publish_record(nowcast_t nc, cudaStream_t s) {
  advect_kernel<<<(nc->cells + 127) / 128, 128, 0, s>>>(nc->flow, nc->rain, nc->cells);
  return cudaLaunchHostFunc(s, on_published, nc);
}

static const stage_ops k_stages[2] = {{"advect", advect_record}, {"publish", publish_record}};

static cudaError_t nowcast_open(nowcast_t* out, int cells) {
  nowcast_t nc = (nowcast_t)calloc(1, sizeof(*nc));
  *out = nc;
  nc->cells = cells;
  TRY(cudaStreamCreateWithFlags(&nc->ingest, cudaStreamNonBlocking));
  TRY(cudaStreamCreateWithFlags(&nc->model, cudaStreamNonBlocking));
  TRY(cudaStreamCreateWithFlags(&nc->motion, cudaStreamNonBlocking));
  TRY(cudaEventCreateWithFlags(&nc->fork, cudaEventDisableTiming));
  TRY(cudaEventCreateWithFlags(&nc->join, cudaEventDisableTiming));
  TRY(cudaEventCreateWithFlags(&nc->swept, cudaEventDisableTiming));
  TRY(cudaMalloc((void**)&nc->radar, cells * sizeof(float)));
  TRY(cudaMalloc((void**)&nc->flow, cells * sizeof(float)));
  return cudaMalloc((void**)&nc->rain, cells * sizeof(float));
}

static cudaError_t nowcast_sweep(nowcast_t nc, float dbz) {
  sweep_kernel<<<(nc->cells + 127) / 128, 128, 0, nc->ingest>>>(nc->radar, dbz, nc->cells);
  return cudaEventRecord(nc->swept, nc->ingest);
}

static cudaError_t nowcast_compile(nowcast_t nc, int stage, cudaError_t* first) {
  cudaGraph_t g = NULL;
  TRY(cudaStreamBeginCapture(nc->model, cudaStreamCaptureModeGlobal));
  *first = k_stages[stage].record(nc, nc->model);
  cudaError_t ended = cudaStreamEndCapture(nc->model, &g);
  if (ended == cudaSuccess) ended = cudaGraphInstantiate(&nc->exec[stage], g, 0);
  if (g) cudaGraphDestroy(g);
  return ended;
}

static cudaError_t nowcast_run(nowcast_t nc, float* rain) {
  TRY(cudaStreamWaitEvent(nc->model, nc->swept, 0));
  for (int i = 0; i < 2; ++i) TRY(cudaGraphLaunch(nc->exec[i], nc->model));
  TRY(cudaMemcpyAsync(rain, nc->rain + nc->cells - 1, sizeof(float), cudaMemcpyDeviceToHost, nc->model));
  return cudaStreamSynchronize(nc->model);
}

static void nowcast_close(nowcast_t nc) {
  for (int i = 0; i < 2; ++i)
    if (nc->exec[i]) cudaGraphExecDestroy(nc->exec[i]);
  cudaFree(nc->radar);
  cudaFree(nc->flow);
  cudaFree(nc->rain);
  cudaEventDestroy(nc->swept);
  cudaEventDestroy(nc->fork);
  cudaEventDestroy(nc->join);
  cudaStreamDestroy(nc->motion);
  cudaStreamDestroy(nc->ingest);
  cudaStreamDestroy(nc->model);
  free(nc);
}

int main(void) {
  nowcast_t nc = NULL;
  cudaError_t open = nowcast_open(&nc, 1000);
  cudaError_t swept = nowcast_sweep(nc, 30.0f);
  cudaError_t first[2] = {cudaSuccess, cudaSuccess}, ended[2];
  for (int i = 0; i < 2; ++i) {
    ended[i] = nowcast_compile(nc, i, &first[i]);
    (void)cudaGetLastError();
  }
  int good = open == cudaSuccess && swept == cudaSuccess;
  for (int i = 0; i < 2; ++i) good = good && first[i] == cudaSuccess && ended[i] == cudaSuccess;
  for (int k = 0; k < 3 && good; ++k) {
    float rain = 0.0f, dbz = 30.0f + 10.0f * k;
    good = nowcast_sweep(nc, dbz) == cudaSuccess && nowcast_run(nc, &rain) == cudaSuccess;
    good = good && fabsf(rain - (0.5f * dbz + 1.0f)) < 1e-4f && nc->published == k + 1;
  }
  if (good) printf("LABEL CONFIRMED\n");
  else printf("LABEL REFUTED open=%d first=%d,%d ended=%d,%d published=%d\n", open, first[0], first[1], ended[0], ended[1], nc->published);
  nowcast_close(nc);
  return 0;
}
