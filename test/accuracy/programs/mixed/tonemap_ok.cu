// Tone mapping pass of the renderer. Material parameters live in a named block that gameplay code may poke.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#define EMBER_CUDA(expr)                                                                      \
  do {                                                                                        \
    const cudaError_t emberErr = (expr);                                                      \
    if (emberErr != cudaSuccess) {                                                            \
      std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(emberErr));   \
      std::abort();                                                                           \
    }                                                                                         \
  } while (0)

namespace ember {

__global__ void TonemapKernel(const float* hdr, float* ldr, unsigned count, const float* exposure, float whitePoint) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    const float c = hdr[i] * *exposure;
    ldr[i] = c * (1.0f + c / (whitePoint * whitePoint)) / (1.0f + c);
  }
}

class ParamBlock {
 public:
  ParamBlock() = default;
  ParamBlock(const ParamBlock&) = delete;
  ParamBlock& operator=(const ParamBlock&) = delete;
  ~ParamBlock() {
    for (auto& [name, slot] : floats_) cudaFree(slot.device);
  }

  void SetFloat(std::string_view name, float value, cudaStream_t stream) {
    auto [it, fresh] = floats_.try_emplace(std::string(name));
    if (fresh) EMBER_CUDA(cudaMalloc(&it->second.device, sizeof(float)));
    it->second.value = value;
    EMBER_CUDA(cudaMemcpyAsync(it->second.device, &it->second.value, sizeof(float), cudaMemcpyHostToDevice, stream));
  }

  const float* Float(std::string_view name) const {
    const auto it = floats_.find(name);
    if (it == floats_.end()) std::abort();
    return it->second.device;
  }

 private:
  struct Slot {
    float value = 1.0f;
    float* device = nullptr;
  };
  std::map<std::string, Slot, std::less<>> floats_;
};

class AutoExposure {
 public:
  explicit AutoExposure(ParamBlock& block) : block_(block) {}
  void Adapt(float averageLuma, cudaStream_t stream) { block_.SetFloat("exposure", kKey / averageLuma, stream); }

 private:
  static constexpr float kKey = 0.18f;
  ParamBlock& block_;
};

struct RenderTarget {
  explicit RenderTarget(unsigned n) : pixels(n) { EMBER_CUDA(cudaMalloc(&data, n * sizeof(float))); }
  ~RenderTarget() { cudaFree(data); }
  RenderTarget(const RenderTarget&) = delete;
  RenderTarget& operator=(const RenderTarget&) = delete;
  float* data = nullptr;
  unsigned pixels;
};

class TonemapPass {
 public:
  TonemapPass(const ParamBlock& params, const RenderTarget& hdr, RenderTarget& ldr, float whitePoint)
      : params_(params), hdr_(hdr), ldr_(ldr), whitePoint_(whitePoint) {}
  ~TonemapPass() {
    if (exec_) cudaGraphExecDestroy(exec_);
  }

  void Execute(cudaStream_t stream) {
    if (!exec_) Compile(stream);
    EMBER_CUDA(cudaGraphLaunch(exec_, stream));
  }

 private:
  void Compile(cudaStream_t stream) {
    cudaGraph_t graph = nullptr;
    EMBER_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    Record(stream);
    EMBER_CUDA(cudaStreamEndCapture(stream, &graph));
    EMBER_CUDA(cudaGraphInstantiate(&exec_, graph, 0));
    EMBER_CUDA(cudaGraphDestroy(graph));
  }

  void Record(cudaStream_t stream) const {
    const float* exposure = params_.Float("exposure");
    const unsigned groups = (hdr_.pixels + 127) / 128;
    TonemapKernel<<<groups, 128, 0, stream>>>(hdr_.data, ldr_.data, hdr_.pixels, exposure, whitePoint_);
    EMBER_CUDA(cudaGetLastError());
  }

  const ParamBlock& params_;
  const RenderTarget& hdr_;
  RenderTarget& ldr_;
  const float whitePoint_;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace ember

int main() {
  using namespace ember;
  constexpr unsigned kPixels = 1000;
  constexpr float kWhite = 4.0f;
  cudaStream_t stream;
  EMBER_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  bool right = true;
  {
    RenderTarget hdr(kPixels), ldr(kPixels);
    std::vector<float> scene(kPixels), shown(kPixels);
    for (unsigned i = 0; i < kPixels; ++i) scene[i] = 0.01f * float(i);
    EMBER_CUDA(cudaMemcpyAsync(hdr.data, scene.data(), kPixels * sizeof(float), cudaMemcpyHostToDevice, stream));

    ParamBlock params;
    AutoExposure eye(params);
    TonemapPass pass(params, hdr, ldr, kWhite);
    for (float luma : {0.5f, 0.25f, 2.0f}) {
      eye.Adapt(luma, stream);
      pass.Execute(stream);
      EMBER_CUDA(cudaMemcpyAsync(shown.data(), ldr.data, kPixels * sizeof(float), cudaMemcpyDeviceToHost, stream));
      EMBER_CUDA(cudaStreamSynchronize(stream));
      for (unsigned i = 0; i < kPixels; ++i) {
        const float c = scene[i] * (0.18f / luma);
        const float want = c * (1.0f + c / (kWhite * kWhite)) / (1.0f + c);
        right = right && std::fabs(shown[i] - want) < 1e-4f;
      }
    }
  }
  EMBER_CUDA(cudaStreamDestroy(stream));
  std::puts(right ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
