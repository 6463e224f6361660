// Image pipeline with named stages and an optional per-stage profiler.
#include <cuda_runtime.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#define EXPECT(x)                                                                        \
  do {                                                                                   \
    cudaError_t q = (x);                                                                 \
    if (q != cudaSuccess) {                                                              \
      std::printf("%d: %s\nLABEL UNOBSERVED\n", __LINE__, cudaGetErrorString(q));        \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (0)

__global__ void brighten(float* p, int n, float v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += v;
}
__global__ void contrast(float* p, int n, float k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= k;
}
__global__ void clampk(float* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = fminf(p[i], 255.f);
}

class Profiler {
 public:
  void add(const std::string& name, double us) {
    total_[name] += us;
    ++calls_[name];
  }
  void note(cudaError_t e) {
    if (e != cudaSuccess && first_ == cudaSuccess) first_ = e;
  }
  cudaError_t first_error() const { return first_; }
  void print() const {
    for (auto& kv : total_) std::printf("  %-10s %6d calls %8.1f us\n", kv.first.c_str(), calls_.at(kv.first), kv.second);
  }

 private:
  std::map<std::string, double> total_;
  std::map<std::string, int> calls_;
  cudaError_t first_ = cudaSuccess;
};

class ScopedStage {
 public:
  ScopedStage(Profiler* p, const char* name, cudaStream_t s)
      : prof_(p), name_(name), stream_(s), t0_(std::chrono::steady_clock::now()) {}
  ~ScopedStage() {
    if (!prof_) return;
    cudaStreamCaptureStatus cap = cudaStreamCaptureStatusNone;
    prof_->note(cudaStreamIsCapturing(stream_, &cap));
    if (cap != cudaStreamCaptureStatusNone) return;
    prof_->note(cudaStreamSynchronize(stream_));
    auto dt = std::chrono::steady_clock::now() - t0_;
    prof_->add(name_, std::chrono::duration<double, std::micro>(dt).count());
  }

 private:
  Profiler* prof_;
  const char* name_;
  cudaStream_t stream_;
  std::chrono::steady_clock::time_point t0_;
};

struct Config {
  const char* label;
  bool graph;
  bool profile;
  int pixels;
};

class Pipeline {
 public:
  explicit Pipeline(const Config& c) : cfg_(c), prof_(c.profile ? std::make_unique<Profiler>() : nullptr) {
    EXPECT(cudaStreamCreate(&stream_));
    EXPECT(cudaMalloc(&px_, c.pixels * sizeof(float)));
    stages_.push_back([this](cudaStream_t s) {
      ScopedStage t(prof_.get(), "brighten", s);
      brighten<<<(cfg_.pixels + 255) / 256, 256, 0, s>>>(px_, cfg_.pixels, 10.f);
    });
    stages_.push_back([this](cudaStream_t s) {
      ScopedStage t(prof_.get(), "contrast", s);
      contrast<<<(cfg_.pixels + 255) / 256, 256, 0, s>>>(px_, cfg_.pixels, 1.5f);
    });
    stages_.push_back([this](cudaStream_t s) {
      ScopedStage t(prof_.get(), "clamp", s);
      clampk<<<(cfg_.pixels + 255) / 256, 256, 0, s>>>(px_, cfg_.pixels);
    });
  }
  Pipeline(const Pipeline&) = delete;
  ~Pipeline() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(px_);
    cudaStreamDestroy(stream_);
  }

  cudaError_t prepare() {
    if (!cfg_.graph) return cudaSuccess;
    cudaGraph_t g = nullptr;
    EXPECT(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    for (auto& st : stages_) st(stream_);
    cudaError_t e = cudaStreamEndCapture(stream_, &g);
    (void)cudaGetLastError();
    if (e != cudaSuccess) return e;
    EXPECT(cudaGraphInstantiate(&exec_, g, 0));
    return cudaGraphDestroy(g);
  }

  int frames(int count) {
    std::vector<float> h(cfg_.pixels);
    int bad = 0;
    for (int f = 0; f < count; ++f) {
      for (int i = 0; i < cfg_.pixels; ++i) h[i] = float((i + f) % 256);
      EXPECT(cudaMemcpy(px_, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice));
      if (exec_) {
        EXPECT(cudaGraphLaunch(exec_, stream_));
      } else {
        for (auto& st : stages_) st(stream_);
      }
      EXPECT(cudaStreamSynchronize(stream_));
      EXPECT(cudaMemcpy(h.data(), px_, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
      for (int i = 0; i < cfg_.pixels; ++i) {
        float want = std::fmin((float((i + f) % 256) + 10.f) * 1.5f, 255.f);
        if (std::fabs(h[i] - want) > 1e-2f) ++bad;
      }
    }
    return bad;
  }
  cudaError_t profiler_error() const { return prof_ ? prof_->first_error() : cudaSuccess; }
  void report() const {
    std::printf("%s\n", cfg_.label);
    if (prof_) prof_->print();
  }

 private:
  Config cfg_;
  std::unique_ptr<Profiler> prof_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float* px_ = nullptr;
  std::vector<std::function<void(cudaStream_t)>> stages_;
};

int main() {
  const std::vector<Config> configs = {
      {"eager", false, false, 4096}, {"eager+profile", false, true, 4096},
      {"graph", true, false, 4096},  {"graph+profile", true, true, 4096},
  };
  int refused = 0, other = 0, bad = 0;
  for (const Config& c : configs) {
    Pipeline p(c);
    cudaError_t e = p.prepare();
    if (e != cudaSuccess) {
      std::printf("%s: capture %s, profiler %s\n", c.label, cudaGetErrorString(e), cudaGetErrorString(p.profiler_error()));
      (p.profiler_error() == cudaErrorStreamCaptureUnsupported ? refused : other)++;
      continue;
    }
    bad += p.frames(4);
    if (p.profiler_error() != cudaSuccess) ++other;
    p.report();
  }
  if (refused == 0 && other == 0 && bad == 0) {
    std::printf("LABEL CONFIRMED\n");
    return 0;
  }
  std::printf("refused %d other %d bad %d\nLABEL UNOBSERVED\n", refused, other, bad);
  return 1;
}
