// Sweep of block sizes and vector lengths for a fused axpy; graphs are kept in a small cache.
#include <cuda_runtime.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#define CHECK(x)                                                              \
  do {                                                                        \
    cudaError_t e_ = (x);                                                     \
    if (e_ != cudaSuccess) {                                                  \
      std::printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));  \
      std::printf("LABEL UNOBSERVED\n");                                      \
      std::exit(1);                                                           \
    }                                                                         \
  } while (0)

__global__ void axpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void scale(int n, float s, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] *= s;
}

static cudaGraphExec_t record_axpy(cudaStream_t st, int block, int n, const float* x, float* y) {
  cudaGraph_t g = nullptr;
  cudaGraphExec_t ex = nullptr;
  int grid = (n + block - 1) / block;
  CHECK(cudaStreamBeginCapture(st, cudaStreamCaptureModeThreadLocal));
  axpy<<<grid, block, 0, st>>>(n, 2.0f, x, y);
  scale<<<grid, block, 0, st>>>(n, 0.5f, y);
  CHECK(cudaStreamEndCapture(st, &g));
  CHECK(cudaGraphInstantiate(&ex, g, 0));
  CHECK(cudaGraphDestroy(g));
  return ex;
}

class GraphCache {
 public:
  ~GraphCache() {
    for (auto& kv : table_) cudaGraphExecDestroy(kv.second);
  }
  cudaGraphExec_t get(cudaStream_t st, int block, int n, const float* x, float* y) {
    const Key key{block, n};
    auto it = table_.find(key);
    if (it != table_.end()) { ++hits_; return it->second; }
    cudaGraphExec_t ex = record_axpy(st, block, n, x, y);
    table_.emplace(key, ex);
    return ex;
  }
  int hits() const { return hits_; }

 private:
  using Key = std::pair<int, int>;
  std::map<Key, cudaGraphExec_t> table_;
  int hits_ = 0;
};

struct Sample {
  int block;
  int n;
  double us;
  int wrong;
};

int main() {
  const std::vector<int> blocks = {64, 128, 256, 512};
  const std::vector<int> sizes = {1000, 4096, 20000, 65536};
  const int max_n = 65536;
  const int reps = 3, inner = 4;

  cudaStream_t st;
  CHECK(cudaStreamCreate(&st));
  float *x = nullptr, *y = nullptr;
  CHECK(cudaMalloc(&x, max_n * sizeof(float)));
  CHECK(cudaMalloc(&y, max_n * sizeof(float)));
  std::vector<float> hx(max_n), hy(max_n), out(max_n);
  for (int i = 0; i < max_n; ++i) hx[i] = float(i % 17) * 0.25f;
  CHECK(cudaMemcpy(x, hx.data(), max_n * sizeof(float), cudaMemcpyHostToDevice));

  std::vector<Sample> samples;
  {
    GraphCache cache;
    auto run_config = [&](int block, int n) {
      for (int i = 0; i < n; ++i) hy[i] = 1.0f;
      CHECK(cudaMemcpy(y, hy.data(), n * sizeof(float), cudaMemcpyHostToDevice));
      cudaGraphExec_t ex = cache.get(st, block, n, x, y);
      auto t0 = std::chrono::steady_clock::now();
      for (int k = 0; k < inner; ++k) CHECK(cudaGraphLaunch(ex, st));
      CHECK(cudaStreamSynchronize(st));
      auto t1 = std::chrono::steady_clock::now();
      CHECK(cudaMemcpy(out.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost));
      int wrong = 0;
      for (int i = 0; i < n; ++i) {
        float v = 1.0f;
        for (int k = 0; k < inner; ++k) v = (2.0f * hx[i] + v) * 0.5f;
        if (std::fabs(v - out[i]) > 1e-4f) ++wrong;
      }
      return Sample{block, n, std::chrono::duration<double, std::micro>(t1 - t0).count() / inner, wrong};
    };

    for (int n : sizes)
      for (int block : blocks)
        for (int r = 0; r < reps; ++r) samples.push_back(run_config(block, n));
    std::printf("cache hits: %d\n", cache.hits());
  }

  int wrong_first = 0, wrong_rest = 0;
  for (const Sample& s : samples) {
    if (s.wrong) std::printf("block %d n %d: %d wrong (%.1f us)\n", s.block, s.n, s.wrong, s.us);
    (s.n == sizes[0] ? wrong_first : wrong_rest) += s.wrong;
  }
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
  CHECK(cudaStreamDestroy(st));

  if (wrong_first == 0 && wrong_rest == 0) {
    std::printf("LABEL CONFIRMED\n");
    return 0;
  }
  std::printf("first %d rest %d\nLABEL UNOBSERVED\n", wrong_first, wrong_rest);
  return 1;
}
