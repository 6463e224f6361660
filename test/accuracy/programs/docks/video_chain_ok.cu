// Video effect host: frames are uploaded into pool surfaces that are sized for the largest format
// the session may switch to; the enabled effects run as a recorded pass.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace vfx {

#define VFX_CHECK(x) ::vfx::Check((x), __LINE__)
void Check(cudaError_t e, int line) {
  if (e == cudaSuccess) return;
  std::printf("line %d: %s\nLABEL WRONG\n", line, cudaGetErrorString(e));
  std::exit(1);
}

struct Format {
  int width = 0;
  int height = 0;
  bool operator==(const Format& o) const { return width == o.width && height == o.height; }
  bool operator!=(const Format& o) const { return !(*this == o); }
  bool operator<(const Format& o) const {
    return width != o.width ? width < o.width : height < o.height;
  }
};

constexpr Format kMaxFormat{256, 144};

struct FrameView {
  float* data;
  int stride;
  Format format;
};

class Surface {
 public:
  Surface() {
    VFX_CHECK(cudaMallocPitch(&data_, &pitch_, kMaxFormat.width * sizeof(float), kMaxFormat.height));
    VFX_CHECK(cudaMemset2D(data_, pitch_, 0, kMaxFormat.width * sizeof(float), kMaxFormat.height));
  }
  ~Surface() { cudaFree(data_); }
  Surface(const Surface&) = delete;
  FrameView view(Format f) const { return {data_, int(pitch_ / sizeof(float)), f}; }
  float* data() const { return data_; }
  size_t pitch() const { return pitch_; }

 private:
  float* data_ = nullptr;
  size_t pitch_ = 0;
};

struct Knobs {
  float exposure = 1.0f;
  float mix = 0.5f;
};

__global__ void ExposureKernel(FrameView in, FrameView out, const Knobs* k) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= in.format.width || y >= in.format.height) return;
  out.data[y * out.stride + x] = in.data[y * in.stride + x] * k->exposure;
}

__global__ void SoftenKernel(FrameView in, FrameView out, const Knobs* k) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= in.format.width || y >= in.format.height) return;
  float acc = 0.0f;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      int sx = min(max(x + dx, 0), in.format.width - 1);
      int sy = min(max(y + dy, 0), in.format.height - 1);
      acc += in.data[sy * in.stride + sx];
    }
  float c = in.data[y * in.stride + x];
  out.data[y * out.stride + x] = c + (acc / 9.0f - c) * k->mix;
}

class IEffect {
 public:
  virtual ~IEffect() = default;
  virtual void Render(FrameView in, FrameView out, const Knobs* k, cudaStream_t s) = 0;

 protected:
  static dim3 Block() { return dim3(16, 8); }
  static dim3 GridFor(Format f) { return dim3((f.width + 15) / 16, (f.height + 7) / 8); }
};

class Exposure : public IEffect {
  void Render(FrameView in, FrameView out, const Knobs* k, cudaStream_t s) override {
    ExposureKernel<<<GridFor(in.format), Block(), 0, s>>>(in, out, k);
  }
};

class Soften : public IEffect {
  void Render(FrameView in, FrameView out, const Knobs* k, cudaStream_t s) override {
    SoftenKernel<<<GridFor(in.format), Block(), 0, s>>>(in, out, k);
  }
};

class EffectChain {
 public:
  void Insert(const std::string& id, std::unique_ptr<IEffect> fx) {
    slots_.push_back({id, std::move(fx), true});
    ++revision_;
  }
  void Enable(const std::string& id, bool on) {
    for (auto& slot : slots_)
      if (slot.id == id && slot.enabled != on) {
        slot.enabled = on;
        ++revision_;
      }
  }
  int revision() const { return revision_; }
  template <class F>
  void ForEach(F f) const {
    for (auto& slot : slots_)
      if (slot.enabled) f(*slot.fx);
  }

 private:
  struct Slot {
    std::string id;
    std::unique_ptr<IEffect> fx;
    bool enabled;
  };
  std::vector<Slot> slots_;
  int revision_ = 0;
};

class Session {
 public:
  explicit Session(Format f) : format_(f) {
    VFX_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    VFX_CHECK(cudaMalloc(&knobs_, sizeof(Knobs)));
    VFX_CHECK(cudaDeviceSynchronize());
  }
  ~Session() {
    for (auto& pass : passes_) cudaGraphExecDestroy(pass.second);
    cudaFree(knobs_);
    cudaStreamDestroy(stream_);
  }
  EffectChain& chain() { return chain_; }
  Format format() const { return format_; }
  void SetFormat(Format f) { format_ = f; }

  std::vector<float> Process(const std::vector<float>& frame, const Knobs& knobs) {
    const size_t row = format_.width * sizeof(float);
    std::vector<float> result(frame.size());
    VFX_CHECK(cudaMemcpyAsync(knobs_, &knobs, sizeof knobs, cudaMemcpyHostToDevice, stream_));
    VFX_CHECK(cudaMemcpy2DAsync(input_.data(), input_.pitch(), frame.data(), row, row, format_.height,
                                cudaMemcpyHostToDevice, stream_));
    VFX_CHECK(cudaGraphLaunch(Pass(), stream_));
    VFX_CHECK(cudaMemcpy2DAsync(result.data(), row, output_.data(), output_.pitch(), row,
                                format_.height, cudaMemcpyDeviceToHost, stream_));
    VFX_CHECK(cudaStreamSynchronize(stream_));
    return result;
  }

 private:
  using PassKey = std::pair<int, Format>;
  static constexpr size_t kMaxPasses = 3;

  cudaGraphExec_t Pass() {
    const PassKey key{chain_.revision(), format_};
    auto found = passes_.find(key);
    if (found != passes_.end()) return found->second;
    if (passes_.size() >= kMaxPasses) {
      VFX_CHECK(cudaStreamSynchronize(stream_));
      VFX_CHECK(cudaGraphExecDestroy(passes_.begin()->second));
      passes_.erase(passes_.begin());
    }
    return passes_[key] = Record();
  }

  cudaGraphExec_t Record() {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    VFX_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    FrameView src = input_.view(format_);
    int turn = 0;
    chain_.ForEach([&](IEffect& fx) {
      FrameView dst = temp_[turn].view(format_);
      fx.Render(src, dst, knobs_, stream_);
      src = dst;
      turn ^= 1;
    });
    VFX_CHECK(cudaMemcpy2DAsync(output_.data(), output_.pitch(), src.data, src.stride * sizeof(float),
                                format_.width * sizeof(float), format_.height,
                                cudaMemcpyDeviceToDevice, stream_));
    VFX_CHECK(cudaStreamEndCapture(stream_, &graph));
    VFX_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    VFX_CHECK(cudaGraphDestroy(graph));
    return exec;
  }

  Format format_;
  EffectChain chain_;
  Surface input_, output_, temp_[2];
  Knobs* knobs_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::map<PassKey, cudaGraphExec_t> passes_;
};

}  // namespace vfx

using vfx::Format;
using vfx::Knobs;

static std::vector<float> TestFrame(Format f, int n) {
  std::vector<float> px(f.width * f.height);
  for (int y = 0; y < f.height; ++y)
    for (int x = 0; x < f.width; ++x) px[y * f.width + x] = 0.1f + ((x * 7 + y * 13 + n * 29) % 101) / 101.0f;
  return px;
}

static std::vector<float> Expected(Format f, std::vector<float> px, const Knobs& k, bool soften) {
  for (float& p : px) p *= k.exposure;
  if (!soften) return px;
  std::vector<float> out(px.size());
  for (int y = 0; y < f.height; ++y)
    for (int x = 0; x < f.width; ++x) {
      float acc = 0.0f, c = px[y * f.width + x];
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          int sx = std::min(std::max(x + dx, 0), f.width - 1), sy = std::min(std::max(y + dy, 0), f.height - 1);
          acc += px[sy * f.width + sx];
        }
      out[y * f.width + x] = c + (acc / 9.0f - c) * k.mix;
    }
  return out;
}

int main() {
  const Format preview{128, 72}, full{256, 144};
  vfx::Session session(preview);
  session.chain().Insert("exposure", std::make_unique<vfx::Exposure>());
  session.chain().Insert("soften", std::make_unique<vfx::Soften>());

  int n = 0;
  auto frames = [&](int count, bool soften) {
    bool ok = true;
    for (int i = 0; i < count; ++i, ++n) {
      Knobs k{0.5f + 0.1f * n, 0.2f + 0.05f * (n % 8)};
      auto px = TestFrame(session.format(), n);
      auto got = session.Process(px, k), want = Expected(session.format(), px, k, soften);
      for (size_t j = 0; j < want.size(); ++j) ok = ok && std::fabs(got[j] - want[j]) < 1e-4f;
    }
    return ok;
  };

  bool a = frames(3, true);
  session.chain().Enable("soften", false);
  bool b = frames(2, false);
  session.chain().Enable("soften", true);
  bool c = frames(2, true);
  session.SetFormat(full);
  bool d = frames(3, true);
  session.SetFormat(preview);
  bool e = frames(2, true);
  std::printf("preview %d bypass %d again %d full %d back %d\n", a, b, c, d, e);
  std::puts(a && b && c && d && e ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
}
