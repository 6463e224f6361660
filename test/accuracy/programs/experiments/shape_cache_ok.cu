// Inference executor with one instantiated graph per input shape.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <vector>

#define RT(x)                                                                            \
  do {                                                                                   \
    if (cudaError_t e_ = (x)) {                                                          \
      std::fprintf(stdout, "%s -> %s\nLABEL UNOBSERVED\n", #x, cudaGetErrorString(e_));  \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (0)

struct Shape {
  int batch, seq, hidden;
  size_t numel() const { return size_t(batch) * seq * hidden; }
};

struct IOArena {
  float *in = nullptr, *pooled = nullptr, *logits = nullptr;
  size_t capacity = 0;
  explicit IOArena(size_t n) : capacity(n) {
    RT(cudaMalloc(&in, n * sizeof(float)));
    RT(cudaMalloc(&pooled, n * sizeof(float)));
    RT(cudaMalloc(&logits, n * sizeof(float)));
  }
  ~IOArena() { cudaFree(in); cudaFree(pooled); cudaFree(logits); }
};

__global__ void mean_pool(const float* x, float* y, int seq, int hidden) {
  int b = blockIdx.x;
  for (int h = threadIdx.x; h < hidden; h += blockDim.x) {
    float acc = 0.f;
    for (int s = 0; s < seq; ++s) acc += x[(size_t(b) * seq + s) * hidden + h];
    y[b * hidden + h] = acc / seq;
  }
}
__global__ void affine(const float* x, float* y, int n, float a, float c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + c;
}

class Model {
 public:
  virtual ~Model() = default;
  virtual void enqueue(const Shape& s, IOArena& io, cudaStream_t st) const = 0;
};

class PoolHead final : public Model {
 public:
  void enqueue(const Shape& s, IOArena& io, cudaStream_t st) const override {
    mean_pool<<<s.batch, 64, 0, st>>>(io.in, io.pooled, s.seq, s.hidden);
    const int n = s.batch * s.hidden;
    affine<<<(n + 127) / 128, 128, 0, st>>>(io.pooled, io.logits, n, 2.f, 1.f);
    RT(cudaGetLastError());
  }
};

class Executor {
 public:
  Executor(std::unique_ptr<Model> m, size_t max_elems) : model_(std::move(m)), io_(max_elems) {
    RT(cudaStreamCreate(&stream_));
  }
  ~Executor() {
    for (auto& kv : cache_) cudaGraphExecDestroy(kv.second);
    cudaStreamDestroy(stream_);
  }

  std::vector<float> run(const Shape& s, const std::vector<float>& x) {
    if (s.numel() > io_.capacity) { std::printf("too large\n"); std::exit(1); }
    RT(cudaMemcpyAsync(io_.in, x.data(), s.numel() * sizeof(float), cudaMemcpyHostToDevice, stream_));
    RT(cudaGraphLaunch(lookup(s), stream_));
    std::vector<float> y(size_t(s.batch) * s.hidden);
    RT(cudaMemcpyAsync(y.data(), io_.logits, y.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_));
    RT(cudaStreamSynchronize(stream_));
    return y;
  }
  size_t compiled() const { return cache_.size(); }

 private:
  static uint64_t signature(const Shape& s) {
    return (uint64_t(s.batch) << 42) | (uint64_t(s.seq) << 21) | uint64_t(s.hidden);
  }

  cudaGraphExec_t lookup(const Shape& s) {
    const uint64_t key = signature(s);
    auto it = cache_.find(key);
    if (it != cache_.end()) return it->second;
    cudaGraph_t g = nullptr;
    cudaGraphExec_t e = nullptr;
    RT(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    model_->enqueue(s, io_, stream_);
    RT(cudaStreamEndCapture(stream_, &g));
    RT(cudaGraphInstantiateWithFlags(&e, g, 0));
    RT(cudaGraphDestroy(g));
    cache_.emplace(key, e);
    return e;
  }

  std::unique_ptr<Model> model_;
  IOArena io_;
  cudaStream_t stream_ = nullptr;
  std::unordered_map<uint64_t, cudaGraphExec_t> cache_;
};

static bool matches(const Shape& s, const std::vector<float>& x, const std::vector<float>& y) {
  for (int b = 0; b < s.batch; ++b)
    for (int h = 0; h < s.hidden; ++h) {
      double acc = 0;
      for (int t = 0; t < s.seq; ++t) acc += x[(size_t(b) * s.seq + t) * s.hidden + h];
      if (std::fabs(2.0 * acc / s.seq + 1.0 - y[b * s.hidden + h]) > 1e-3) return false;
    }
  return true;
}

int main() {
  Executor ex(std::make_unique<PoolHead>(), 1 << 16);
  const Shape requests[] = {{2, 16, 32}, {4, 16, 32}, {2, 16, 48}, {2, 40, 32}, {4, 9, 32}, {2, 16, 32}};
  std::vector<bool> good;
  for (const Shape& s : requests) {
    std::vector<float> x(s.numel());
    for (size_t i = 0; i < x.size(); ++i) x[i] = float((i * 37) % 101) * 0.05f + float(i) * 0.001f;
    good.push_back(matches(s, x, ex.run(s, x)));
  }
  bool confirmed = ex.compiled() == 5;
  for (bool g : good) confirmed = confirmed && g;
  for (size_t i = 0; i < good.size(); ++i) std::printf("request %zu %s\n", i, good[i] ? "ok" : "wrong");
  std::printf("%zu graphs\n%s\n", ex.compiled(), confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return confirmed ? 0 : 1;
}
