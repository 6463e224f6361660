// Overlay stage of a tracker: tone the frame, then invert the tracked region. Replayed per frame.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void cv_assert(cudaError_t e, const char* fn, int line) {
  if (e != cudaSuccess) {
    std::printf("%s(%d): %s\nLABEL UNOBSERVED\n", fn, line, cudaGetErrorString(e));
    std::exit(0);
  }
}
#define CV_CUDA(e) cv_assert((e), __func__, __LINE__)

struct Size {
  int width, height;
};
struct Roi {
  int x, y, width, height;
  __host__ __device__ bool contains(int px, int py) const { return px >= x && px < x + width && py >= y && py < y + height; }
};
struct ToneParams {
  float gain = 1.f;
  float bias = 0.f;
};

struct DeviceImage {
  float* data = nullptr;
  size_t pitch = 0;
  Size size{};
  void create(Size s) {
    size = s;
    CV_CUDA(cudaMallocPitch(&data, &pitch, s.width * sizeof(float), s.height));
  }
  void release() { cudaFree(data); }
};

__device__ inline float& px(float* base, size_t pitch, int x, int y) {
  return reinterpret_cast<float*>(reinterpret_cast<char*>(base) + y * pitch)[x];
}

__global__ void tone(float* src, size_t sp, float* dst, size_t dp, Size size, ToneParams p) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < size.width && y < size.height) px(dst, dp, x, y) = px(src, sp, x, y) * p.gain + p.bias;
}

__global__ void invert_roi(float* dst, size_t dp, Roi roi) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < roi.width && y < roi.height) {
    float& v = px(dst, dp, roi.x + x, roi.y + y);
    v = 10.f - v;
  }
}

static dim3 blocks_for(int w, int h, dim3 block) { return dim3((w + block.x - 1) / block.x, (h + block.y - 1) / block.y); }

class Overlay {
 public:
  Overlay(Size size, Roi roi) : size_(size), roi_(roi) {
    CV_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CV_CUDA(cudaMallocHost(&staging_, size.width * size.height * sizeof(float)));
    src_.create(size);
    dst_.create(size);
  }
  ~Overlay() {
    if (exec_) cudaGraphExecDestroy(exec_);
    src_.release();
    dst_.release();
    cudaFreeHost(staging_);
    cudaStreamDestroy(stream_);
  }

  void set_tone(ToneParams p) { tone_ = p; }
  void set_roi(Roi r) { roi_ = r; }

  void record() {
    const dim3 block(16, 16);
    const size_t row = size_.width * sizeof(float);
    cudaGraph_t graph;
    CV_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    CV_CUDA(cudaMemcpy2DAsync(src_.data, src_.pitch, staging_, row, row, size_.height, cudaMemcpyHostToDevice, stream_));
    tone<<<blocks_for(size_.width, size_.height, block), block, 0, stream_>>>(src_.data, src_.pitch, dst_.data, dst_.pitch, size_, tone_);  // HAZARD frozen
    CV_CUDA(cudaGetLastError());
    invert_roi<<<blocks_for(roi_.width, roi_.height, block), block, 0, stream_>>>(dst_.data, dst_.pitch, roi_);  // HAZARD dynamic_shape
    CV_CUDA(cudaGetLastError());
    CV_CUDA(cudaStreamEndCapture(stream_, &graph));
    CV_CUDA(cudaGraphInstantiate(&exec_, graph, 0));
    CV_CUDA(cudaGraphDestroy(graph));
  }

  std::vector<float> process(float level) {
    for (int i = 0; i < size_.width * size_.height; ++i) staging_[i] = level;
    CV_CUDA(cudaGraphLaunch(exec_, stream_));
    std::vector<float> out(size_.width * size_.height);
    const size_t row = size_.width * sizeof(float);
    CV_CUDA(cudaMemcpy2DAsync(out.data(), row, dst_.data, dst_.pitch, row, size_.height, cudaMemcpyDeviceToHost, stream_));
    CV_CUDA(cudaStreamSynchronize(stream_));
    return out;
  }

 private:
  Size size_;
  Roi roi_;
  ToneParams tone_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  DeviceImage src_, dst_;
  float* staging_ = nullptr;
};

int main() {
  const Size size{200, 120};
  const float kLevel = 0.25f;
  Roi roi{40, 30, 32, 32};
  ToneParams params;
  int tone_errors = 0, roi_errors = 0, early_errors = 0;
  {
    Overlay overlay(size, roi);
    overlay.set_tone(params);
    overlay.record();
    for (int frame = 0; frame < 6; ++frame) {
      if (frame == 2) {  // operator turns the gain up
        params.gain = 2.f;
        overlay.set_tone(params);
      }
      if (frame == 4) {  // target comes closer
        roi.width = 64;
        roi.height = 48;
        overlay.set_roi(roi);
      }
      std::vector<float> out = overlay.process(kLevel);
      const float toned = kLevel * params.gain + params.bias;
      for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x) {
          float v = out[y * size.width + x];
          bool inside = roi.contains(x, y);
          bool inverted = v > 5.f;
          if (inverted != inside) ++roi_errors;
          if (std::fabs((inverted ? 10.f - v : v) - toned) > 1e-5f) ++tone_errors;
        }
      if (frame == 1) early_errors = roi_errors + tone_errors;
    }
  }
  std::printf("early errors %d, tone errors %d, region errors %d\n", early_errors, tone_errors, roi_errors);
  std::puts(early_errors == 0 && tone_errors > 0 && roi_errors > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
