// Plugin engine in C style: layers are looked up in a registry and recorded into one graph.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum engine_status { ENGINE_OK = 0, ENGINE_UNKNOWN_LAYER, ENGINE_LAYER_FAILED, ENGINE_CUDA };

struct layer_desc {
  const char* type;
  float p0, p1;
};

struct layer_plugin {
  const char* type;
  bool (*supports)(const layer_desc*);
  cudaError_t (*enqueue)(const layer_desc*, float* data, int n, cudaStream_t);
};

__global__ void k_scale(float* d, int n, float a, float b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d[i] = a * d[i] + b;
}
__global__ void k_clip(float* d, int n, float lo, float hi) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d[i] = fminf(fmaxf(d[i], lo), hi);
}

static bool any_params(const layer_desc*) { return true; }
static bool clip_params(const layer_desc* l) { return l->p0 <= l->p1; }
static cudaError_t enqueue_scale(const layer_desc* l, float* d, int n, cudaStream_t s) {
  k_scale<<<(n + 127) / 128, 128, 0, s>>>(d, n, l->p0, l->p1);
  return cudaGetLastError();
}
static cudaError_t enqueue_clip(const layer_desc* l, float* d, int n, cudaStream_t s) {
  k_clip<<<(n + 127) / 128, 128, 0, s>>>(d, n, l->p0, l->p1);
  return cudaGetLastError();
}

static const layer_plugin g_plugins[] = {
    {"scale", any_params, enqueue_scale},
    {"clip", clip_params, enqueue_clip},
};

static const layer_plugin* find_plugin(const layer_desc* l) {
  for (const layer_plugin& p : g_plugins)
    if (strcmp(p.type, l->type) == 0 && p.supports(l)) return &p;
  return nullptr;
}

struct engine {
  cudaStream_t stream;
  cudaGraphExec_t exec;
  float* data;
  int n;
  cudaError_t last;
};

static engine_status engine_create(engine* e, int n) {
  memset(e, 0, sizeof *e);
  e->n = n;
  if ((e->last = cudaStreamCreateWithFlags(&e->stream, cudaStreamNonBlocking)) != cudaSuccess) return ENGINE_CUDA;
  if ((e->last = cudaMalloc(&e->data, n * sizeof(float))) != cudaSuccess) return ENGINE_CUDA;
  return ENGINE_OK;
}

static engine_status engine_compile(engine* e, const layer_desc* layers, int count) {
  engine_status st = ENGINE_OK;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;

  if ((e->last = cudaStreamBeginCapture(e->stream, cudaStreamCaptureModeThreadLocal)) != cudaSuccess)
    return ENGINE_CUDA;

  for (int i = 0; i < count; ++i) {
    const layer_plugin* p = find_plugin(&layers[i]);
    if (!p) {
      printf("engine: no plugin for layer %d (%s)\n", i, layers[i].type);
      return ENGINE_UNKNOWN_LAYER;  // HAZARD scope
    }
    if ((e->last = p->enqueue(&layers[i], e->data, e->n, e->stream)) != cudaSuccess) {
      st = ENGINE_LAYER_FAILED;
      goto finish;
    }
  }

finish:
  cudaError_t ended = cudaStreamEndCapture(e->stream, &graph);
  if (st == ENGINE_OK && ended != cudaSuccess) {
    e->last = ended;
    st = ENGINE_CUDA;
  }
  if (st == ENGINE_OK && (e->last = cudaGraphInstantiateWithFlags(&exec, graph, 0)) != cudaSuccess) st = ENGINE_CUDA;
  if (graph) cudaGraphDestroy(graph);
  if (st != ENGINE_OK) return st;
  if (e->exec) cudaGraphExecDestroy(e->exec);
  e->exec = exec;
  return ENGINE_OK;
}

static engine_status engine_run(engine* e, const float* in, float* out) {
  size_t bytes = e->n * sizeof(float);
  if ((e->last = cudaMemcpyAsync(e->data, in, bytes, cudaMemcpyHostToDevice, e->stream)) != cudaSuccess) return ENGINE_CUDA;
  if ((e->last = cudaGraphLaunch(e->exec, e->stream)) != cudaSuccess) return ENGINE_CUDA;
  if ((e->last = cudaMemcpyAsync(out, e->data, bytes, cudaMemcpyDeviceToHost, e->stream)) != cudaSuccess) return ENGINE_CUDA;
  return (e->last = cudaStreamSynchronize(e->stream)) == cudaSuccess ? ENGINE_OK : ENGINE_CUDA;
}

static void engine_destroy(engine* e) {
  if (e->exec) cudaGraphExecDestroy(e->exec);
  cudaFree(e->data);
  cudaStreamDestroy(e->stream);
}

#define N 300
static bool verify(engine* e) {
  static float in[N], out[N];
  for (int r = 0; r < 3; ++r) {
    for (int i = 0; i < N; ++i) in[i] = 0.1f * i - 5.f * r;
    if (engine_run(e, in, out) != ENGINE_OK) return false;
    for (int i = 0; i < N; ++i)
      if (fabsf(out[i] - fminf(fmaxf(2.f * in[i] + 1.f, 0.f), 30.f)) > 1e-4f) return false;
  }
  return true;
}

int main(void) {
  engine e;
  if (engine_create(&e, N) != ENGINE_OK) {
    printf("create: %s\nLABEL UNOBSERVED\n", cudaGetErrorString(e.last));
    return 1;
  }
  const layer_desc basic[] = {{"scale", 2.f, 1.f}, {"clip", 0.f, 30.f}};
  const layer_desc fancy[] = {{"scale", 2.f, 1.f}, {"gelu", 0.f, 0.f}, {"clip", 0.f, 30.f}};

  bool first = engine_compile(&e, basic, 2) == ENGINE_OK && verify(&e);
  engine_status upgrade = engine_compile(&e, fancy, 3);
  cudaStreamCaptureStatus cs = cudaStreamCaptureStatusNone;
  cudaError_t q = cudaStreamIsCapturing(e.stream, &cs);
  engine_status fallback = engine_compile(&e, basic, 2);
  bool confirmed = first && upgrade == ENGINE_UNKNOWN_LAYER && q == cudaSuccess &&
                   cs == cudaStreamCaptureStatusActive && fallback == ENGINE_CUDA;
  printf("first %d upgrade %d fallback %d (%s)\n", first, upgrade, fallback, cudaGetErrorName(e.last));
  engine_destroy(&e);
  printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
  return confirmed ? 0 : 1;
}
