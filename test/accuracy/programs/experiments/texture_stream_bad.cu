// Frame recorder with passes as std::function, fed by an asynchronous texture uploader.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

struct Fault {
  cudaError_t code;
  std::string where;
};
static void gfx(cudaError_t e, const char* where) {
  if (e != cudaSuccess) throw Fault{e, where};
}

template <class F>
class ScopeExit {
 public:
  explicit ScopeExit(F f) : f_(std::move(f)) {}
  ~ScopeExit() { f_(); }
  ScopeExit(const ScopeExit&) = delete;

 private:
  F f_;
};

class TextureUploader {
 public:
  explicit TextureUploader(int texels) : texels_(texels) {
    gfx(cudaStreamCreateWithFlags(&copy_, cudaStreamNonBlocking), "copy stream");
    gfx(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming), "ready");
    gfx(cudaMalloc(&texture_, bytes()), "texture");
    gfx(cudaMallocHost(&staging_, bytes()), "staging");
  }
  ~TextureUploader() {
    cudaStreamSynchronize(copy_);
    cudaFreeHost(staging_);
    cudaFree(texture_);
    cudaEventDestroy(ready_);
    cudaStreamDestroy(copy_);
  }
  TextureUploader(const TextureUploader&) = delete;

  void push(const std::function<float(int)>& texel) {
    gfx(cudaEventSynchronize(ready_), "staging reuse");
    for (int i = 0; i < texels_; ++i) staging_[i] = texel(i);
    gfx(cudaMemcpyAsync(texture_, staging_, bytes(), cudaMemcpyHostToDevice, copy_), "upload");
    gfx(cudaEventRecord(ready_, copy_), "signal");
  }
  cudaEvent_t ready() const { return ready_; }
  const float* texture() const { return texture_; }
  int texels() const { return texels_; }

 private:
  size_t bytes() const { return texels_ * sizeof(float); }
  int texels_;
  cudaStream_t copy_ = nullptr;
  cudaEvent_t ready_ = nullptr;
  float *texture_ = nullptr, *staging_ = nullptr;
};

__global__ void shade(const float* tex, float* color, int n, float exposure) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) color[i] = exposure * tex[i];
}
__global__ void tonemap(float* color, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) color[i] = color[i] / (1.f + color[i]);
}

class Frame {
 public:
  using Pass = std::function<void(cudaStream_t)>;
  Frame() { gfx(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "frame stream"); }
  ~Frame() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaStreamDestroy(stream_);
  }
  Frame(const Frame&) = delete;
  Frame& add(Pass p) {
    passes_.push_back(std::move(p));
    return *this;
  }
  void build() {
    cudaGraph_t g = nullptr;
    gfx(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    {
      ScopeExit end([&] { end_ = cudaStreamEndCapture(stream_, &g); });
      for (auto& p : passes_) p(stream_);
    }
    gfx(end_, "end");
    gfx(cudaGraphInstantiateWithFlags(&exec_, g, 0), "instantiate");
    gfx(cudaGraphDestroy(g), "destroy");
  }
  void draw() { gfx(cudaGraphLaunch(exec_, stream_), "draw"); }
  void wait() { gfx(cudaStreamSynchronize(stream_), "present"); }
  cudaStream_t stream() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
  std::vector<Pass> passes_;
  cudaError_t end_ = cudaSuccess;
  cudaGraphExec_t exec_ = nullptr;
};

int main() {
  Fault fault{cudaSuccess, ""};
  int correct = 0;
  try {
    TextureUploader tex(2048);
    float* color = nullptr;
    gfx(cudaMalloc(&color, tex.texels() * sizeof(float)), "color");
    ScopeExit free_color([&] { cudaFree(color); });
    Frame frame;
    frame
        .add([&](cudaStream_t s) {
          gfx(cudaStreamWaitEvent(s, tex.ready(), 0), "wait texture");  // HAZARD dependency
          shade<<<(tex.texels() + 127) / 128, 128, 0, s>>>(tex.texture(), color, tex.texels(), 2.f);
          gfx(cudaGetLastError(), "shade");
        })
        .add([&](cudaStream_t s) {
          tonemap<<<(tex.texels() + 127) / 128, 128, 0, s>>>(color, tex.texels());
          gfx(cudaGetLastError(), "tonemap");
        });

    tex.push([](int i) { return 0.01f * i; });
    frame.build();
    std::vector<float> h(tex.texels());
    for (int k = 0; k < 4; ++k) {
      if (k) tex.push([k](int i) { return 0.01f * i + k; });
      frame.draw();
      gfx(cudaMemcpyAsync(h.data(), color, h.size() * sizeof(float), cudaMemcpyDeviceToHost, frame.stream()), "read");
      frame.wait();
      bool good = true;
      for (int i = 0; i < tex.texels(); ++i) {
        float c = 2.f * (0.01f * i + k);
        good = good && std::fabs(h[i] - c / (1.f + c)) < 1e-4f;
      }
      correct += good;
    }
  } catch (const Fault& f) {
    fault = f;
  }
  std::printf("correct frames %d, fault %s %s\n", correct, fault.where.c_str(), cudaGetErrorName(fault.code));
  bool confirmed = fault.code == cudaErrorStreamCaptureIsolation && fault.where == "wait texture";
  std::printf(confirmed ? "LABEL CONFIRMED\n" : "LABEL UNOBSERVED\n");
  return confirmed ? 0 : 1;
}
