// Video sessions that convert RGB frames to luma and keep a quarter-size preview. Surfaces come from an allocator
// that works in the background, so that building a session overlaps allocation and graph recording.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace media {

template <class T>
struct Result {
  T value{};
  cudaError_t error = cudaSuccess;
  explicit operator bool() const { return error == cudaSuccess; }
};

struct Geometry {
  int width = 0, height = 0;
  size_t pixels() const { return size_t(width) * height; }
  Geometry half() const { return {width / 2, height / 2}; }
};

__global__ void to_luma(const uint8_t* rgb, uint8_t* luma, int pixels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pixels) luma[i] = static_cast<uint8_t>((rgb[3 * i] + 2 * rgb[3 * i + 1] + rgb[3 * i + 2]) / 4);
}

__global__ void make_preview(const uint8_t* luma, int width, uint8_t* preview, int preview_width, int pixels) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  const uint8_t* p = luma + size_t(i / preview_width) * 2 * width + size_t(i % preview_width) * 2;
  preview[i] = static_cast<uint8_t>((p[0] + p[1] + p[width] + p[width + 1]) / 4);
}

Result<uint8_t*> allocate_surface(size_t bytes) {
  Result<uint8_t*> surface;
  surface.error = cudaMalloc(&surface.value, bytes);  // HAZARD mode #preview
  return surface;
}

std::future<Result<uint8_t*>> allocate_in_background(size_t bytes) {
  return std::async(std::launch::async, allocate_surface, bytes);
}

using FrameCallback = std::function<void(int frame, const std::vector<uint8_t>& preview)>;

class Session {
 public:
  Session(std::string name, Geometry geometry, FrameCallback on_frame)
      : name_(std::move(name)), geometry_(geometry), on_frame_(std::move(on_frame)) {}
  ~Session() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(rgb_);
    cudaFree(luma_);
    cudaFree(preview_);
    if (stream_) cudaStreamDestroy(stream_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool build() {
    const auto rgb = allocate_surface(geometry_.pixels() * 3);
    const auto luma = allocate_surface(geometry_.pixels());
    rgb_ = rgb.value;
    luma_ = luma.value;
    if (!rgb || !luma) return failed("surfaces", rgb ? luma.error : rgb.error);
    if (auto e = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); e != cudaSuccess)
      return failed("stream", e);

    cudaGraph_t graph = nullptr;
    if (auto e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal); e != cudaSuccess)  // HAZARD mode #preview
      return failed("begin", e);
    auto pending = allocate_in_background(geometry_.half().pixels());
    const int pixels = static_cast<int>(geometry_.pixels());
    to_luma<<<(pixels + 255) / 256, 256, 0, stream_>>>(rgb_, luma_, pixels);
    const auto preview = pending.get();
    if (preview) {
      preview_ = preview.value;
      const Geometry half = geometry_.half();
      const int half_pixels = static_cast<int>(half.pixels());
      make_preview<<<(half_pixels + 255) / 256, 256, 0, stream_>>>(luma_, geometry_.width, preview_, half.width,
                                                                   half_pixels);
    }
    const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
    if (!preview || ended != cudaSuccess) {
      if (graph) cudaGraphDestroy(graph);
      return failed("recording", preview ? ended : preview.error);
    }
    const cudaError_t made = cudaGraphInstantiate(&exec_, graph, 0);
    cudaGraphDestroy(graph);
    return made == cudaSuccess || failed("instantiate", made);
  }

  bool process(const std::vector<uint8_t>& frame) {
    std::vector<uint8_t> preview(geometry_.half().pixels());
    cudaError_t e = cudaMemcpyAsync(rgb_, frame.data(), frame.size(), cudaMemcpyHostToDevice, stream_);
    if (e == cudaSuccess) e = cudaGraphLaunch(exec_, stream_);
    if (e == cudaSuccess) e = cudaMemcpyAsync(preview.data(), preview_, preview.size(), cudaMemcpyDeviceToHost, stream_);
    if (e == cudaSuccess) e = cudaStreamSynchronize(stream_);
    if (e != cudaSuccess) return failed("frame", e);
    on_frame_(frames_++, preview);
    return true;
  }

  const Geometry& geometry() const { return geometry_; }

 private:
  bool failed(const char* what, cudaError_t e) const {
    std::fprintf(stderr, "[%s] %s: %s\n", name_.c_str(), what, cudaGetErrorString(e));
    return false;
  }

  std::string name_;
  Geometry geometry_;
  FrameCallback on_frame_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  uint8_t* rgb_ = nullptr;
  uint8_t* luma_ = nullptr;
  uint8_t* preview_ = nullptr;
  int frames_ = 0;
};

}  // namespace media

static std::vector<uint8_t> test_frame(const media::Geometry& g, int seed) {
  std::vector<uint8_t> rgb(g.pixels() * 3);
  for (size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<uint8_t>((i * 7 + seed * 31) % 251);
  return rgb;
}

static std::vector<uint8_t> expected_preview(const media::Geometry& g, const std::vector<uint8_t>& rgb) {
  auto luma = [&](int x, int y) {
    const uint8_t* p = rgb.data() + 3 * (size_t(y) * g.width + x);
    return (p[0] + 2 * p[1] + p[2]) / 4;
  };
  std::vector<uint8_t> out;
  for (int y = 0; y < g.height; y += 2)
    for (int x = 0; x < g.width; x += 2)
      out.push_back(static_cast<uint8_t>((luma(x, y) + luma(x + 1, y) + luma(x, y + 1) + luma(x + 1, y + 1)) / 4));
  return out;
}

int main() {
  using namespace media;
  const std::vector<std::pair<std::string, Geometry>> wanted{{"lobby", {320, 180}}, {"stage", {160, 120}}};
  constexpr int kFrames = 4;
  bool good = true;
  int delivered = 0;
  std::vector<std::unique_ptr<Session>> sessions;
  for (const auto& [name, geometry] : wanted) {
    const Geometry g = geometry;
    auto on_frame = [&good, &delivered, g](int frame, const std::vector<uint8_t>& preview) {
      ++delivered;
      good = good && preview == expected_preview(g, test_frame(g, frame));
    };
    sessions.push_back(std::make_unique<Session>(name, g, on_frame));
    good = sessions.back()->build() && good;
  }
  for (int frame = 0; good && frame < kFrames; ++frame)
    for (auto& session : sessions) good = session->process(test_frame(session->geometry(), frame)) && good;
  good = good && delivered == kFrames * static_cast<int>(wanted.size());
  sessions.clear();
  std::puts(good ? "LABEL UNOBSERVED" : "LABEL CONFIRMED");
  return 0;
}
