// reverse time migration, 1-D toy kept next to the paper draft
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define NX 1024
#define MAX_TRACES 512

static float *g_cur, *g_nxt;        // wavefield at t and t+1
static float *g_gather, *g_image;   // shot gather and stacked image
static int g_ntraces = 128;
static int *g_ntraces_dev, *g_ntraces_pin;
static cudaStream_t g_stream;
static cudaGraphExec_t g_step[2], g_stack;
static int g_parity = 0;
static cudaError_t g_status = cudaSuccess;

static void ck(cudaError_t e) {
  if (g_status == cudaSuccess && e != cudaSuccess) g_status = e;
}

__global__ void wave_step(const float* cur, float* nxt, float c2, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float l = cur[i > 0 ? i - 1 : 0], r = cur[i < n - 1 ? i + 1 : n - 1];
  nxt[i] = cur[i] + c2 * (l + r - 2.0f * cur[i]) + 1.0f;
}

__global__ void stack_gather(const float* gather, float* image, const int* ntraces) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < *ntraces) image[i] += gather[i];
}

static void init_fields() {
  ck(cudaStreamCreateWithFlags(&g_stream, cudaStreamNonBlocking));
  ck(cudaMalloc(&g_cur, NX * sizeof(float)));
  ck(cudaMalloc(&g_nxt, NX * sizeof(float)));
  ck(cudaMalloc(&g_gather, MAX_TRACES * sizeof(float)));
  ck(cudaMalloc(&g_image, MAX_TRACES * sizeof(float)));
  ck(cudaMalloc(&g_ntraces_dev, sizeof(int)));
  ck(cudaMallocHost(&g_ntraces_pin, sizeof(int)));
  ck(cudaMemset(g_cur, 0, NX * sizeof(float)));
  ck(cudaMemset(g_nxt, 0, NX * sizeof(float)));
  ck(cudaMemset(g_image, 0, MAX_TRACES * sizeof(float)));
  std::vector<float> ones(MAX_TRACES, 1.0f);
  ck(cudaMemcpy(g_gather, ones.data(), MAX_TRACES * sizeof(float), cudaMemcpyHostToDevice));
  ck(cudaDeviceSynchronize());
}

template <class F>
static cudaGraphExec_t make_graph(F body) {
  cudaGraph_t g = nullptr;
  cudaGraphExec_t x = nullptr;
  ck(cudaStreamBeginCapture(g_stream, cudaStreamCaptureModeGlobal));
  body();
  ck(cudaStreamEndCapture(g_stream, &g));
  ck(cudaGraphInstantiate(&x, g, 0));
  ck(cudaGraphDestroy(g));
  return x;
}

static void build_graphs() {
  for (int p = 0; p < 2; ++p) {
    g_step[p] = make_graph([] { wave_step<<<NX / 128, 128, 0, g_stream>>>(g_cur, g_nxt, 0.2f, NX); });
    std::swap(g_cur, g_nxt);
  }
  g_stack = make_graph([] {
    stack_gather<<<(MAX_TRACES + 127) / 128, 128, 0, g_stream>>>(g_gather, g_image, g_ntraces_dev);
  });
}

static void propagate(int nt) {
  for (int it = 0; it < nt; ++it) {
    ck(cudaGraphLaunch(g_step[g_parity], g_stream));
    g_parity ^= 1;
    std::swap(g_cur, g_nxt);
  }
  ck(cudaStreamSynchronize(g_stream));
}

static void stack_shot(int ntraces) {
  g_ntraces = ntraces;
  *g_ntraces_pin = g_ntraces;
  ck(cudaMemcpyAsync(g_ntraces_dev, g_ntraces_pin, sizeof(int), cudaMemcpyHostToDevice, g_stream));
  ck(cudaGraphLaunch(g_stack, g_stream));
  ck(cudaStreamSynchronize(g_stream));
}

static float peek(const float* p, int i) {
  float v = -1.0f;
  ck(cudaMemcpy(&v, p + i, sizeof v, cudaMemcpyDeviceToHost));
  return v;
}

int main() {
  init_fields();
  build_graphs();
  propagate(1);
  float w1 = peek(g_cur, NX / 2);
  propagate(2);
  float w3 = peek(g_cur, NX / 2);
  stack_shot(128);
  stack_shot(400);
  float near_off = peek(g_image, 10), far_off = peek(g_image, 300), mute = peek(g_image, 450);
  bool ok = g_status == cudaSuccess && fabsf(w1 - 1.0f) < 1e-4f && fabsf(w3 - 3.0f) < 1e-4f;
  ok = ok && near_off == 2.0f && far_off == 1.0f && mute == 0.0f;
  if (ok) printf("LABEL CONFIRMED\n");
  else printf("LABEL REFUTED status=%d w1=%f w3=%f image=%f %f %f\n", g_status, w1, w3, near_off, far_off, mute);
  for (cudaGraphExec_t x : g_step) cudaGraphExecDestroy(x);
  cudaGraphExecDestroy(g_stack);
  cudaFree(g_ntraces_dev);
  cudaFreeHost(g_ntraces_pin);
  for (float* p : {g_cur, g_nxt, g_gather, g_image}) cudaFree(p);
  cudaStreamDestroy(g_stream);
  return 0;
}
