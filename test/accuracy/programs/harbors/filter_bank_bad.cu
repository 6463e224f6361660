// Filter library with plans in a small cache keyed by tile shape, and a tile service that replays
// one graph per tile shape.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// ---- library ----------------------------------------------------------------------------------------
namespace filt {

class Error : public std::runtime_error {
 public:
  Error(cudaError_t status, const char* what) : std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status)) {}
};

inline void require(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw Error(status, what);
}

struct Shape {
  int width, height;
  bool operator==(const Shape& o) const { return width == o.width && height == o.height; }
  bool operator<(const Shape& o) const { return width != o.width ? width < o.width : height < o.height; }
};

constexpr int kTaps = 9;
constexpr int kMaxPixels = 64 * 64;

__host__ __device__ inline int tap_for(int width, int height, int k) { return (width / 8 + height / 16 * k + k * k) % 7 - 2; }

__global__ void filter_rows(const int* in, const int* taps, int* scratch, int width, int height) {
  const int x = threadIdx.x, y = blockIdx.x;
  int sum = 0;
  for (int k = 0; k < kTaps; ++k) {
    const int source = x + k - kTaps / 2;
    if (source >= 0 && source < width) sum += taps[k] * in[y * width + source];
  }
  scratch[y * width + x] = sum;
}

__global__ void filter_columns(const int* scratch, const int* taps, int* out, int width, int height) {
  const int x = threadIdx.x, y = blockIdx.x;
  int sum = 0;
  for (int k = 0; k < kTaps; ++k) {
    const int source = y + k - kTaps / 2;
    if (source >= 0 && source < height) sum += taps[k] * scratch[source * width + x];
  }
  out[y * width + x] = sum;
}

// Fixed size workspaces carved from one allocation.
class Arena {
 public:
  static constexpr size_t kSlotInts = 64 + kMaxPixels;

  explicit Arena(int slots) {
    require(cudaMalloc(&base_, slots * kSlotInts * sizeof(int)), "arena");
    for (int i = slots - 1; i >= 0; --i) free_.push_back(base_ + i * kSlotInts);
  }
  ~Arena() { cudaFree(base_); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  int* acquire() {
    if (free_.empty()) throw std::runtime_error("arena exhausted");
    int* slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void release(int* slot) { free_.push_back(slot); }

 private:
  int* base_ = nullptr;
  std::vector<int*> free_;
};

class Plan {
 public:
  Plan(std::shared_ptr<Arena> arena, const Shape& shape) : arena_(std::move(arena)), shape_(shape), workspace_(arena_->acquire()) {
    int taps[kTaps];
    for (int k = 0; k < kTaps; ++k) taps[k] = tap_for(shape.width, shape.height, k);
    const cudaError_t status = cudaMemcpy(workspace_, taps, sizeof(taps), cudaMemcpyHostToDevice);
    if (status != cudaSuccess) arena_->release(workspace_);
    require(status, "upload taps");
    require(cudaDeviceSynchronize(), "upload taps");
  }
  ~Plan() { arena_->release(workspace_); }  // HAZARD dangling #workspace
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  const Shape& shape() const { return shape_; }

  void apply(const int* in, int* out, cudaStream_t stream) const {
    const int* taps = workspace_;
    int* scratch = workspace_ + 64;
    filter_rows<<<shape_.height, shape_.width, 0, stream>>>(in, taps, scratch, shape_.width, shape_.height);  // HAZARD dangling #workspace
    require(cudaGetLastError(), "filter_rows");
    filter_columns<<<shape_.height, shape_.width, 0, stream>>>(scratch, taps, out, shape_.width, shape_.height);  // HAZARD dangling #workspace
    require(cudaGetLastError(), "filter_columns");
  }

 private:
  std::shared_ptr<Arena> arena_;
  Shape shape_;
  int* workspace_;
};

// Keeps the most recently requested plans.
class Engine {
 public:
  Engine(size_t capacity, int slots) : capacity_(capacity), arena_(std::make_shared<Arena>(slots)) {}

  std::shared_ptr<const Plan> plan(const Shape& shape) {
    for (auto it = recent_.begin(); it != recent_.end(); ++it) {
      if ((*it)->shape() == shape) {
        recent_.splice(recent_.begin(), recent_, it);
        return recent_.front();
      }
    }
    if (recent_.size() == capacity_) recent_.pop_back();  // HAZARD dangling #workspace
    recent_.push_front(std::make_shared<Plan>(arena_, shape));
    return recent_.front();
  }

 private:
  size_t capacity_;
  std::shared_ptr<Arena> arena_;
  std::list<std::shared_ptr<const Plan>> recent_;
};

}  // namespace filt

// ---- application ------------------------------------------------------------------------------------
namespace {

template <class Body>
cudaError_t capture_into(cudaGraphExec_t* exec, cudaStream_t stream, Body&& body) {
  cudaError_t status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  if (status != cudaSuccess) return status;
  cudaError_t recorded = cudaSuccess;
  try {
    recorded = body();
  } catch (const filt::Error& error) {
    std::printf("capture: %s\n", error.what());
    recorded = cudaErrorUnknown;
  }
  cudaGraph_t graph = nullptr;
  status = cudaStreamEndCapture(stream, &graph);
  if (status == cudaSuccess) status = recorded;
  if (status == cudaSuccess) status = cudaGraphInstantiate(exec, graph, 0);
  if (graph) cudaGraphDestroy(graph);
  return status;
}

class TileService {
 public:
  TileService() : engine_(2, 8) {
    const size_t bytes = filt::kMaxPixels * sizeof(int);
    filt::require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    filt::require(cudaMalloc(&in_, bytes), "tile");
    filt::require(cudaMalloc(&out_, bytes), "tile");
    filt::require(cudaMallocHost(&host_in_, bytes), "tile");
    filt::require(cudaMallocHost(&host_out_, bytes), "tile");
  }
  ~TileService() {
    for (auto& tile : tiles_) {
      if (tile.second.exec) cudaGraphExecDestroy(tile.second.exec);
    }
    cudaFree(in_);
    cudaFree(out_);
    cudaFreeHost(host_in_);
    cudaFreeHost(host_out_);
    if (stream_) cudaStreamDestroy(stream_);
  }
  TileService(const TileService&) = delete;
  TileService& operator=(const TileService&) = delete;

  const int* process(const filt::Shape& shape, const std::vector<int>& pixels) {
    Tile& tile = tiles_[shape];
    if (!tile.exec) build(shape, tile);
    for (size_t i = 0; i < pixels.size(); ++i) host_in_[i] = pixels[i];
    filt::require(cudaGraphLaunch(tile.exec, stream_), "launch");  // HAZARD dangling #workspace
    filt::require(cudaStreamSynchronize(stream_), "synchronize");
    ++tile.uses;
    return host_out_;
  }

 private:
  struct Tile {
    cudaGraphExec_t exec = nullptr;
    long uses = 0;
  };

  void build(const filt::Shape& shape, Tile& tile) {
    const std::shared_ptr<const filt::Plan> plan = engine_.plan(shape);
    const size_t bytes = static_cast<size_t>(shape.width) * shape.height * sizeof(int);
    const cudaError_t status = capture_into(&tile.exec, stream_, [&] {
      const cudaError_t copied = cudaMemcpyAsync(in_, host_in_, bytes, cudaMemcpyHostToDevice, stream_);
      if (copied != cudaSuccess) return copied;
      plan->apply(in_, out_, stream_);  // HAZARD dangling #workspace
      return cudaMemcpyAsync(host_out_, out_, bytes, cudaMemcpyDeviceToHost, stream_);
    });
    filt::require(status, "capture tile");
  }

  filt::Engine engine_;
  std::map<filt::Shape, Tile> tiles_;
  cudaStream_t stream_ = nullptr;
  int *in_ = nullptr, *out_ = nullptr, *host_in_ = nullptr, *host_out_ = nullptr;
};

int verify(const filt::Shape& s, const std::vector<int>& in, const int* out) {
  std::vector<int> rows(in.size(), 0);
  int wrong = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int y = 0; y < s.height; ++y) {
      for (int x = 0; x < s.width; ++x) {
        int sum = 0;
        for (int k = 0; k < filt::kTaps; ++k) {
          const int at = (pass == 0 ? x : y) + k - filt::kTaps / 2;
          if (at < 0 || at >= (pass == 0 ? s.width : s.height)) continue;
          sum += filt::tap_for(s.width, s.height, k) * (pass == 0 ? in[y * s.width + at] : rows[at * s.width + x]);
        }
        if (pass == 0) rows[y * s.width + x] = sum;
        if (pass == 1) wrong += out[y * s.width + x] != sum;
      }
    }
  }
  return wrong;
}

}  // namespace

int main() {
  bool confirmed = false;
  try {
    TileService service;
    const filt::Shape shapes[] = {{16, 16}, {32, 16}, {16, 16}, {64, 32}, {32, 16}, {64, 64}, {16, 16}, {32, 16}, {64, 32}, {64, 64}};
    int wrong = 0, request = 0;
    for (const filt::Shape& shape : shapes) {
      std::vector<int> pixels(shape.width * shape.height);
      for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<int>((i * 29 + request * 7) % 64);
      wrong += verify(shape, pixels, service.process(shape, pixels));
      ++request;
    }
    std::printf("%d requests, %d wrong pixels\n", request, wrong);
    confirmed = wrong > 0;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
  }
  std::puts(confirmed ? "LABEL CONFIRMED" : "LABEL WRONG");
  return confirmed ? 0 : 1;
}
