// Frame graph: cull on async compute, lighting, tone mapping and resolve on the graphics stream.
#include <cuda_runtime.h>
#include <array>
#include <cstdio>
#include <memory>
#include <vector>

constexpr int kMaxArea = 64 * 64;
constexpr int kRing = 3;

__global__ void cullLights(float* lights, int rounds) {
  float acc = 1.0f;
  for (int i = 0; i < rounds; ++i) acc = fmaf(acc, 0.999f, 0.5f);
  lights[1] = acc;
  lights[0] += acc > 0.0f ? 1.0f : 0.0f;
}
__global__ void shade(const float* lights, float* hdr, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) hdr[i] = lights[0];
}
__global__ void tonemap(const float* hdr, const float* black, float* ldr, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ldr[i] = hdr[i] + *black;
}
__global__ void resolve(const float* ldr, float* screen, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) screen[i] = ldr[i];
}

struct Extent {
  int w = 0, h = 0;
  int area() const { return w * h; }
};

struct FrameContext {
  cudaStream_t gfx = nullptr, compute = nullptr;
  cudaEvent_t forked = nullptr, culled = nullptr;
  Extent extent;
  float *constants = nullptr, *lights = nullptr, *hdr = nullptr, *ldr = nullptr, *screen = nullptr;
};

class RenderPass {
 public:
  virtual ~RenderPass() = default;
  virtual void record(FrameContext& ctx) = 0;
};

class CullPass : public RenderPass {
  void record(FrameContext& ctx) override {
    cudaEventRecord(ctx.forked, ctx.gfx);
    cudaStreamWaitEvent(ctx.compute, ctx.forked, 0);
    cullLights<<<1, 1, 0, ctx.compute>>>(ctx.lights, 4000000);
    cudaEventRecord(ctx.culled, ctx.compute);
  }
};

class LightingPass : public RenderPass {
  void record(FrameContext& ctx) override {
    cudaStreamWaitEvent(ctx.gfx, ctx.culled, 0);
    shade<<<kMaxArea / 256, 256, 0, ctx.gfx>>>(ctx.lights, ctx.hdr, kMaxArea);
  }
};

class TonemapPass : public RenderPass {
  void record(FrameContext& ctx) override {
    tonemap<<<kMaxArea / 256, 256, 0, ctx.gfx>>>(ctx.hdr, ctx.constants, ctx.ldr, kMaxArea);
  }
};

class ResolvePass : public RenderPass {
  void record(FrameContext& ctx) override {
    const int n = ctx.extent.area();
    resolve<<<(n + 127) / 128, 128, 0, ctx.gfx>>>(ctx.ldr, ctx.screen, n);
  }
};

class Renderer {
 public:
  explicit Renderer(Extent e) {
    ctx_.extent = e;
    cudaStreamCreateWithFlags(&ctx_.gfx, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&ctx_.compute, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&ctx_.forked, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&ctx_.culled, cudaEventDisableTiming);
    cudaMalloc(&ring_, kRing * sizeof(float));
    cudaMalloc(&ctx_.lights, 2 * sizeof(float));
    for (float** p : {&ctx_.hdr, &ctx_.ldr, &ctx_.screen}) cudaMalloc(p, kMaxArea * sizeof(float));
    cudaMemset(ctx_.lights, 0, 2 * sizeof(float));
    cudaMemset(ctx_.screen, 0, kMaxArea * sizeof(float));
    cudaDeviceSynchronize();
    passes_.push_back(std::make_unique<CullPass>());
    passes_.push_back(std::make_unique<LightingPass>());
    passes_.push_back(std::make_unique<TonemapPass>());
    passes_.push_back(std::make_unique<ResolvePass>());
  }
  ~Renderer() {
    dropGraphs();
    for (float* p : {ring_, ctx_.lights, ctx_.hdr, ctx_.ldr, ctx_.screen}) cudaFree(p);
    cudaEventDestroy(ctx_.forked);
    cudaEventDestroy(ctx_.culled);
    cudaStreamDestroy(ctx_.gfx);
    cudaStreamDestroy(ctx_.compute);
  }
  void resize(Extent e) { ctx_.extent = e; dropGraphs(); }

  cudaError_t frame(float black) {
    const int slot = frame_++ % kRing;
    ctx_.constants = ring_ + slot;
    cudaMemcpyAsync(ctx_.constants, &black, sizeof black, cudaMemcpyHostToDevice, ctx_.gfx);
    cudaGraphExec_t& exec = execs_[slot];
    if (!exec) {
      cudaGraph_t graph = nullptr;
      cudaStreamBeginCapture(ctx_.gfx, cudaStreamCaptureModeThreadLocal);
      for (auto& pass : passes_) pass->record(ctx_);
      cudaError_t rc = cudaStreamEndCapture(ctx_.gfx, &graph);
      if (rc != cudaSuccess) return rc;
      rc = cudaGraphInstantiate(&exec, graph, 0);
      cudaGraphDestroy(graph);
      if (rc != cudaSuccess) return rc;
    }
    cudaError_t rc = cudaGraphLaunch(exec, ctx_.gfx);
    return rc != cudaSuccess ? rc : cudaStreamSynchronize(ctx_.gfx);
  }
  float pixel(int i) const {
    float v = -1;
    cudaMemcpy(&v, ctx_.screen + i, sizeof v, cudaMemcpyDeviceToHost);
    return v;
  }

 private:
  void dropGraphs() { for (auto& e : execs_) { if (e) cudaGraphExecDestroy(e); e = nullptr; } }
  FrameContext ctx_;
  std::vector<std::unique_ptr<RenderPass>> passes_;
  std::array<cudaGraphExec_t, kRing> execs_{};
  float* ring_ = nullptr;
  int frame_ = 0;
};

int main() {
  Renderer r({16, 16});
  bool clean = r.frame(10.0f) == cudaSuccess;
  float a = r.pixel(0);
  clean = r.frame(20.0f) == cudaSuccess && clean;
  float b = r.pixel(0);
  r.resize({64, 64});
  clean = r.frame(30.0f) == cudaSuccess && clean;
  float c = r.pixel(0), corner = r.pixel(kMaxArea - 1);
  for (float black : {40.0f, 50.0f, 60.0f, 70.0f}) clean = r.frame(black) == cudaSuccess && clean;
  clean = clean && r.pixel(kMaxArea - 1) == 77.0f;
  bool hit = clean && a == 11.0f && b == 22.0f && c == 33.0f && corner == 33.0f;
  std::printf(hit ? "LABEL CONFIRMED\n" : "LABEL REFUTED %g %g %g corner %g clean %d\n", a, b, c, corner, clean);
  return 0;
}
