// Thumbnail service: resize graphs are cached per geometry with a small LRU.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <list>
#include <map>
#include <memory>
#include <utility>
#include <vector>

struct Geometry {
  int width = 0, height = 0;
  int pixels() const { return width * height; }
};

__global__ void halve(const uint8_t* src, uint8_t* dst, int width) {
  const int x = threadIdx.x, y = blockIdx.x, w = width / 2;
  if (x < w) dst[y * w + x] = src[2 * y * width + 2 * x] / 2;
}

__global__ void brighten(uint8_t* dst, int width) {
  const int x = threadIdx.x, w = width / 2;
  if (x < w) dst[blockIdx.x * w + x] += 1;
}

struct Recording {
  cudaGraphExec_t exec = nullptr;
  Geometry geometry;
  ~Recording() { reset(); }
  void reset() {
    if (exec) cudaGraphExecDestroy(exec);
    exec = nullptr;
  }
};

class RecordingCache {
 public:
  using Key = int;
  static Key keyOf(const Geometry& g) { return g.width; }
  explicit RecordingCache(size_t limit) : limit_(limit) {}

  template <class Make>
  std::shared_ptr<Recording> acquire(const Geometry& g, Make&& make) {
    const Key key = keyOf(g);
    auto it = entries_.find(key);
    if (it == entries_.end()) {
      if (entries_.size() == limit_) evict();
      it = entries_.emplace(key, make(g)).first;
    } else {
      order_.remove(key);
    }
    order_.push_back(key);
    return it->second;
  }

 private:
  void evict() {
    auto it = entries_.find(order_.front());
    it->second->reset();  // HAZARD graph_lifetime #evict
    entries_.erase(it);
    order_.pop_front();
  }

  size_t limit_;
  std::list<Key> order_;
  std::map<Key, std::shared_ptr<Recording>> entries_;
};

class ThumbnailService {
 public:
  static constexpr int kMaxPixels = 512 * 512;

  ThumbnailService() : cache_(2) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMalloc(&src_, kMaxPixels);
    cudaMalloc(&dst_, kMaxPixels / 4);
  }
  ~ThumbnailService() {
    cudaFree(src_);
    cudaFree(dst_);
    cudaStreamDestroy(stream_);
  }

  std::shared_ptr<Recording> session(const Geometry& g) {
    return cache_.acquire(g, [this](const Geometry& geometry) { return record(geometry); });
  }

  cudaError_t shrink(const Recording& recording, const Geometry& g, std::vector<uint8_t>* out) {
    out->assign(g.pixels() / 4, 0);
    cudaMemsetAsync(src_, 100, g.pixels(), stream_);
    cudaMemsetAsync(dst_, 0, kMaxPixels / 4, stream_);
    cudaError_t rc = cudaGraphLaunch(recording.exec, stream_);  // HAZARD graph_lifetime #evict
    if (rc != cudaSuccess) {
      cudaGetLastError();
      cudaStreamSynchronize(stream_);
      return rc;
    }
    cudaMemcpyAsync(out->data(), dst_, out->size(), cudaMemcpyDeviceToHost, stream_);
    return cudaStreamSynchronize(stream_);
  }

 private:
  std::shared_ptr<Recording> record(const Geometry& g) {
    auto recording = std::make_shared<Recording>();
    recording->geometry = g;
    cudaGraph_t graph = nullptr;
    if (cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return recording;
    halve<<<g.height / 2, 256, 0, stream_>>>(src_, dst_, g.width);  // HAZARD dynamic_shape #rows
    brighten<<<g.height / 2, 256, 0, stream_>>>(dst_, g.width);  // HAZARD dynamic_shape #rows
    if (cudaStreamEndCapture(stream_, &graph) == cudaSuccess) {
      cudaGraphInstantiate(&recording->exec, graph, 0);
      cudaGraphDestroy(graph);
    }
    return recording;
  }

  RecordingCache cache_;
  cudaStream_t stream_ = nullptr;
  uint8_t *src_ = nullptr, *dst_ = nullptr;
};

int main() {
  ThumbnailService service;
  std::vector<uint8_t> out;
  const Geometry banner{256, 32}, portrait{256, 256}, icon{64, 64}, tile{128, 128};

  auto bannerSession = service.session(banner);
  cudaError_t first = service.shrink(*bannerSession, banner, &out);
  const int bannerLast = out.back();
  auto portraitSession = service.session(portrait);
  cudaError_t second = service.shrink(*portraitSession, portrait, &out);
  const int portraitFirst = out.front(), portraitLast = out.back();
  service.session(icon);
  service.session(tile);
  cudaError_t third = service.shrink(*bannerSession, banner, &out);
  const int again = out.back();

  std::printf("banner %d, portrait %d..%d, again %d, status %d %d %d\n", bannerLast, portraitFirst, portraitLast, again, first,
              second, third);
  const bool basics = first == cudaSuccess && second == cudaSuccess && bannerLast == 51 && portraitFirst == 51;
  const bool agreed = basics && portraitLast == 0 && third != cudaSuccess;
  std::puts(agreed ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
