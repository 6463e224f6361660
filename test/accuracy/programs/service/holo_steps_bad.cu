// Gerchberg-Saxton phase retrieval, cut down. Started as a notebook port.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#define OK_OR_RET(x) do { cudaError_t e__ = (x); if (e__ != cudaSuccess) { printf("  %s : %s\n", #x, cudaGetErrorName(e__)); return e__; } } while (0)

static const int N = 4096;
static cudaStream_t S;

__global__ void k_propagate(float* f) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < N) f[i] = 0.5f * f[i] + 1.0f; }
__global__ void k_constrain(float* f, const float* mag) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < N) f[i] = fminf(f[i], mag[i]); }

using step_t = std::function<cudaError_t()>;

struct Retrieval {
  float *field = nullptr, *mag = nullptr;
  std::map<std::string, cudaGraphExec_t> cache;
  std::vector<step_t> iteration;

  ~Retrieval() {
    for (auto& kv : cache) if (kv.second) cudaGraphExecDestroy(kv.second);
    cudaFree(field); cudaFree(mag);
  }

  template <class F> cudaError_t graphed(const std::string& key, F&& body) {
    if (cache.count(key)) return cudaSuccess;
    cudaGraph_t g = nullptr;
    cudaGraphExec_t e = nullptr;
    OK_OR_RET(cudaStreamBeginCapture(S, cudaStreamCaptureModeRelaxed));
    cudaError_t inner = body();
    OK_OR_RET(cudaStreamEndCapture(S, &g));
    if (inner == cudaSuccess) inner = cudaGraphInstantiate(&e, g, 0);
    OK_OR_RET(cudaGraphDestroy(g));
    if (inner == cudaSuccess) cache[key] = e;
    return inner;
  }

  cudaError_t propagate() {
    for (int z = 0; z < 3; ++z) k_propagate<<<N / 256, 256, 0, S>>>(field);
    return cudaGetLastError();
  }
  cudaError_t propagate_fast() { return cudaGraphLaunch(cache["prop"], S); }  // HAZARD scope #1

  cudaError_t setup() {
    std::vector<float> m(N, 1.75f);
    OK_OR_RET(cudaMalloc(&field, N * sizeof(float)));
    OK_OR_RET(cudaMalloc(&mag, N * sizeof(float)));
    OK_OR_RET(cudaMemcpy(mag, m.data(), N * sizeof(float), cudaMemcpyHostToDevice));
    OK_OR_RET(cudaMemset(field, 0, N * sizeof(float)));
    OK_OR_RET(cudaDeviceSynchronize());
    OK_OR_RET(graphed("prop", [this] { return propagate(); }));
    iteration.push_back([this] { return propagate_fast(); });
    iteration.push_back([this] {
      k_constrain<<<N / 256, 256, 0, S>>>(field, mag);
      return cudaGetLastError();
    });
    return propagate_fast();  // initial guess
  }

  cudaError_t iterate(int n) {
    OK_OR_RET(graphed("iter", [this]() -> cudaError_t {
      for (auto& st : iteration) if (cudaError_t e = st()) return e;  // HAZARD scope #1
      return cudaSuccess;
    }));
    for (int i = 0; i < n; ++i) OK_OR_RET(cudaGraphLaunch(cache["iter"], S));
    return cudaStreamSynchronize(S);
  }
};

int main() {
  bool good = false;
  cudaError_t e = cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking);
  if (e == cudaSuccess) {
    Retrieval r;
    e = r.setup();
    const bool up = e == cudaSuccess;
    if (up) e = r.iterate(4);
    float h = 0, want = 0;
    for (int z = 0; z < 3; ++z) want = 0.5f * want + 1;
    for (int i = 0; i < 4; ++i) { for (int z = 0; z < 3; ++z) want = 0.5f * want + 1; want = fminf(want, 1.75f); }
    if (e == cudaSuccess) e = cudaMemcpy(&h, r.field + 17, sizeof h, cudaMemcpyDeviceToHost);
    good = up && e == cudaSuccess && h == want;
    puts(up && !good ? "LABEL CONFIRMED" : "LABEL REFUTED");
  } else {
    puts("LABEL REFUTED");
  }
  return 0;
}
