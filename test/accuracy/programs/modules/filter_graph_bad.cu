// filter_graph: video filters created by name from a registry and run in order on each frame.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#define VF_CHECK(call)                                                                        \
  do {                                                                                        \
    cudaError_t vf_e = (call);                                                                \
    if (vf_e != cudaSuccess) {                                                                \
      std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(vf_e));       \
      std::puts("LABEL UNOBSERVED");                                                          \
      std::exit(1);                                                                           \
    }                                                                                         \
  } while (0)

constexpr int kWidth = 192, kHeight = 108, kPixels = kWidth * kHeight;
constexpr int kLogoSide = 24, kLogoValue = 900;

struct FrameView {
  int* luma;
};

class Filter {
 public:
  virtual ~Filter() = default;
  virtual const char* name() const = 0;
  virtual void process(FrameView frame, cudaStream_t stream) = 0;
};

class FilterRegistry {
 public:
  using Factory = std::function<std::unique_ptr<Filter>()>;
  static FilterRegistry& instance() {
    static FilterRegistry r;
    return r;
  }
  bool add(const std::string& name, Factory f) { return factories_.emplace(name, std::move(f)).second; }
  std::unique_ptr<Filter> create(const std::string& name) const { return factories_.at(name)(); }

 private:
  std::map<std::string, Factory> factories_;
};

// ---- brightness -----------------------------------------------------------------------------
__global__ void liftKernel(int* luma, int lift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kPixels) luma[i] += lift;
}

class BrightnessFilter final : public Filter {
 public:
  const char* name() const override { return "brightness"; }
  void process(FrameView frame, cudaStream_t stream) override {
    liftKernel<<<(kPixels + 127) / 128, 128, 0, stream>>>(frame.luma, lift_);
  }

 private:
  int lift_ = 12;
};

// ---- temporal denoise -----------------------------------------------------------------------
__global__ void blendKernel(int* luma, const int* previous, int* keep) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kPixels) return;
  keep[i] = (luma[i] + previous[i]) / 2;
  luma[i] = keep[i];
}

class DenoiseFilter final : public Filter {
 public:
  DenoiseFilter() {
    for (int*& h : history_) {
      VF_CHECK(cudaMalloc(&h, kPixels * sizeof(int)));
      VF_CHECK(cudaMemset(h, 0, kPixels * sizeof(int)));
    }
    VF_CHECK(cudaDeviceSynchronize());
  }
  ~DenoiseFilter() override {
    for (int* h : history_) VF_CHECK(cudaFree(h));
  }
  const char* name() const override { return "denoise"; }
  void process(FrameView frame, cudaStream_t stream) override {
    blendKernel<<<(kPixels + 127) / 128, 128, 0, stream>>>(frame.luma, history_[current_], history_[current_ ^ 1]);  // HAZARD host_logic #history
    current_ ^= 1;  // HAZARD host_logic #history
  }

 private:
  int* history_[2] = {nullptr, nullptr};
  int current_ = 0;
};

// ---- station logo ---------------------------------------------------------------------------
__global__ void logoKernel(int* luma) {
  luma[(kHeight - kLogoSide + blockIdx.x) * kWidth + threadIdx.x] = kLogoValue;
}

class LogoFilter final : public Filter {
 public:
  LogoFilter() {
    VF_CHECK(cudaStreamCreateWithFlags(&overlay_, cudaStreamNonBlocking));
  }
  ~LogoFilter() override {
    VF_CHECK(cudaStreamDestroy(overlay_));
  }
  const char* name() const override { return "logo"; }
  void process(FrameView frame, cudaStream_t) override {
    logoKernel<<<kLogoSide, kLogoSide, 0, overlay_>>>(frame.luma);  // HAZARD escape
  }

 private:
  cudaStream_t overlay_ = nullptr;
};

static const bool kRegistered =
    FilterRegistry::instance().add("brightness", [] { return std::make_unique<BrightnessFilter>(); }) &&
    FilterRegistry::instance().add("denoise", [] { return std::make_unique<DenoiseFilter>(); }) &&
    FilterRegistry::instance().add("logo", [] { return std::make_unique<LogoFilter>(); });

class Pipeline {
 public:
  explicit Pipeline(const std::vector<std::string>& names) {
    for (const auto& n : names) filters_.push_back(FilterRegistry::instance().create(n));
    VF_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    VF_CHECK(cudaMalloc(&luma_, kPixels * sizeof(int)));
    exec_ = record();
  }
  ~Pipeline() {
    VF_CHECK(cudaGraphExecDestroy(exec_));
    VF_CHECK(cudaFree(luma_));
    VF_CHECK(cudaStreamDestroy(stream_));
  }
  std::vector<int> run(const std::vector<int>& in) {
    std::vector<int> out(kPixels);
    VF_CHECK(cudaMemcpyAsync(luma_, in.data(), kPixels * sizeof(int), cudaMemcpyHostToDevice, stream_));
    VF_CHECK(cudaGraphLaunch(exec_, stream_));
    VF_CHECK(cudaMemcpyAsync(out.data(), luma_, kPixels * sizeof(int), cudaMemcpyDeviceToHost, stream_));
    VF_CHECK(cudaStreamSynchronize(stream_));
    return out;
  }

 private:
  cudaGraphExec_t record() {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    VF_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    for (auto& f : filters_) f->process(FrameView{luma_}, stream_);
    VF_CHECK(cudaStreamEndCapture(stream_, &graph));
    VF_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    VF_CHECK(cudaGraphDestroy(graph));
    return exec;
  }

  std::vector<std::unique_ptr<Filter>> filters_;
  cudaStream_t stream_ = nullptr;
  int* luma_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

int main() {
  if (!kRegistered) return 1;
  int wrong = 0;
  {
    Pipeline pipe({"brightness", "denoise", "logo"});
    std::vector<int> in(kPixels), keep(kPixels, 0);
    for (int frame = 0; frame < 6; ++frame) {
      for (int i = 0; i < kPixels; ++i) in[i] = (i * 13 + frame * 101) % 256;
      const std::vector<int> out = pipe.run(in);
      for (int i = 0; i < kPixels; ++i) {
        keep[i] = (in[i] + 12 + keep[i]) / 2;
        const bool logo = i / kWidth >= kHeight - kLogoSide && i % kWidth < kLogoSide;
        wrong += out[i] != (logo ? kLogoValue : keep[i]);
      }
    }
  }
  std::printf("wrong pixels: %d\n", wrong);
  std::puts(wrong > 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
