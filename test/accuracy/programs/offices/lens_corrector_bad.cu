// Vignetting correction for a camera application: a preview graph (every second pixel) and a photo graph
// share one gain table.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CAM_TRY(call)                                                             \
  do {                                                                            \
    if (cudaError_t e_ = (call); e_ != cudaSuccess) {                             \
      std::printf("camera: %s failed: %s\n", #call, cudaGetErrorString(e_));      \
      std::puts("LABEL UNOBSERVED");                                              \
      std::exit(0);                                                               \
    }                                                                             \
  } while (0)

struct LensModel {
  float k1 = 0.8f;
  float k2 = 0.1f;
  float cx = 0.f, cy = 0.f;
};

__global__ void build_table(float* table, int w, int h, LensModel lens) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w) return;
  float dx = (x - lens.cx) / w, dy = (y - lens.cy) / h;
  float r2 = dx * dx + dy * dy;
  table[y * w + x] = 1.f + lens.k1 * r2 + lens.k2 * r2 * r2;
}

__global__ void correct(const float* img, const float* table, float* out, int w, int out_w, int step, float exposure) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= out_w) return;
  int src = y * step * w + x * step;
  out[y * out_w + x] = img[src] * table[src] * exposure;
}

class Corrector {
 public:
  enum Mode { kPreview = 0, kPhoto = 1 };

  Corrector(int w, int h, LensModel lens) : w_(w), h_(h), lens_(lens) {
    CAM_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    const size_t bytes = size_t(w) * h * sizeof(float);
    CAM_TRY(cudaMalloc(&img_, bytes));
    CAM_TRY(cudaMalloc(&table_, bytes));
    CAM_TRY(cudaMalloc(&out_, bytes));
    CAM_TRY(cudaMemsetAsync(table_, 0, bytes, stream_));
    CAM_TRY(cudaStreamSynchronize(stream_));
  }
  ~Corrector() {
    for (Pass& p : pass_) {
      cudaGraphExecDestroy(p.exec);
    }
    cudaFree(img_);
    cudaFree(table_);
    cudaFree(out_);
    cudaStreamDestroy(stream_);
  }

  void set_image(const std::vector<float>& host) {
    CAM_TRY(cudaMemcpyAsync(img_, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice, stream_));
    CAM_TRY(cudaStreamSynchronize(stream_));
  }

  void set_exposure(float e) { exposure_ = e; }

  void record(Mode mode) {
    Pass& p = pass_[mode];
    p.step = mode == kPreview ? 2 : 1;
    p.w = w_ / p.step;
    p.h = h_ / p.step;
    cudaGraph_t graph = nullptr;
    CAM_TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    ensure_table();  // HAZARD lazy_initialization #table
    correct<<<dim3((p.w + 127) / 128, p.h), 128, 0, stream_>>>(img_, table_, out_, w_, p.w, p.step, exposure_);  // HAZARD frozen
    CAM_TRY(cudaGetLastError());
    CAM_TRY(cudaStreamEndCapture(stream_, &graph));
    CAM_TRY(cudaGraphInstantiate(&p.exec, graph, 0));
    CAM_TRY(cudaGraphDestroy(graph));
  }

  // Runs one pass and returns the number of pixels that differ from the reference.
  int shoot(Mode mode, const std::vector<float>& img) {
    const Pass& p = pass_[mode];
    CAM_TRY(cudaGraphLaunch(p.exec, stream_));
    std::vector<float> out(size_t(p.w) * p.h);
    CAM_TRY(cudaMemcpyAsync(out.data(), out_, out.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_));
    CAM_TRY(cudaStreamSynchronize(stream_));
    int wrong = 0;
    for (int y = 0; y < p.h; ++y)
      for (int x = 0; x < p.w; ++x) {
        int sx = x * p.step, sy = y * p.step;
        float dx = (sx - lens_.cx) / w_, dy = (sy - lens_.cy) / h_, r2 = dx * dx + dy * dy;
        float want = img[sy * w_ + sx] * (1.f + lens_.k1 * r2 + lens_.k2 * r2 * r2) * exposure_;
        wrong += std::fabs(out[y * p.w + x] - want) > 1e-3f;
      }
    return wrong;
  }

 private:
  struct Pass {
    cudaGraphExec_t exec = nullptr;
    int w = 0, h = 0, step = 1;
  };

  void ensure_table() {
    if (table_ready_) return;
    build_table<<<dim3((w_ + 127) / 128, h_), 128, 0, stream_>>>(table_, w_, h_, lens_);  // HAZARD lazy_initialization #table
    CAM_TRY(cudaGetLastError());
    table_ready_ = true;  // HAZARD lazy_initialization #table
  }

  int w_, h_;
  LensModel lens_;
  cudaStream_t stream_ = nullptr;
  float *img_ = nullptr, *table_ = nullptr, *out_ = nullptr;
  bool table_ready_ = false;
  float exposure_ = 1.f;
  Pass pass_[2];
};

int main() {
  const int w = 320, h = 200;
  LensModel lens;
  lens.cx = w * 0.5f;
  lens.cy = h * 0.5f;
  std::vector<float> img(size_t(w) * h);
  for (size_t i = 0; i < img.size(); ++i) img[i] = 0.5f + float(i % 17) / 17.f;

  int before_preview, preview, after_preview, brighter;
  {
    Corrector cam(w, h, lens);
    cam.set_image(img);
    cam.record(Corrector::kPreview);
    cam.record(Corrector::kPhoto);
    // The application was opened by the camera button: photos first, then the viewfinder.
    before_preview = cam.shoot(Corrector::kPhoto, img) + cam.shoot(Corrector::kPhoto, img);
    preview = cam.shoot(Corrector::kPreview, img);
    after_preview = cam.shoot(Corrector::kPhoto, img);
    cam.set_exposure(2.f);
    brighter = cam.shoot(Corrector::kPhoto, img) + cam.shoot(Corrector::kPreview, img);
  }
  std::printf("wrong pixels: %d first photos, %d preview, %d photo, %d at exposure 2\n", before_preview, preview, after_preview, brighter);
  bool confirmed = before_preview > 0 && preview == 0 && after_preview == 0 && brighter > 0;
  std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
