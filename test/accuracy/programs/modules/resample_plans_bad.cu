// resample_plans: thumbnails of a fixed-size camera image. Resampling tables ("plans") are created
// lazily per (source length, target length) and shared; each thumbnail size has its own graph.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <utility>
#include <vector>

enum class ImgStatus { Ok, CudaFailure, NotPrepared };

static ImgStatus fromCuda(cudaError_t e) {
  if (e == cudaSuccess) return ImgStatus::Ok;
  std::fprintf(stderr, "resample: %s\n", cudaGetErrorName(e));
  return ImgStatus::CudaFailure;
}

#define IMG_TRY(call)                                   \
  do {                                                  \
    const ImgStatus st_ = (call);                       \
    if (st_ != ImgStatus::Ok) return st_;               \
  } while (0)

struct Tap {
  int left;
  int weight;  // of the right neighbour, 0..255
};

static std::vector<Tap> computeTaps(int from, int to) {
  std::vector<Tap> taps(to);
  for (int i = 0; i < to; ++i) {
    const long pos = 256l * i * (from - 1) / (to - 1);
    const int left = static_cast<int>(pos / 256) < from - 1 ? static_cast<int>(pos / 256) : from - 2;
    taps[i] = {left, static_cast<int>(pos - 256l * left)};
  }
  return taps;
}

class Plan {
 public:
  ~Plan() {
    if (taps_ && cudaFree(taps_) != cudaSuccess) std::fprintf(stderr, "resample: plan not freed\n");
  }
  ImgStatus create(int from, int to) {
    const std::vector<Tap> host = computeTaps(from, to);
    const size_t bytes = host.size() * sizeof(Tap);
    IMG_TRY(fromCuda(cudaMalloc(&taps_, bytes)));  // HAZARD lazy_initialization #plan
    return fromCuda(cudaMemcpy(taps_, host.data(), bytes, cudaMemcpyHostToDevice));  // HAZARD lazy_initialization #plan
  }
  const Tap* taps() const { return taps_; }

 private:
  Tap* taps_ = nullptr;
};

class PlanCache {
 public:
  ImgStatus get(int from, int to, const Plan** out) {
    auto& slot = plans_[{from, to}];
    if (!slot) {
      auto fresh = std::make_unique<Plan>();
      IMG_TRY(fresh->create(from, to));
      slot = std::move(fresh);
    }
    *out = slot.get();
    return ImgStatus::Ok;
  }

 private:
  std::map<std::pair<int, int>, std::unique_ptr<Plan>> plans_;
};

__global__ void resampleRows(const int* src, int* dst, const Tap* taps, int sw, int dw, int rows) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= dw || y >= rows) return;
  const Tap t = taps[x];
  dst[y * dw + x] = (src[y * sw + t.left] * (256 - t.weight) + src[y * sw + t.left + 1] * t.weight) / 256;
}

__global__ void resampleCols(const int* src, int* dst, const Tap* taps, int w, int dh) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w || y >= dh) return;
  const Tap t = taps[y];
  dst[y * w + x] = (src[t.left * w + x] * (256 - t.weight) + src[(t.left + 1) * w + x] * t.weight) / 256;
}

class Thumbnailer {
 public:
  Thumbnailer(int w, int h) : w_(w), h_(h) {}
  ~Thumbnailer() {
    for (auto& [size, exec] : graphs_)
      if (cudaGraphExecDestroy(exec) != cudaSuccess) std::fprintf(stderr, "resample: exec not destroyed\n");
  }
  ImgStatus init(int maxPixels) {
    IMG_TRY(fromCuda(cudaStreamCreate(&stream_)));
    IMG_TRY(fromCuda(cudaMalloc(&image_, w_ * h_ * sizeof(int))));
    IMG_TRY(fromCuda(cudaMalloc(&rows_, maxPixels * h_ * sizeof(int))));
    return fromCuda(cudaMalloc(&thumb_, maxPixels * sizeof(int)));
  }
  // Makes a thumbnail size available to render().
  ImgStatus addSize(int dw, int dh) {
    const Plan* warm = nullptr;
    IMG_TRY(plans_.get(w_, dw, &warm));
    return record(dw, dh);
  }
  ImgStatus render(const std::vector<int>& image, int dw, int dh, std::vector<int>& out) {
    const auto it = graphs_.find({dw, dh});
    if (it == graphs_.end()) return ImgStatus::NotPrepared;
    IMG_TRY(fromCuda(cudaMemcpyAsync(image_, image.data(), image.size() * sizeof(int), cudaMemcpyHostToDevice, stream_)));
    IMG_TRY(fromCuda(cudaGraphLaunch(it->second, stream_)));
    out.resize(dw * dh);
    IMG_TRY(fromCuda(cudaMemcpyAsync(out.data(), thumb_, out.size() * sizeof(int), cudaMemcpyDeviceToHost, stream_)));
    return fromCuda(cudaStreamSynchronize(stream_));
  }
  cudaStream_t stream() const { return stream_; }

 private:
  ImgStatus resample(int dw, int dh) {
    const Plan *px = nullptr, *py = nullptr;
    IMG_TRY(plans_.get(w_, dw, &px));
    IMG_TRY(plans_.get(h_, dh, &py));  // HAZARD lazy_initialization #plan
    resampleRows<<<dim3((dw + 63) / 64, h_), 64, 0, stream_>>>(image_, rows_, px->taps(), w_, dw, h_);
    resampleCols<<<dim3((dw + 63) / 64, dh), 64, 0, stream_>>>(rows_, thumb_, py->taps(), dw, dh);
    return ImgStatus::Ok;
  }
  ImgStatus record(int dw, int dh) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    IMG_TRY(fromCuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal)));
    IMG_TRY(resample(dw, dh));  // HAZARD scope
    IMG_TRY(fromCuda(cudaStreamEndCapture(stream_, &graph)));
    const ImgStatus made = fromCuda(cudaGraphInstantiate(&exec, graph, 0));
    IMG_TRY(fromCuda(cudaGraphDestroy(graph)));
    IMG_TRY(made);
    graphs_[{dw, dh}] = exec;
    return ImgStatus::Ok;
  }

  const int w_, h_;
  cudaStream_t stream_ = nullptr;
  int *image_ = nullptr, *rows_ = nullptr, *thumb_ = nullptr;
  PlanCache plans_;
  std::map<std::pair<int, int>, cudaGraphExec_t> graphs_;
};

static std::vector<int> expected(const std::vector<int>& img, int w, int h, int dw, int dh) {
  const auto tx = computeTaps(w, dw), ty = computeTaps(h, dh);
  std::vector<int> rows(dw * h), out(dw * dh);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < dw; ++x)
      rows[y * dw + x] = (img[y * w + tx[x].left] * (256 - tx[x].weight) + img[y * w + tx[x].left + 1] * tx[x].weight) / 256;
  for (int y = 0; y < dh; ++y)
    for (int x = 0; x < dw; ++x)
      out[y * dw + x] = (rows[ty[y].left * dw + x] * (256 - ty[y].weight) + rows[(ty[y].left + 1) * dw + x] * ty[y].weight) / 256;
  return out;
}

int main() {
  constexpr int w = 320, h = 240;
  const std::pair<int, int> sizes[] = {{80, 60}, {160, 120}, {80, 45}};
  Thumbnailer t(w, h);
  if (t.init(160 * 120) != ImgStatus::Ok) {
    std::puts("LABEL UNOBSERVED");
    return 1;
  }
  int missing = 0, wrong = 0;
  for (auto [dw, dh] : sizes) missing += t.addSize(dw, dh) != ImgStatus::Ok;
  cudaStreamCaptureStatus left = cudaStreamCaptureStatusNone;
  const ImgStatus asked = fromCuda(cudaStreamIsCapturing(t.stream(), &left));
  for (int frame = 0; frame < 4; ++frame) {
    std::vector<int> img(w * h), out;
    for (int i = 0; i < w * h; ++i) img[i] = (i * 31 + frame * 17) % 251;
    for (auto [dw, dh] : sizes)
      wrong += t.render(img, dw, dh, out) != ImgStatus::Ok || out != expected(img, w, h, dw, dh);
  }
  const bool open = asked != ImgStatus::Ok || left != cudaStreamCaptureStatusNone;
  std::printf("sizes missing %d, thumbnails wrong %d, stream still capturing %d\n", missing, wrong, open);
  std::puts(missing > 0 && open ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
