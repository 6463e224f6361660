// Compute-only frame graph of a small renderer: shading, temporal accumulation, tone mapping.
#include <cuda_runtime.h>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace gfx {

[[noreturn]] void fatal(const char* what, cudaError_t e) {
  std::printf("%s failed: %s\nLABEL WRONG\n", what, cudaGetErrorString(e));
  std::exit(1);
}
#define GFX(call)                                       \
  do {                                                  \
    cudaError_t r_ = (call);                            \
    if (r_ != cudaSuccess) ::gfx::fatal(#call, r_);     \
  } while (0)

struct BufferHandle {
  uint32_t id = ~0u;
};

class ResourcePool {
 public:
  explicit ResourcePool(int pixels) : pixels_(pixels) {}
  ~ResourcePool() {
    for (float* p : slots_) cudaFree(p);
  }
  BufferHandle create() {
    float* p = nullptr;
    GFX(cudaMalloc(&p, pixels_ * sizeof(float)));
    GFX(cudaMemset(p, 0, pixels_ * sizeof(float)));
    GFX(cudaDeviceSynchronize());
    slots_.push_back(p);
    return {uint32_t(slots_.size() - 1)};
  }
  float* resolve(BufferHandle h) const { return slots_.at(h.id); }
  int pixels() const { return pixels_; }

 private:
  int pixels_;
  std::vector<float*> slots_;
};

struct FrameConstants {
  uint32_t frame;
  float exposure;
};

// History target of the temporal filter: one side is sampled, the other is rendered to.
class HistoryTarget {
 public:
  explicit HistoryTarget(ResourcePool& pool) : sides_{pool.create(), pool.create()} {}
  BufferHandle sampled() const { return sides_[parity_]; }
  BufferHandle rendered() const { return sides_[parity_ ^ 1]; }
  void flip() {
    parity_ ^= 1;  // HAZARD frozen #history
  }
  int parity() const { return parity_; }

 private:
  std::array<BufferHandle, 2> sides_;
  int parity_ = 0;
};

__global__ void shade(const FrameConstants* fc, float* color, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) color[i] = float((i * 13u + fc->frame * 29u) % 64u);
}

__global__ void accumulate(const float* color, const float* history, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.75f * history[i] + 0.25f * color[i];
}

__global__ void tonemap(const FrameConstants* fc, const float* hdr, float* ldr, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ldr[i] = hdr[i] * fc->exposure;
}

struct PassContext {
  cudaStream_t stream;
  const ResourcePool& pool;
  dim3 grid() const { return dim3((pool.pixels() + 127) / 128); }
};

class FrameGraph {
 public:
  using Execute = std::function<void(const PassContext&)>;
  void addPass(std::string name, Execute fn) { passes_.push_back({std::move(name), std::move(fn)}); }
  void execute(const PassContext& ctx) const {
    for (const auto& p : passes_) {
      p.fn(ctx);
      GFX(cudaGetLastError());
    }
  }

 private:
  struct Pass {
    std::string name;
    Execute fn;
  };
  std::vector<Pass> passes_;
};

class Renderer {
 public:
  explicit Renderer(int pixels)
      : pool_(pixels), history_(pool_), color_(pool_.create()), backbuffer_(pool_.create()) {
    GFX(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    GFX(cudaMallocHost(&hostConstants_, sizeof(FrameConstants)));
    GFX(cudaMallocHost(&readback_, pixels * sizeof(float)));
    GFX(cudaMalloc(&constants_, sizeof(FrameConstants)));
    buildPasses();
  }
  ~Renderer() {
    if (frame_) cudaGraphExecDestroy(frame_);
    cudaFree(constants_);
    cudaFreeHost(hostConstants_);
    cudaFreeHost(readback_);
    cudaStreamDestroy(stream_);
  }

  const float* renderFrame(const FrameConstants& fc) {
    *hostConstants_ = fc;
    if (!frame_) frame_ = compile();
    GFX(cudaGraphLaunch(frame_, stream_));
    GFX(cudaStreamSynchronize(stream_));
    history_.flip();
    return readback_;
  }

 private:
  void buildPasses() {
    graph_.addPass("constants", [this](const PassContext& ctx) {
      GFX(cudaMemcpyAsync(constants_, hostConstants_, sizeof(FrameConstants), cudaMemcpyHostToDevice, ctx.stream));
    });
    graph_.addPass("shade", [this](const PassContext& ctx) {
      shade<<<ctx.grid(), 128, 0, ctx.stream>>>(constants_, ctx.pool.resolve(color_), ctx.pool.pixels());
    });
    graph_.addPass("taa", [this](const PassContext& ctx) {
      float* out = ctx.pool.resolve(history_.rendered());
      accumulate<<<ctx.grid(), 128, 0, ctx.stream>>>(ctx.pool.resolve(color_), ctx.pool.resolve(history_.sampled()), out, ctx.pool.pixels());  // HAZARD frozen #history
    });
    graph_.addPass("tonemap", [this](const PassContext& ctx) {
      const float* hdr = ctx.pool.resolve(history_.rendered());
      tonemap<<<ctx.grid(), 128, 0, ctx.stream>>>(constants_, hdr, ctx.pool.resolve(backbuffer_), ctx.pool.pixels());  // HAZARD frozen #history
    });
    graph_.addPass("present", [this](const PassContext& ctx) {
      GFX(cudaMemcpyAsync(readback_, ctx.pool.resolve(backbuffer_), ctx.pool.pixels() * sizeof(float),
                          cudaMemcpyDeviceToHost, ctx.stream));
    });
  }

  cudaGraphExec_t compile() {
    cudaGraph_t g = nullptr;
    cudaGraphExec_t exec = nullptr;
    GFX(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    graph_.execute(PassContext{stream_, pool_});
    GFX(cudaStreamEndCapture(stream_, &g));
    GFX(cudaGraphInstantiate(&exec, g, 0));
    GFX(cudaGraphDestroy(g));
    return exec;
  }

  ResourcePool pool_;
  HistoryTarget history_;
  BufferHandle color_, backbuffer_;
  FrameGraph graph_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t frame_ = nullptr;
  FrameConstants* hostConstants_ = nullptr;
  FrameConstants* constants_ = nullptr;
  float* readback_ = nullptr;
};

}  // namespace gfx

int main() {
  constexpr int kPixels = 64 * 36;
  gfx::Renderer renderer(kPixels);
  std::vector<float> history(kPixels, 0.f);
  int wrongFrames = 0;
  bool firstRight = false;
  for (uint32_t f = 0; f < 6; ++f) {
    gfx::FrameConstants fc{f, 0.5f + 0.125f * float(f)};
    const float* got = renderer.renderFrame(fc);
    bool right = true;
    for (int i = 0; i < kPixels; ++i) {
      float color = float((uint32_t(i) * 13u + f * 29u) % 64u);
      history[i] = 0.75f * history[i] + 0.25f * color;
      right = right && std::fabs(got[i] - history[i] * fc.exposure) < 1e-3f;
    }
    if (f == 0) firstRight = right;
    wrongFrames += !right;
    std::printf("frame %u: %s\n", f, right ? "ok" : "differs");
  }
  std::puts(firstRight && wrongFrames == 5 ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
}
