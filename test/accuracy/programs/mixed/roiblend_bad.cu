// Region-of-interest inversion for an endoscope display. Regions are a closed set of shapes.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <variant>
#include <vector>

#define VERIFY(x)                                                                    \
  do {                                                                               \
    cudaError_t verify_rc = (x);                                                     \
    if (verify_rc != cudaSuccess) {                                                  \
      std::printf("%s -> %s\n", #x, cudaGetErrorString(verify_rc));                  \
      std::abort();                                                                  \
    }                                                                                \
  } while (0)

namespace scope_view {

struct Box { int x, y, w, h; };
struct Disc { int cx, cy, r; };
struct Band { int y, h; };
using Region = std::variant<Box, Disc, Band>;

template <class... F>
struct Match : F... { using F::operator()...; };
template <class... F>
Match(F...) -> Match<F...>;

struct Bounds { int x0, y0, w, h, rr; };

constexpr int kWidth = 160, kHeight = 120;

inline Bounds boundsOf(const Region& r) {
  return std::visit(Match{[](const Box& b) { return Bounds{b.x, b.y, b.w, b.h, 0}; },
                          [](const Disc& d) { return Bounds{d.cx - d.r, d.cy - d.r, 2 * d.r, 2 * d.r, d.r * d.r}; },
                          [](const Band& b) { return Bounds{0, b.y, kWidth, b.h, 0}; }},
                    r);
}

inline bool contains(const Bounds& b, int x, int y) {
  if (x < b.x0 || y < b.y0 || x >= b.x0 + b.w || y >= b.y0 + b.h) return false;
  const int dx = x - (b.x0 + b.w / 2), dy = y - (b.y0 + b.h / 2);
  return b.rr == 0 || dx * dx + dy * dy < b.rr;
}

__global__ void invertRegion(unsigned char* image, const Bounds* bounds) {
  const Bounds b = *bounds;
  const int lx = blockIdx.x * blockDim.x + threadIdx.x;
  const int ly = blockIdx.y * blockDim.y + threadIdx.y;
  if (lx >= b.w || ly >= b.h) return;
  const int dx = lx - b.w / 2, dy = ly - b.h / 2;
  if (b.rr != 0 && dx * dx + dy * dy >= b.rr) return;
  unsigned char& px = image[(b.y0 + ly) * kWidth + b.x0 + lx];
  px = 255 - px;
}

class Stage {
 public:
  virtual ~Stage() = default;
  virtual void record(cudaStream_t stream) = 0;
};

class Executor {
 public:
  virtual ~Executor() = default;
  virtual void execute(Stage& stage) = 0;
  virtual void invalidate() = 0;
};

class GraphExecutor : public Executor {
 public:
  explicit GraphExecutor(cudaStream_t s) : stream_(s) {}
  ~GraphExecutor() override { GraphExecutor::invalidate(); }

  void execute(Stage& stage) override {
    if (!exec_) {
      cudaGraph_t g = nullptr;
      VERIFY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
      stage.record(stream_);
      VERIFY(cudaStreamEndCapture(stream_, &g));
      VERIFY(cudaGraphInstantiate(&exec_, g, 0));
      VERIFY(cudaGraphDestroy(g));
    }
    VERIFY(cudaGraphLaunch(exec_, stream_));
  }

  void invalidate() override {
    if (exec_) VERIFY(cudaGraphExecDestroy(exec_));
    exec_ = nullptr;
  }

 private:
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
};

class Highlight final : public Stage {
 public:
  Highlight(unsigned char* image, Executor& exec, cudaStream_t s) : image_(image), exec_(exec), stream_(s) {
    VERIFY(cudaMalloc(&bounds_, sizeof(Bounds)));
  }
  Highlight(const Highlight&) = delete;
  Highlight& operator=(const Highlight&) = delete;
  ~Highlight() override { cudaFree(bounds_); }

  void setRegion(const Region& region) {
    const Bounds b = boundsOf(region);
    VERIFY(cudaMemcpyAsync(bounds_, &b, sizeof b, cudaMemcpyHostToDevice, stream_));
    region_ = region;
  }

  void show() { exec_.execute(*this); }

  void record(cudaStream_t stream) override {
    const Bounds b = boundsOf(region_);
    cudaLaunchConfig_t config = {};
    config.blockDim = dim3(16, 8);
    config.gridDim = dim3((b.w + 15) / 16, (b.h + 7) / 8);  // HAZARD dynamic_shape #1
    config.stream = stream;
    VERIFY(cudaLaunchKernelEx(&config, invertRegion, image_, static_cast<const Bounds*>(bounds_)));  // HAZARD dynamic_shape #1
  }

 private:
  unsigned char* image_;
  Executor& exec_;
  cudaStream_t stream_;
  Bounds* bounds_ = nullptr;
  Region region_ = Box{0, 0, 1, 1};
};

}  // namespace scope_view

int main() {
  using namespace scope_view;
  cudaStream_t s;
  unsigned char* image;
  VERIFY(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  VERIFY(cudaMalloc(&image, kWidth * kHeight));
  VERIFY(cudaMemsetAsync(image, 10, kWidth * kHeight, s));
  std::vector<unsigned char> want(kWidth * kHeight, 10), got(kWidth * kHeight);
  bool right = true;
  {
    const auto exec = std::make_unique<GraphExecutor>(s);
    Highlight highlight(image, *exec, s);
    for (const Region& region : {Region(Box{4, 4, 20, 12}), Region(Disc{80, 60, 40}), Region(Band{90, 25})}) {
      highlight.setRegion(region);
      highlight.show();
      VERIFY(cudaMemcpyAsync(got.data(), image, got.size(), cudaMemcpyDeviceToHost, s));
      VERIFY(cudaStreamSynchronize(s));
      const Bounds b = boundsOf(region);
      for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x)
          if (contains(b, x, y)) want[y * kWidth + x] = 255 - want[y * kWidth + x];
      right = right && std::memcmp(want.data(), got.data(), want.size()) == 0;
    }
  }
  VERIFY(cudaFree(image));
  VERIFY(cudaStreamDestroy(s));
  std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
  return 0;
}
