#include <cuda_runtime.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

namespace sat {

inline void check(cudaError_t e) {
  if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

__global__ void fillKernel(float* p, float v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = v;
}

__global__ void reflectance(const float* raw, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.5f * raw[i];
}

__global__ void cloudMask(const float* raw, float* mask, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) mask[i] = raw[i] > 3.0f ? 0.0f : 1.0f;
}

__global__ void composite(const float* refl, const float* mask, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = refl[i] * mask[i];
}

class ScratchPool {
 public:
  explicit ScratchPool(int floats) : floats_(floats) {}
  ~ScratchPool() {
    for (float* p : all_) cudaFree(p);
  }
  float* take() {
    if (free_.empty()) {
      float* p = nullptr;
      check(cudaMalloc(&p, floats_ * sizeof(float)));
      all_.push_back(p);
      free_.push_back(p);
    }
    float* p = free_.back();
    free_.pop_back();
    return p;
  }
  void give(float* p) {
    free_.push_back(p);
  }

 private:
  int floats_;
  std::vector<float*> all_, free_;
};

class Lease {
 public:
  explicit Lease(ScratchPool& pool) : pool_(pool), p_(pool.take()) {}
  ~Lease() { pool_.give(p_); }
  Lease(const Lease&) = delete;
  float* get() const { return p_; }

 private:
  ScratchPool& pool_;
  float* p_;
};

class CaptureScope {
 public:
  CaptureScope(cudaStream_t s, cudaGraph_t& out) : s_(s), out_(out) {
    check(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal));
  }
  ~CaptureScope() { cudaStreamEndCapture(s_, &out_); }

 private:
  cudaStream_t s_;
  cudaGraph_t& out_;
};

class TileProcessor {
 public:
  TileProcessor(ScratchPool& pool, int n) : pool_(pool), raw_(pool), mask_(pool), out_(pool), n_(n) {
    check(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking));
  }
  ~TileProcessor() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaStreamDestroy(s_);
  }
  float process(float dn) {
    fillKernel<<<grid(), 256, 0, s_>>>(raw_.get(), dn, n_);
    if (!exec_) {
      warmup();
      check(cudaStreamSynchronize(s_));
      build();
    }
    check(cudaGraphLaunch(exec_, s_));
    check(cudaStreamSynchronize(s_));
    float v = 0.0f;
    check(cudaMemcpy(&v, out_.get() + n_ - 1, sizeof v, cudaMemcpyDeviceToHost));
    return v;
  }

 private:
  int grid() const { return (n_ + 255) / 256; }
  void warmup() {
    Lease preview(pool_);
    reflectance<<<grid(), 256, 0, s_>>>(raw_.get(), preview.get(), n_);
    cloudMask<<<grid(), 256, 0, s_>>>(raw_.get(), mask_.get(), n_);
    check(cudaStreamSynchronize(s_));
  }
  void build() {
    cudaGraph_t graph = nullptr;
    {
      refl_ = std::make_unique<Lease>(pool_);
      const Lease& refl = *refl_;
      CaptureScope scope(s_, graph);
      reflectance<<<grid(), 256, 0, s_>>>(raw_.get(), refl.get(), n_);
      cloudMask<<<grid(), 256, 0, s_>>>(raw_.get(), mask_.get(), n_);
      composite<<<grid(), 256, 0, s_>>>(refl.get(), mask_.get(), out_.get(), n_);
    }
    if (!graph) throw std::runtime_error("tile graph not built");
    check(cudaGraphInstantiate(&exec_, graph, 0));
    check(cudaGraphDestroy(graph));
  }

  ScratchPool& pool_;
  Lease raw_, mask_, out_;
  std::unique_ptr<Lease> refl_;
  int n_;
  cudaStream_t s_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace sat

int main() {
  try {
    constexpr int n = 3000;
    sat::ScratchPool pool(n);
    sat::TileProcessor tiles(pool, n);
    const float clear = tiles.process(2.0f);
    sat::Lease mosaic(pool);
    const std::vector<float> seven(n, 7.0f);
    sat::check(cudaMemcpy(mosaic.get(), seven.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    const float cloudy = tiles.process(4.0f);
    float kept = 0.0f;
    sat::check(cudaMemcpy(&kept, mosaic.get() + 5, sizeof kept, cudaMemcpyDeviceToHost));
    const bool ok = clear == 1.0f && cloudy == 0.0f && kept == 7.0f;
    if (ok) std::printf("LABEL CONFIRMED\n");
    else std::printf("LABEL REFUTED clear=%f cloudy=%f kept=%f\n", clear, cloudy, kept);
  } catch (const std::exception& e) {
    std::printf("LABEL REFUTED %s\n", e.what());
  }
  return 0;
}
