// Camera front end: crop operators behind a plan cache.
#include <cuda_runtime.h>

#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace frontend {

void ensure(cudaError_t rc, const char* file, int line) {
  if (rc != cudaSuccess)
    throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + " " + cudaGetErrorString(rc));
}
#define ENSURE(rc) ::frontend::ensure((rc), __FILE__, __LINE__)

enum class PixelFormat { kMono32, kRgba8 };

struct Roi {
  int width;
  int height;
};

struct Surface {
  unsigned char* base = nullptr;
  size_t pitch = 0;
};

struct OpContext {
  Surface src, dst;
  PixelFormat format = PixelFormat::kMono32;
  Roi roi{8, 8};
  cudaStream_t stream = nullptr;
};

using OpFn = std::function<cudaError_t(const OpContext&)>;

constexpr int kMaxSide = 64;
constexpr size_t bytes_per_pixel(PixelFormat) { return 4; }

cudaError_t op_wipe(const OpContext& c) {
  return cudaMemset2DAsync(c.dst.base, c.dst.pitch, 0, c.roi.width * bytes_per_pixel(c.format), c.roi.height,  // HAZARD dynamic_shape
                           c.stream);
}

cudaError_t op_crop(const OpContext& c) {
  const size_t row = c.roi.width * bytes_per_pixel(c.format);
  return cudaMemcpy2DAsync(c.dst.base, c.dst.pitch, c.src.base, c.src.pitch, row, c.roi.height,  // HAZARD dynamic_shape
                           cudaMemcpyDeviceToDevice, c.stream);
}

const std::map<std::string, OpFn>& registry() {
  static const std::map<std::string, OpFn> ops{{"wipe", op_wipe}, {"crop", op_crop}};
  return ops;
}

class PlanCache {
 public:
  using Key = std::tuple<std::string, PixelFormat>;

  ~PlanCache() {
    for (auto& entry : plans_) cudaGraphExecDestroy(entry.second);
  }

  void run(const std::vector<std::string>& chain, const OpContext& c) {
    const Key key{join(chain), c.format};
    auto it = plans_.find(key);
    if (it == plans_.end()) it = plans_.emplace(key, build(chain, c)).first;
    ENSURE(cudaGraphLaunch(it->second, c.stream));
  }

  size_t size() const { return plans_.size(); }

 private:
  static std::string join(const std::vector<std::string>& chain) {
    std::string k;
    for (const auto& n : chain) k += n + "|";
    return k;
  }

  static cudaGraphExec_t build(const std::vector<std::string>& chain, const OpContext& c) {
    std::vector<const OpFn*> fns;
    for (const auto& n : chain) fns.push_back(&registry().at(n));

    cudaGraph_t graph = nullptr;
    ENSURE(cudaStreamBeginCapture(c.stream, cudaStreamCaptureModeThreadLocal));
    cudaError_t first = cudaSuccess;
    for (const OpFn* fn : fns) {
      const cudaError_t rc = (*fn)(c);
      if (first == cudaSuccess) first = rc;
    }
    const cudaError_t end = cudaStreamEndCapture(c.stream, &graph);
    if (first != cudaSuccess && graph) cudaGraphDestroy(graph);
    ENSURE(first);
    ENSURE(end);
    cudaGraphExec_t exec = nullptr;
    const cudaError_t inst = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    ENSURE(inst);
    return exec;
  }

  std::map<Key, cudaGraphExec_t> plans_;
};

class Camera {
 public:
  Camera() {
    ENSURE(cudaStreamCreateWithFlags(&ctx_.stream, cudaStreamNonBlocking));
    for (Surface* s : {&ctx_.src, &ctx_.dst})
      ENSURE(cudaMallocPitch(reinterpret_cast<void**>(&s->base), &s->pitch, kMaxSide * 4, kMaxSide));
    ENSURE(cudaMemset2D(ctx_.src.base, ctx_.src.pitch, 7, kMaxSide * 4, kMaxSide));
    ENSURE(cudaMemset2D(ctx_.dst.base, ctx_.dst.pitch, 0, kMaxSide * 4, kMaxSide));
    ENSURE(cudaDeviceSynchronize());
  }
  ~Camera() {
    cudaFree(ctx_.src.base);
    cudaFree(ctx_.dst.base);
    cudaStreamDestroy(ctx_.stream);
  }

  void set_roi(Roi r) {
    if (r.width > kMaxSide || r.height > kMaxSide) throw std::out_of_range("roi");
    ctx_.roi = r;
  }

  int corner() {
    plans_.run({"wipe", "crop"}, ctx_);
    unsigned char px = 0;
    const Roi r = ctx_.roi;
    ENSURE(cudaMemcpyAsync(&px, ctx_.dst.base + (r.height - 1) * ctx_.dst.pitch + r.width * 4 - 1, 1,
                           cudaMemcpyDeviceToHost, ctx_.stream));
    ENSURE(cudaStreamSynchronize(ctx_.stream));
    return px;
  }

 private:
  OpContext ctx_;
  PlanCache plans_;
};

}  // namespace frontend

int main() {
  frontend::Camera cam;
  bool right = true;
  for (frontend::Roi r : {frontend::Roi{8, 8}, {8, 8}, {24, 16}, {64, 64}}) {
    cam.set_roi(r);
    const int px = cam.corner();
    std::printf("%dx%d corner %d\n", r.width, r.height, px);
    right = right && px == 7;
  }
  std::puts(right ? "LABEL REFUTED" : "LABEL CONFIRMED");
}
