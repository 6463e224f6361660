// Forward renderer front end: the visible instances are transformed, then the fog is laid over the image.
// The frame graph is recorded on the first frame.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace eng {

[[noreturn]] inline void fail(const char* what, cudaError_t e, int line) {
  std::fprintf(stderr, "%d: %s: %s\n", line, what, cudaGetErrorString(e));
  std::puts("LABEL REFUTED");
  std::exit(0);
}
#define ENG_VERIFY(x)                                                              \
  do {                                                                             \
    if (const cudaError_t e_ = (x); e_ != cudaSuccess) ::eng::fail(#x, e_, __LINE__); \
  } while (0)

struct Camera {
  float nearZ = 0.5f;
  float farZ = 100.0f;
  float fogTime = 0.0f;
};

constexpr int kMaxInstances = 4096;
constexpr int kPixels = 1024;
constexpr int kGroup = 128;

__global__ void transformInstances(const float* depth, float* clip, int count, float nearZ) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) clip[i] = depth[i] - nearZ;
}

__global__ void layFog(float* image, Camera camera) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  image[i] = camera.fogTime / camera.farZ;
}

class VisibleSet {
 public:
  void add(float depth) { depths_.push_back(depth); }
  void reset() { depths_.clear(); }
  int count() const { return static_cast<int>(depths_.size()); }
  const float* data() const { return depths_.data(); }
  std::size_t bytes() const { return depths_.size() * sizeof(float); }

 private:
  std::vector<float> depths_;
};

class FrontEnd {
 public:
  explicit FrontEnd(cudaStream_t stream) : stream_(stream) {
    ENG_VERIFY(cudaMalloc(&depth_, kMaxInstances * sizeof(float)));
    ENG_VERIFY(cudaMalloc(&clip_, kMaxInstances * sizeof(float)));
    ENG_VERIFY(cudaMalloc(&image_, kPixels * sizeof(float)));
  }
  FrontEnd(const FrontEnd&) = delete;
  FrontEnd& operator=(const FrontEnd&) = delete;
  ~FrontEnd() {
    if (exec_) cudaGraphExecDestroy(exec_);
    if (graph_) cudaGraphDestroy(graph_);
    cudaFree(depth_);
    cudaFree(clip_);
    cudaFree(image_);
  }

  VisibleSet& visible() { return visible_; }
  Camera& camera() { return camera_; }

  void draw() {
    ENG_VERIFY(cudaMemcpyAsync(depth_, visible_.data(), visible_.bytes(), cudaMemcpyHostToDevice, stream_));
    if (!exec_) record();
    else patch();
    ENG_VERIFY(cudaGraphLaunch(exec_, stream_));
  }

  float clipAt(int i) const { return fetch(clip_ + i); }
  float pixelAt(int i) const { return fetch(image_ + i); }

 private:
  static dim3 groups(int n) { return dim3((n + kGroup - 1) / kGroup); }

  void record() {
    ENG_VERIFY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    transformInstances<<<groups(visible_.count()), kGroup, 0, stream_>>>(depth_, clip_, visible_.count(), camera_.nearZ);
    layFog<<<groups(kPixels), kGroup, 0, stream_>>>(image_, camera_);
    const cudaError_t launched = cudaGetLastError();
    ENG_VERIFY(cudaStreamEndCapture(stream_, &graph_));
    ENG_VERIFY(launched);
    ENG_VERIFY(cudaGraphInstantiate(&exec_, graph_, 0));
  }

  void patch() {
    cudaGraphNode_t nodes[2] = {};
    std::size_t n = 2;
    ENG_VERIFY(cudaGraphGetNodes(graph_, nodes, &n));
    for (std::size_t k = 0; k < n; ++k) {
      cudaKernelNodeParams p{};
      ENG_VERIFY(cudaGraphKernelNodeGetParams(nodes[k], &p));
      int count = visible_.count();
      void* transformArgs[] = {&depth_, &clip_, &count, &camera_.nearZ};
      void* fogArgs[] = {&image_, &camera_};
      if (p.func == reinterpret_cast<void*>(layFog)) {
        p.kernelParams = fogArgs;
      } else {
        p.gridDim = groups(count);
        p.kernelParams = transformArgs;
      }
      ENG_VERIFY(cudaGraphExecKernelNodeSetParams(exec_, nodes[k], &p));
    }
  }

  float fetch(const float* at) const {
    float v = 0.0f;
    ENG_VERIFY(cudaMemcpyAsync(&v, at, sizeof v, cudaMemcpyDeviceToHost, stream_));
    ENG_VERIFY(cudaStreamSynchronize(stream_));
    return v;
  }

  cudaStream_t stream_;
  VisibleSet visible_;
  Camera camera_;
  float *depth_ = nullptr, *clip_ = nullptr, *image_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace eng

int main() {
  cudaStream_t stream = nullptr;
  ENG_VERIFY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  bool clipRight = true, fogRight = true;
  {
    eng::FrontEnd frontEnd(stream);
    for (int frame = 1; frame <= 3; ++frame) {
      frontEnd.visible().reset();
      for (int i = 0; i < 300 * frame; ++i) frontEnd.visible().add(float(i + frame));
      frontEnd.camera().fogTime = 50.0f * float(frame);
      frontEnd.draw();
      const int last = frontEnd.visible().count() - 1;
      clipRight = clipRight && std::fabs(frontEnd.clipAt(last) - (float(last + frame) - 0.5f)) < 1e-3f;
      fogRight = fogRight && std::fabs(frontEnd.pixelAt(7) - 0.5f * float(frame)) < 1e-4f;
    }
  }
  ENG_VERIFY(cudaStreamDestroy(stream));
  std::puts(clipRight && fogRight ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
