// Terrain products: stages come from a registry, a pipeline binds them to its stream and replays the recorded work.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace terrain {

inline void expect(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

constexpr int kN = 4096;

struct Frame {
  float *dem = nullptr, *slope = nullptr, *shade = nullptr;
};

__global__ void smooth_kernel(float* dem, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dem[i] = floorf(dem[i] * 4.f) * 0.25f;
}
__global__ void slope_kernel(const float* dem, float* slope, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) slope[i] = i + 1 < n ? dem[i + 1] - dem[i] : 0.f;
}
__global__ void shade_kernel(const float* slope, float* shade, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) shade[i] = 128.f + 16.f * slope[i];
}

class Stage {
 public:
  virtual ~Stage() = default;
  virtual void bind(cudaStream_t s) { stream_ = s; }
  virtual void enqueue(const Frame& f) = 0;

 protected:
  cudaStream_t stream_ = nullptr;
};

class StageFactory {
 public:
  using Maker = std::function<std::unique_ptr<Stage>()>;
  static StageFactory& instance() { static StageFactory f; return f; }
  void add(const std::string& name, Maker m) { makers_[name] = std::move(m); }
  std::unique_ptr<Stage> make(const std::string& name) const {
    auto it = makers_.find(name);
    if (it == makers_.end()) throw std::runtime_error("no stage " + name);
    return it->second();
  }

 private:
  std::map<std::string, Maker> makers_;
};

class Quantize final : public Stage {
 public:
  void enqueue(const Frame& f) override {
    smooth_kernel<<<kN / 256, 256, 0, stream_>>>(f.dem, kN);
    expect(cudaGetLastError(), "quantize");
  }
};

class Slope final : public Stage {
 public:
  void enqueue(const Frame& f) override {
    slope_kernel<<<kN / 256, 256, 0, stream_>>>(f.dem, f.slope, kN);
    expect(cudaGetLastError(), "slope");
  }
};

class Hillshade final : public Stage {
 public:
  Hillshade() : inner_(StageFactory::instance().make("slope")) {}
  void bind(cudaStream_t s) override {
    Stage::bind(s);
    inner_->bind(s);
  }
  void enqueue(const Frame& f) override {
    inner_->enqueue(f);
    shade_kernel<<<kN / 256, 256, 0, stream_>>>(f.slope, f.shade, kN);
    expect(cudaGetLastError(), "hillshade");
  }

 private:
  std::unique_ptr<Stage> inner_;
};

class Pipeline {
 public:
  Pipeline() {
    expect(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    for (float** p : {&frame_.dem, &frame_.slope, &frame_.shade}) {
      expect(cudaMalloc(p, kN * sizeof(float)), "malloc");
      expect(cudaMemsetAsync(*p, 0, kN * sizeof(float), stream_), "memset");
    }
    expect(cudaMallocHost(&h_dem_, kN * sizeof(float)), "pinned");
    expect(cudaMallocHost(&h_shade_, kN * sizeof(float)), "pinned");
    expect(cudaStreamSynchronize(stream_), "sync");
  }
  ~Pipeline() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(frame_.dem); cudaFree(frame_.slope); cudaFree(frame_.shade);
    cudaFreeHost(h_dem_); cudaFreeHost(h_shade_);
    cudaStreamDestroy(stream_);
  }
  Pipeline& add(const std::string& name) {
    auto s = StageFactory::instance().make(name);
    s->bind(stream_);
    stages_.push_back(std::move(s));
    return *this;
  }
  float* input() { return h_dem_; }
  const float* render() {
    if (!exec_) record();
    expect(cudaGraphLaunch(exec_, stream_), "launch");
    expect(cudaStreamSynchronize(stream_), "render");
    return h_shade_;
  }

 private:
  void record() {
    cudaGraph_t g = nullptr;
    expect(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    expect(cudaMemcpyAsync(frame_.dem, h_dem_, kN * sizeof(float), cudaMemcpyHostToDevice, stream_), "upload");
    for (auto& s : stages_) s->enqueue(frame_);
    expect(cudaMemcpyAsync(h_shade_, frame_.shade, kN * sizeof(float), cudaMemcpyDeviceToHost, stream_), "download");
    expect(cudaStreamEndCapture(stream_, &g), "end");
    expect(cudaGraphInstantiate(&exec_, g, 0), "instantiate");
    expect(cudaGraphDestroy(g), "destroy");
  }

  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  Frame frame_;
  float *h_dem_ = nullptr, *h_shade_ = nullptr;
  std::vector<std::unique_ptr<Stage>> stages_;
};

}  // namespace terrain

int main() try {
  using namespace terrain;
  auto& reg = StageFactory::instance();
  reg.add("quantize", [] { return std::make_unique<Quantize>(); });
  reg.add("slope", [] { return std::make_unique<Slope>(); });
  reg.add("hillshade", [] { return std::make_unique<Hillshade>(); });

  Pipeline p;
  p.add("quantize").add("hillshade");
  int wrong_frames = 0;
  const int frames = 4;
  for (int f = 1; f <= frames; ++f) {
    for (int i = 0; i < kN; ++i) p.input()[i] = float((i * (f + 4)) % 101) * 0.3f;
    const float* out = p.render();
    int wrong = 0;
    for (int i = 0; i + 1 < kN; ++i) {
      float a = std::floor(float((i * (f + 4)) % 101) * 0.3f * 4.f) * 0.25f;
      float b = std::floor(float(((i + 1) * (f + 4)) % 101) * 0.3f * 4.f) * 0.25f;
      wrong += std::fabs(out[i] - (128.f + 16.f * (b - a))) > 1e-2f;
    }
    std::printf("frame %d: %d wrong samples\n", f, wrong);
    wrong_frames += wrong > 0;
  }
  const bool seen = wrong_frames == 0;
  std::puts(seen ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return seen ? 0 : 1;
} catch (const std::exception& e) {
  std::printf("%s\nLABEL UNOBSERVED\n", e.what());
  return 1;
}
