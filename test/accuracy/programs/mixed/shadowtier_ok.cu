// Shadow filtering with a quality governor. Passes are queued once as commands and drained into the frame.
#include <cuda_runtime.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#define GFX_TRY(x) ::gfx::Verify((x), #x)

namespace gfx {

inline void Verify(cudaError_t result, const char* text) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "GFX_TRY(%s): %s\n", text, cudaGetErrorString(result));
  std::abort();
}

enum class ShadowTier : unsigned char { Hard, Soft, Wide, Count };

template <int Radius>
__global__ void FilterShadow(const float* depth, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int d = -Radius; d <= Radius; ++d) sum += depth[min(n - 1, max(0, i + d))];
  out[i] = sum / float(2 * Radius + 1);
}

class QualityGovernor {
 public:
  void OnFrameTime(float milliseconds) {
    if (milliseconds > 16.0f && tier_ != ShadowTier::Hard) tier_ = ShadowTier(int(tier_) - 1);
    if (milliseconds < 8.0f && tier_ != ShadowTier::Wide) tier_ = ShadowTier(int(tier_) + 1);
  }
  ShadowTier Tier() const { return tier_; }

 private:
  ShadowTier tier_ = ShadowTier::Soft;
};

class CommandQueue {
 public:
  using Command = std::function<void(cudaStream_t)>;
  void Enqueue(Command command) { commands_.push_back(std::move(command)); }
  void Drain(cudaStream_t stream) const {
    for (auto it = commands_.cbegin(); it != commands_.cend(); ++it) (*it)(stream);
  }

 private:
  std::vector<Command> commands_;
};

struct ShadowMap {
  const float* depth;
  float* filtered;
  int texels;
};

class FrameRenderer {
 public:
  FrameRenderer(cudaStream_t stream, const QualityGovernor& governor, const ShadowMap& map)
      : stream_(stream), governor_(governor), map_(map) {
    queue_.Enqueue([this](cudaStream_t s) { ClearPass(s); });
    queue_.Enqueue([this](cudaStream_t s) { ShadowPass(s); });
  }
  FrameRenderer(const FrameRenderer&) = delete;
  FrameRenderer& operator=(const FrameRenderer&) = delete;
  ~FrameRenderer() {
    for (cudaGraphExec_t frame : frames_)
      if (frame) cudaGraphExecDestroy(frame);
  }

  void RenderFrame() {
    cudaGraphExec_t& frame = frames_[std::size_t(governor_.Tier())];
    if (frame == nullptr) {
      Open();
      queue_.Drain(stream_);
      frame = Close();
    }
    GFX_TRY(cudaGraphLaunch(frame, stream_));
  }

 private:
  void ClearPass(cudaStream_t s) const { GFX_TRY(cudaMemsetAsync(map_.filtered, 0, map_.texels * sizeof(float), s)); }

  void ShadowPass(cudaStream_t s) const {
    const int groups = (map_.texels + 127) / 128;
    switch (governor_.Tier()) {
      case ShadowTier::Hard:
        FilterShadow<0><<<groups, 128, 0, s>>>(map_.depth, map_.filtered, map_.texels);
        break;
      case ShadowTier::Soft:
        FilterShadow<1><<<groups, 128, 0, s>>>(map_.depth, map_.filtered, map_.texels);
        break;
      default:
        FilterShadow<4><<<groups, 128, 0, s>>>(map_.depth, map_.filtered, map_.texels);
        break;
    }
    GFX_TRY(cudaGetLastError());
  }

  void Open() const { GFX_TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal)); }

  cudaGraphExec_t Close() const {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    GFX_TRY(cudaStreamEndCapture(stream_, &graph));
    GFX_TRY(cudaGraphInstantiate(&exec, graph, 0));
    GFX_TRY(cudaGraphDestroy(graph));
    return exec;
  }

  cudaStream_t stream_;
  const QualityGovernor& governor_;
  const ShadowMap map_;
  CommandQueue queue_;
  std::array<cudaGraphExec_t, std::size_t(ShadowTier::Count)> frames_{};
};

}  // namespace gfx

int main() {
  using namespace gfx;
  constexpr int kTexels = 512;
  std::array<float, kTexels> depth{}, seen{};
  for (int i = 0; i < kTexels; ++i) depth[i] = (i / 16) % 2 ? 1.0f : 0.0f;
  cudaStream_t stream;
  float *dDepth, *dOut;
  GFX_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  GFX_TRY(cudaMalloc(&dDepth, sizeof depth));
  GFX_TRY(cudaMalloc(&dOut, sizeof depth));
  GFX_TRY(cudaMemcpyAsync(dDepth, depth.data(), sizeof depth, cudaMemcpyHostToDevice, stream));
  bool right = true;
  {
    QualityGovernor governor;
    FrameRenderer renderer(stream, governor, ShadowMap{dDepth, dOut, kTexels});
    for (float ms : {12.0f, 20.0f, 12.0f, 5.0f, 5.0f}) {
      governor.OnFrameTime(ms);
      renderer.RenderFrame();
      GFX_TRY(cudaMemcpyAsync(seen.data(), dOut, sizeof seen, cudaMemcpyDeviceToHost, stream));
      GFX_TRY(cudaStreamSynchronize(stream));
      const int radius = governor.Tier() == ShadowTier::Hard ? 0 : governor.Tier() == ShadowTier::Soft ? 1 : 4;
      float sum = 0.0f;
      for (int d = -radius; d <= radius; ++d) sum += depth[64 + d];
      const float error = seen[64] - sum / float(2 * radius + 1);
      right = right && error * error < 1e-8f;
    }
  }
  GFX_TRY(cudaFree(dOut));
  GFX_TRY(cudaFree(dDepth));
  GFX_TRY(cudaStreamDestroy(stream));
  std::puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
