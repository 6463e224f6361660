// Still-camera ISP: black level, exposure gain, region-of-interest crop.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace isp {

inline void require(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

struct Roi {
  int width = 0;
  int height = 0;
};

__global__ void develop(const uint16_t* raw, float* linear, int n, float gain) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) linear[i] = (raw[i] - 64) * gain;
}

__global__ void crop(const float* linear, float* out, int pitch) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y;
  out[y * pitch + x] = linear[y * pitch + x];
}

class Pipeline {
 public:
  Pipeline(int width, int height) : width_(width), height_(height), roi_{width / 4, height / 4} {
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    require(cudaMalloc(&raw_, sizeof(uint16_t) * pixels()), "raw");
    require(cudaMalloc(&linear_, sizeof(float) * pixels()), "linear");
    require(cudaMalloc(&out_, sizeof(float) * pixels()), "out");
    require(cudaMemset(out_, 0, sizeof(float) * pixels()), "clear");
    require(cudaDeviceSynchronize(), "init");
  }
  Pipeline(const Pipeline&) = delete;
  ~Pipeline() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(raw_);
    cudaFree(linear_);
    cudaFree(out_);
    cudaStreamDestroy(stream_);
  }

  void setGain(float gain) { gain_ = gain; }
  void setRoi(Roi roi) { roi_ = roi; }

  std::vector<float> process(const std::vector<uint16_t>& frame) {
    require(cudaMemcpyAsync(raw_, frame.data(), sizeof(uint16_t) * pixels(), cudaMemcpyHostToDevice, stream_), "upload");
    if (!exec_) build();
    require(cudaGraphLaunch(exec_, stream_), "launch");
    std::vector<float> result(pixels());
    require(cudaMemcpyAsync(result.data(), out_, sizeof(float) * pixels(), cudaMemcpyDeviceToHost, stream_), "download");
    require(cudaStreamSynchronize(stream_), "frame");
    return result;
  }

 private:
  int pixels() const { return width_ * height_; }

  void record() {
    develop<<<(pixels() + 255) / 256, 256, 0, stream_>>>(raw_, linear_, pixels(), gain_);  // HAZARD frozen
    dim3 grid(roi_.width / 16, roi_.height);
    crop<<<grid, 16, 0, stream_>>>(linear_, out_, width_);  // HAZARD dynamic_shape
  }

  void build() {
    cudaGraph_t graph = nullptr;
    require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    record();
    require(cudaStreamEndCapture(stream_, &graph), "end");
    cudaError_t status = cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    require(status, "instantiate");
  }

  int width_, height_;
  Roi roi_;
  float gain_ = 1.0f;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  uint16_t* raw_ = nullptr;
  float* linear_ = nullptr;
  float* out_ = nullptr;
};

}  // namespace isp

int main() {
  try {
    const int w = 256, h = 64;
    isp::Pipeline camera(w, h);
    std::vector<uint16_t> frame(w * h, 164);
    auto first = camera.process(frame);
    camera.setGain(2.5f);
    camera.setRoi({w, h});
    auto second = camera.process(frame);
    const float corner = second[w * h - 1], origin = second[0];
    std::printf("first %.1f second %.1f corner %.1f\n", first[0], origin, corner);
    const bool expected = std::fabs(first[0] - 100.f) < 1e-3f && std::fabs(origin - 100.f) < 1e-3f && corner == 0.f;
    std::puts(expected ? "LABEL CONFIRMED" : "LABEL REFUTED");
  } catch (const std::exception& e) {
    std::printf("LABEL REFUTED %s\n", e.what());
  }
  return 0;
}
