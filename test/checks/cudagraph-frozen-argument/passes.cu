// Each object in a container of base pointers is the object that was inserted.

// RUN: %check %s cudagraph-frozen-argument --real-std

#include <memory>
#include <utility>
#include <vector>

struct Sun {
  float azimuth = 0, elevation = 1;
};
__global__ void project(float *x, Sun sun);
__global__ void tone(float *x, float exposure);

struct Pass {
  virtual ~Pass() = default;
  virtual void record(cudaStream_t s) = 0;
};
class ShadowPass final : public Pass {
public:
  explicit ShadowPass(const Sun &sun) : sun_(sun) {}
  void record(cudaStream_t s) override {
    project<<<1, 1, 0, s>>>(nullptr, sun_);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: argument 'sun_' of kernel 'project' is computed from host state that changes between replays
  }

private:
  const Sun &sun_;
};
class TonePass final : public Pass {
public:
  explicit TonePass(const float &exposure) : exposure_(exposure) {}
  void record(cudaStream_t s) override {
    tone<<<1, 1, 0, s>>>(nullptr, exposure_);
  }

private:
  const float &exposure_;
};

class FrameGraph {
public:
  void add(std::unique_ptr<Pass> pass) { passes_.push_back(std::move(pass)); }
  void compile(cudaStream_t s) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    for (const auto &each : passes_)
      each->record(s);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
  }
  void run(cudaStream_t s) const { cudaGraphLaunch(exec_, s); }

private:
  std::vector<std::unique_ptr<Pass>> passes_;
  cudaGraphExec_t exec_ = nullptr;
};

struct World {
  Sun &sun() { return sun_; }
  void tick(float hours) { sun_.azimuth += hours; }
  Sun sun_;
};

int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  World world;
  const float exposure = 2;
  FrameGraph frames;
  frames.add(std::make_unique<ShadowPass>(world.sun()));
  frames.add(std::make_unique<TonePass>(exposure));
  frames.compile(s);
  for (int i = 0; i < 3; ++i) {
    world.tick(1);
    frames.run(s);
  }
}
