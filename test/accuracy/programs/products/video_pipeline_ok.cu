// Playback pipeline: pooled decode surfaces, deinterlacing against a reference, OSD and thumbnails.
#include <cuda_runtime.h>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

constexpr int kPixels = 1024;

__global__ void fillSurface(float* s, float v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) s[i] = v;
}
__global__ void blend(const float* ref, const float* cur, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.5f * (ref[i] + cur[i]);
}
__global__ void drawOverlay(float* osd, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) osd[i] += 1.0f;
}

class SurfacePool {
 public:
  using Handle = std::shared_ptr<float>;
  explicit SurfacePool(int n) : surfaces_(n) {
    for (int i = 0; i < n; ++i) {
      cudaMalloc(&surfaces_[i], kPixels * sizeof(float));
      free_.push_back(i);
    }
  }
  ~SurfacePool() { for (float* s : surfaces_) cudaFree(s); }
  Handle acquire() {
    int i = free_.back();
    free_.pop_back();
    return Handle(surfaces_[i], [this, i](float*) { free_.push_back(i); });
  }

 private:
  std::vector<float*> surfaces_;
  std::vector<int> free_;
};

class Decoder {
 public:
  explicit Decoder(cudaStream_t s) : stream_(s) {}
  void decode(const SurfacePool::Handle& dst, float luma) {
    fillSurface<<<kPixels / 256, 256, 0, stream_>>>(dst.get(), luma, kPixels);
    cudaStreamSynchronize(stream_);
  }
  cudaStream_t stream() const { return stream_; }

 private:
  cudaStream_t stream_;
};

struct GraphSlot {
  cudaGraphExec_t exec = nullptr;
  ~GraphSlot() { if (exec) cudaGraphExecDestroy(exec); }
  cudaError_t record(cudaStream_t s, const std::function<cudaError_t()>& body) {
    cudaError_t rc = cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    if (rc != cudaSuccess) return rc;
    cudaError_t inner = body();
    cudaGraph_t g = nullptr;
    rc = cudaStreamEndCapture(s, &g);
    if (rc == cudaSuccess && inner == cudaSuccess) rc = cudaGraphInstantiate(&exec, g, 0);
    if (g) cudaGraphDestroy(g);
    return inner != cudaSuccess ? inner : rc;
  }
};

class Deinterlacer {
 public:
  Deinterlacer(SurfacePool& pool, Decoder& dec) : pool_(pool), dec_(dec), current_(pool.acquire()) {
    cudaMalloc(&out_, kPixels * sizeof(float));
    cudaMalloc(&osd_, kPixels * sizeof(float));
    cudaMemset(osd_, 0, kPixels * sizeof(float));
    cudaDeviceSynchronize();
  }
  ~Deinterlacer() { cudaFree(out_); cudaFree(osd_); }
  cudaError_t prepare(float referenceLuma) {
    reference_ = pool_.acquire();
    dec_.decode(reference_, referenceLuma);
    return graph_.record(dec_.stream(), [&] {
      blend<<<kPixels / 256, 256, 0, dec_.stream()>>>(reference_.get(), current_.get(), out_, kPixels);
      overlay();
      return cudaGetLastError();
    });
  }
  float show(float luma) {
    float px = 0;
    dec_.decode(current_, luma);
    cudaGraphLaunch(graph_.exec, dec_.stream());
    cudaMemcpyAsync(&px, out_, sizeof px, cudaMemcpyDeviceToHost, dec_.stream());
    cudaStreamSynchronize(dec_.stream());
    return px;
  }
  float osd() const {
    float v = 0;
    cudaMemcpy(&v, osd_, sizeof v, cudaMemcpyDeviceToHost);
    return v;
  }
  const float* output() const { return out_; }

 private:
  void overlay() {
    const dim3 grid(kPixels / 256), block(256);
    drawOverlay<<<grid, block, 0, dec_.stream()>>>(osd_, kPixels);
  }
  SurfacePool& pool_;
  Decoder& dec_;
  SurfacePool::Handle current_;
  SurfacePool::Handle reference_;
  float *out_ = nullptr, *osd_ = nullptr;
  GraphSlot graph_;
};

class ThumbnailWriter {
 public:
  ThumbnailWriter() { cudaHostAlloc(&host_, kPixels * sizeof(float), cudaHostAllocDefault); }
  ~ThumbnailWriter() { if (host_) cudaFreeHost(host_); }
  cudaError_t attach(cudaStream_t s, const float* image) {
    return graph_.record(s, [&] {
      return cudaMemcpyAsync(host_, image, kPixels * sizeof(float), cudaMemcpyDeviceToHost, s);
    });
  }
  float grab(cudaStream_t s) { cudaGraphLaunch(graph_.exec, s); cudaStreamSynchronize(s); return host_[0]; }

 private:
  float* host_ = nullptr;
  GraphSlot graph_;
};

int main() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  SurfacePool pool(6);
  Decoder decoder(stream);
  Deinterlacer view(pool, decoder);
  cudaError_t ready = view.prepare(4.0f);
  float a = view.show(2.0f);
  auto preview = pool.acquire();
  decoder.decode(preview, 100.0f);
  float b = view.show(2.0f), c = view.show(2.0f), osd = view.osd();
  ThumbnailWriter thumbs;
  cudaError_t attached = thumbs.attach(stream, view.output());
  bool hit = ready == cudaSuccess && a == 3.0f && b == 3.0f && c == 3.0f && osd == 3.0f && attached == cudaSuccess &&
             thumbs.grab(stream) == 3.0f;
  std::printf(hit ? "LABEL CONFIRMED\n" : "LABEL REFUTED %g %g %g osd %g attached %d\n", a, b, c, osd, attached);
  return 0;
}
