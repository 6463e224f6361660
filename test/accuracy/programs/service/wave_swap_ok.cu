// acoustic toy: 1D leapfrog, one graph per time step pair
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#define CK(x) do { cudaError_t r_ = (x); if (r_) { printf("%s -> %s\nLABEL REFUTED\n", #x, cudaGetErrorString(r_)); exit(0); } } while (0)

constexpr int NX = 512;
constexpr float C2 = 0.25f;
static cudaStream_t g_stream;

struct Source { float amp; int pos; };

__global__ void leap(float* prev, const float* cur, const Source* src) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= 0 || i >= NX - 1) return;
  float v = 2 * cur[i] - prev[i] + C2 * (cur[i - 1] - 2 * cur[i] + cur[i + 1]);
  if (i == src->pos) v += src->amp;
  prev[i] = v;
}

using Step = std::function<void(cudaStream_t)>;

class WaveSim {
 public:
  WaveSim() {
    CK(cudaMalloc(&prev_, NX * sizeof(float)));
    CK(cudaMalloc(&cur_, NX * sizeof(float)));
    CK(cudaMalloc(&src_dev_, sizeof(Source)));
    CK(cudaMemset(prev_, 0, NX * sizeof(float)));
    CK(cudaMemset(cur_, 0, NX * sizeof(float)));
    CK(cudaDeviceSynchronize());
  }
  ~WaveSim() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(prev_); cudaFree(cur_); cudaFree(src_dev_);
  }

  void build(float amp) {
    src_ = Source{amp, NX / 2};
    std::vector<Step> steps;
    steps.push_back([&](cudaStream_t s) { CK(cudaMemcpyAsync(src_dev_, &src_, sizeof(src_), cudaMemcpyHostToDevice, s)); });
    steps.push_back([&](cudaStream_t s) { leap<<<NX / 128, 128, 0, s>>>(prev_, cur_, src_dev_); CK(cudaGetLastError()); });
    steps.push_back([&](cudaStream_t s) { leap<<<NX / 128, 128, 0, s>>>(cur_, prev_, src_dev_); CK(cudaGetLastError()); });
    exec_ = graphify(steps);
  }

  // returns the field at the source
  float run(int nsteps) {
    for (int it = 0; it < nsteps; it += 2) {
      CK(cudaGraphLaunch(exec_, g_stream));
    }
    float h = 0;
    CK(cudaMemcpyAsync(&h, cur_ + NX / 2, sizeof h, cudaMemcpyDeviceToHost, g_stream));
    CK(cudaStreamSynchronize(g_stream));
    return h;
  }

 private:
  static cudaGraphExec_t graphify(const std::vector<Step>& steps) {
    cudaGraph_t g; cudaGraphExec_t e;
    CK(cudaStreamBeginCapture(g_stream, cudaStreamCaptureModeGlobal));
    for (auto& f : steps) f(g_stream);
    CK(cudaStreamEndCapture(g_stream, &g));
    CK(cudaGraphInstantiate(&e, g, 0));
    CK(cudaGraphDestroy(g));
    return e;
  }

  float *prev_ = nullptr, *cur_ = nullptr;
  Source* src_dev_ = nullptr;
  Source src_{};
  cudaGraphExec_t exec_ = nullptr;
};

static float reference(float amp, int nsteps) {
  std::vector<float> p(NX, 0.f), c(NX, 0.f);
  for (int it = 0; it < nsteps; ++it) {
    for (int i = 1; i < NX - 1; ++i)
      p[i] = 2 * c[i] - p[i] + C2 * (c[i - 1] - 2 * c[i] + c[i + 1]) + (i == NX / 2 ? amp : 0.f);
    std::swap(p, c);
  }
  return c[NX / 2];
}

int main() {
  CK(cudaStreamCreateWithFlags(&g_stream, cudaStreamNonBlocking));
  {
    WaveSim sim;
    sim.build(1.5f);
    const float got = sim.run(10), want = reference(1.5f, 10);
    const bool good = std::fabs(got - want) < 1e-3f * std::fabs(want);
    printf("field %g expected %g\n", got, want);
    puts(good ? "LABEL CONFIRMED" : "LABEL REFUTED");
  }
  CK(cudaStreamDestroy(g_stream));
  return 0;
}
