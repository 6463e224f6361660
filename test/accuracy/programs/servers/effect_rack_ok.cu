// Effect rack of an audio workstation: effects are plugins found by name in a registry, a rack prepares them and
// renders blocks. The offline renderer turns the whole rack into a graph on a stream of its own.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace rack {

inline void ensure(cudaError_t e, const std::string& where) {
  if (e != cudaSuccess) throw std::runtime_error(where + ": " + cudaGetErrorString(e));
}

constexpr int kBlock = 512;

struct Setup {
  cudaStream_t stream;  // for uploads and other preparations
  int frames;
};

class Effect {
 public:
  virtual ~Effect() = default;
  virtual void prepare(const Setup& s) { setup_ = s; }
  virtual cudaError_t process(float* audio, cudaStream_t stream) = 0;

 protected:
  Setup setup_{};
};

class Registry {
 public:
  using Factory = std::function<std::unique_ptr<Effect>()>;
  static Registry& get() {
    static Registry r;
    return r;
  }
  bool add(const std::string& name, Factory f) { return factories_.emplace(name, std::move(f)).second; }
  std::unique_ptr<Effect> make(const std::string& name) const { return factories_.at(name)(); }

 private:
  std::map<std::string, Factory> factories_;
};

__global__ void drive_kernel(float* x, int n, float amount) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * amount / (1.0f + fabsf(x[i]));
}

__global__ void table_kernel(float* x, const float* table, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= table[i];
}

__global__ void width_kernel(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 0.8f * x[i] + 0.1f;
}

class Drive : public Effect {
 public:
  cudaError_t process(float* audio, cudaStream_t stream) override {
    drive_kernel<<<(setup_.frames + 127) / 128, 128, 0, stream>>>(audio, setup_.frames, 1.5f);
    return cudaGetLastError();
  }
};

class Tremolo : public Effect {
 public:
  ~Tremolo() override { cudaFree(table_); }
  static float shape(int i) { return 0.6f + 0.4f * std::sin(0.05f * float(i)); }
  void prepare(const Setup& s) override {
    Effect::prepare(s);
    std::vector<float> t(s.frames);
    for (int i = 0; i < s.frames; ++i) t[i] = shape(i);
    ensure(cudaMalloc(&table_, t.size() * sizeof(float)), "tremolo table");
    ensure(cudaMemcpyAsync(table_, t.data(), t.size() * sizeof(float), cudaMemcpyHostToDevice, s.stream), "tremolo");
    ensure(cudaStreamSynchronize(s.stream), "tremolo");
  }
  cudaError_t process(float* audio, cudaStream_t stream) override {
    table_kernel<<<(setup_.frames + 127) / 128, 128, 0, stream>>>(audio, table_, setup_.frames);
    return cudaGetLastError();
  }

 private:
  float* table_ = nullptr;
};

class Width : public Effect {
 public:
  Width() {
    ensure(cudaEventCreateWithFlags(&in_, cudaEventDisableTiming), "event");
    ensure(cudaEventCreateWithFlags(&out_, cudaEventDisableTiming), "event");
  }
  ~Width() override {
    cudaEventDestroy(in_);
    cudaEventDestroy(out_);
  }
  // Works on the stream of the set-up, between two events that tie it to the stream of the caller.
  cudaError_t process(float* audio, cudaStream_t stream) override {
    cudaError_t e = cudaEventRecord(in_, stream);
    if (e == cudaSuccess) e = cudaStreamWaitEvent(setup_.stream, in_, 0);
    if (e != cudaSuccess) return e;
    width_kernel<<<(setup_.frames + 127) / 128, 128, 0, setup_.stream>>>(audio, setup_.frames);
    e = cudaEventRecord(out_, setup_.stream);
    if (e == cudaSuccess) e = cudaStreamWaitEvent(stream, out_, 0);
    return e == cudaSuccess ? cudaGetLastError() : e;
  }

 private:
  cudaEvent_t in_ = nullptr, out_ = nullptr;
};

static const bool registered = Registry::get().add("drive", [] { return std::make_unique<Drive>(); }) &&
                               Registry::get().add("tremolo", [] { return std::make_unique<Tremolo>(); }) &&
                               Registry::get().add("width", [] { return std::make_unique<Width>(); });

class OfflineRenderer {
 public:
  explicit OfflineRenderer(const std::vector<std::string>& chain) {
    ensure(cudaStreamCreateWithFlags(&setup_stream_, cudaStreamNonBlocking), "stream");
    ensure(cudaStreamCreateWithFlags(&render_stream_, cudaStreamNonBlocking), "stream");
    ensure(cudaMalloc(&audio_, kBlock * sizeof(float)), "audio");
    ensure(cudaMemsetAsync(audio_, 0, kBlock * sizeof(float), setup_stream_), "audio");
    ensure(cudaStreamSynchronize(setup_stream_), "audio");
    for (const std::string& name : chain) {
      effects_.push_back(Registry::get().make(name));
      effects_.back()->prepare(Setup{setup_stream_, kBlock});
    }
  }
  ~OfflineRenderer() {
    if (exec_) cudaGraphExecDestroy(exec_);
    effects_.clear();
    cudaFree(audio_);
    cudaStreamDestroy(render_stream_);
    cudaStreamDestroy(setup_stream_);
  }

  void freeze() {
    cudaGraph_t graph = nullptr;
    ensure(cudaStreamBeginCapture(render_stream_, cudaStreamCaptureModeThreadLocal), "begin");
    cudaError_t e = cudaSuccess;
    for (const auto& fx : effects_)
      if (e == cudaSuccess) e = fx->process(audio_, render_stream_);
    const cudaError_t closed = cudaStreamEndCapture(render_stream_, &graph);
    if (e == cudaSuccess) e = closed;
    if (e == cudaSuccess) e = cudaGraphInstantiate(&exec_, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    ensure(e, "freeze");
    ensure(cudaStreamSynchronize(setup_stream_), "set-up");
  }

  void render(std::vector<float>& block) {
    const size_t bytes = kBlock * sizeof(float);
    ensure(cudaMemcpyAsync(audio_, block.data(), bytes, cudaMemcpyHostToDevice, render_stream_), "in");
    ensure(cudaGraphLaunch(exec_, render_stream_), "launch");
    ensure(cudaMemcpyAsync(block.data(), audio_, bytes, cudaMemcpyDeviceToHost, render_stream_), "out");
    ensure(cudaStreamSynchronize(render_stream_), "block");
  }

 private:
  cudaStream_t setup_stream_ = nullptr, render_stream_ = nullptr;
  float* audio_ = nullptr;
  std::vector<std::unique_ptr<Effect>> effects_;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace rack

int main() {
  using namespace rack;
  try {
    OfflineRenderer renderer({"drive", "tremolo", "width"});
    renderer.freeze();
    int wrong = 0;
    for (int b = 0; b < 5; ++b) {
      std::vector<float> block(kBlock), want(kBlock);
      for (int i = 0; i < kBlock; ++i) {
        block[i] = std::sin(0.03f * float(i + b * kBlock)) * float(b + 1);
        want[i] = 0.8f * (block[i] * 1.5f / (1.0f + std::fabs(block[i])) * Tremolo::shape(i)) + 0.1f;
      }
      renderer.render(block);
      for (int i = 0; i < kBlock; ++i)
        if (std::fabs(block[i] - want[i]) > 1e-4f) {
          ++wrong;
          break;
        }
    }
    std::printf("%d of 5 blocks wrong\n", wrong);
    std::puts(wrong == 0 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  } catch (const std::exception& e) {
    std::printf("%s\nLABEL UNOBSERVED\n", e.what());
    return 1;
  }
  return 0;
}
