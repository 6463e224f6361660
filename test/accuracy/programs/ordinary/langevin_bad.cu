// Langevin sampling of a quartic double well; graph of K inner steps, replayed.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cmath>
#include <random>
#include <vector>

#define CUDA_CHECK(call)                                                         \
  do {                                                                           \
    cudaError_t err__ = (call);                                                  \
    if (err__ != cudaSuccess) {                                                  \
      fprintf(stderr, "CUDA error %s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err__)); \
      printf("LABEL REFUTED\n");                                                 \
      exit(0);                                                                   \
    }                                                                            \
  } while (0)

constexpr int kChains = 4096;
constexpr int kInner = 8;
constexpr float kEta = 0.01f;
constexpr uint64_t kSeed = 1234;

__device__ inline uint64_t splitmix(uint64_t z) {
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

__device__ inline float gauss(uint64_t key, uint32_t lane) {
  uint64_t r = splitmix(key ^ (uint64_t(lane) << 32 | lane));
  float u1 = ((uint32_t)r + 1.0f) * (1.0f / 4294967808.0f);
  float u2 = (uint32_t)(r >> 32) * (1.0f / 4294967296.0f);
  return sqrtf(-2.0f * logf(u1)) * cospif(2.0f * u2);
}

__global__ void draw_noise(float* noise, uint64_t key) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kChains) noise[i] = gauss(splitmix(key), i);
}

__global__ void langevin_step(float* x, const float* noise, float eta) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kChains) return;
  float g = 4.0f * x[i] * (x[i] * x[i] - 1.0f);
  x[i] += -eta * g + sqrtf(2.0f * eta) * noise[i];
}

template <class F>
cudaGraphExec_t make_graph(cudaStream_t s, F f) {
  cudaGraph_t g;
  cudaGraphExec_t e;
  CUDA_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  f();
  CUDA_CHECK(cudaStreamEndCapture(s, &g));
  CUDA_CHECK(cudaGraphInstantiate(&e, g, 0));
  CUDA_CHECK(cudaGraphDestroy(g));
  return e;
}

int main() {
  cudaStream_t s;
  CUDA_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  float *x, *noise;
  CUDA_CHECK(cudaMalloc(&x, kChains * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&noise, kChains * sizeof(float)));
  CUDA_CHECK(cudaMemsetAsync(x, 0, kChains * sizeof(float), s));

  std::mt19937_64 gen(kSeed);
  const int blocks = (kChains + 255) / 256;
  cudaGraphExec_t exec = make_graph(s, [&] {
    for (int k = 0; k < kInner; k++) {
      draw_noise<<<blocks, 256, 0, s>>>(noise, gen()); // HAZARD random
      langevin_step<<<blocks, 256, 0, s>>>(x, noise, kEta);
    }
  });

  // outer loop: thermalise, then measure <x^2> and the correlation between the noise of successive replays
  std::vector<float> prev(kChains), cur(kChains), h(kChains);
  double m2 = 0, corr = 0;
  int nmeas = 0, ncorr = 0;
  for (int outer = 0; outer < 200; outer++) {
    CUDA_CHECK(cudaGraphLaunch(exec, s));
    if (outer % 20 >= 2) continue;
    CUDA_CHECK(cudaMemcpyAsync(cur.data(), noise, kChains * sizeof(float), cudaMemcpyDeviceToHost, s));
    CUDA_CHECK(cudaMemcpyAsync(h.data(), x, kChains * sizeof(float), cudaMemcpyDeviceToHost, s));
    CUDA_CHECK(cudaStreamSynchronize(s));
    if (outer % 20 == 1) {
      for (int i = 0; i < kChains; i++) corr += cur[i] * prev[i] / kChains;
      ncorr++;
    }
    for (int i = 0; i < kChains; i++) m2 += h[i] * h[i] / kChains;
    nmeas++;
    prev = cur;
  }
  corr /= ncorr;
  m2 /= nmeas;
  printf("<x^2> = %.4f   noise correlation between replays = %.4f\n", m2, corr);

  CUDA_CHECK(cudaStreamSynchronize(s));
  CUDA_CHECK(cudaGraphExecDestroy(exec));
  CUDA_CHECK(cudaFree(x));
  CUDA_CHECK(cudaFree(noise));
  CUDA_CHECK(cudaStreamDestroy(s));
  printf("%s\n", corr > 0.9 ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
