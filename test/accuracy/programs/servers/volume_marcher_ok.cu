// Emission-absorption ray marcher for small volumes. Device memory comes from a size-class pool that keeps freed
// blocks for the next request; a view is captured once and replayed while the volume streams in.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

static void require(cudaError_t e, const char* op) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(op) + ": " + cudaGetErrorString(e));
}

class BlockPool {
 public:
  BlockPool() = default;
  BlockPool(const BlockPool&) = delete;
  ~BlockPool() {
    for (auto& bucket : free_)
      for (void* p : bucket.second) cudaFree(p);
  }
  void* take(size_t bytes) {
    auto& list = free_[bytes];
    if (!list.empty()) {
      void* p = list.back();
      list.pop_back();
      return p;
    }
    void* p = nullptr;
    require(cudaMalloc(&p, bytes), "pool growth");
    return p;
  }
  void give(void* p, size_t bytes) { free_[bytes].push_back(p); }

 private:
  std::map<size_t, std::vector<void*>> free_;
};

template <typename T>
class Pooled {
 public:
  Pooled() = default;
  Pooled(BlockPool& pool, size_t n) : pool_(&pool), n_(n), p_(static_cast<T*>(pool.take(n * sizeof(T)))) {}
  Pooled(Pooled&& o) noexcept { swap(o); }
  Pooled& operator=(Pooled&& o) noexcept {
    swap(o);
    return *this;
  }
  ~Pooled() {
    if (p_) pool_->give(p_, n_ * sizeof(T));
  }
  T* get() const { return p_; }
  size_t size() const { return n_; }

 private:
  void swap(Pooled& o) {
    std::swap(pool_, o.pool_);
    std::swap(n_, o.n_);
    std::swap(p_, o.p_);
  }
  BlockPool* pool_ = nullptr;
  size_t n_ = 0;
  T* p_ = nullptr;
};

constexpr int kSide = 32, kDepth = 24, kLut = 256;

__global__ void fill_lut(float* lut, float slope) { lut[threadIdx.x] = slope * threadIdx.x / kLut; }

__global__ void fill_noise(float* tile, unsigned seed) {
  const unsigned h = (threadIdx.x * 2654435761u) ^ seed;
  tile[threadIdx.x] = 100.0f + float(h % 1000u);
}

__global__ void march(const unsigned char* volume, const float* lut, float* image) {
  const int pix = blockIdx.x * blockDim.x + threadIdx.x;
  float light = 0.0f, through = 1.0f;
  for (int z = 0; z < kDepth; ++z) {
    const float a = lut[volume[z * kSide * kSide + pix]];
    light += through * a;
    through *= 1.0f - 0.1f * a;
  }
  image[pix] = light;
}

struct View {
  cudaGraphExec_t exec = nullptr;
  Pooled<float> lut;  // read by the graph: stays out of the pool as long as the view exists
  View() = default;
  View(const View&) = delete;
  ~View() {
    if (exec) cudaGraphExecDestroy(exec);
  }
};

static Pooled<float> make_transfer_lut(BlockPool& pool, cudaStream_t s, float slope) {
  Pooled<float> lut(pool, kLut);
  fill_lut<<<1, kLut, 0, s>>>(lut.get(), slope);
  require(cudaGetLastError(), "fill_lut");
  return lut;
}

static void build_view(View& view, BlockPool& pool, cudaStream_t s, const unsigned char* volume, float* image,
                       float slope) {
  view.lut = make_transfer_lut(pool, s, slope);
  {
    // a throw-away frame through a scratch image: warms up the kernel, and its block may go back to the pool
    Pooled<float> scratch(pool, kSide * kSide);
    march<<<kSide * kSide / 128, 128, 0, s>>>(volume, view.lut.get(), scratch.get());
    require(cudaGetLastError(), "warm-up");
    require(cudaStreamSynchronize(s), "warm-up");
  }
  cudaGraph_t graph = nullptr;
  require(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal), "begin");
  march<<<kSide * kSide / 128, 128, 0, s>>>(volume, view.lut.get(), image);
  const cudaError_t launched = cudaGetLastError();
  require(cudaStreamEndCapture(s, &graph), "end");
  const cudaError_t made = cudaGraphInstantiate(&view.exec, graph, 0);
  cudaGraphDestroy(graph);
  require(launched, "march");
  require(made, "instantiate");
}

static bool frame_right(const std::vector<unsigned char>& vol, const std::vector<float>& img, float slope) {
  for (int p = 0; p < kSide * kSide; ++p) {
    double light = 0, through = 1;
    for (int z = 0; z < kDepth; ++z) {
      const double a = slope * vol[size_t(z) * kSide * kSide + p] / kLut;
      light += through * a;
      through *= 1 - 0.1 * a;
    }
    if (!(std::fabs(img[p] - light) < 1e-3 * (1 + light))) return false;
  }
  return true;
}

int main() {
  try {
    BlockPool pool;
    cudaStream_t s;
    require(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "stream");
    Pooled<unsigned char> volume(pool, size_t(kSide) * kSide * kDepth);
    require(cudaMemsetAsync(volume.get(), 0, volume.size(), s), "clear volume");
    Pooled<float> image(pool, kSide * kSide);
    View view;
    const float slope = 0.8f;
    build_view(view, pool, s, volume.get(), image.get(), slope);

    int wrong = 0;
    std::vector<unsigned char> host(volume.size());
    std::vector<float> frame(image.size());
    Pooled<float> jitter;
    for (int t = 0; t < 6; ++t) {
      if (t == 2) {  // the user turns on stochastic jitter for the eager preview
        jitter = Pooled<float>(pool, kLut);
        fill_noise<<<1, kLut, 0, s>>>(jitter.get(), 17u);
        require(cudaGetLastError(), "fill_noise");
      }
      for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<unsigned char>(i * 11 + t * 29);
      require(cudaMemcpyAsync(volume.get(), host.data(), host.size(), cudaMemcpyHostToDevice, s), "volume");
      require(cudaGraphLaunch(view.exec, s), "launch");
      require(cudaMemcpyAsync(frame.data(), image.get(), frame.size() * sizeof(float), cudaMemcpyDeviceToHost, s), "image");
      require(cudaStreamSynchronize(s), "frame");
      const bool ok = frame_right(host, frame, slope);
      std::printf("frame %d %s\n", t, ok ? "ok" : "differs");
      wrong += !ok;
    }
    cudaStreamDestroy(s);
    std::puts(wrong == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  } catch (const std::exception& e) {
    std::printf("%s\nLABEL UNOBSERVED\n", e.what());
    return 1;
  }
  return 0;
}
