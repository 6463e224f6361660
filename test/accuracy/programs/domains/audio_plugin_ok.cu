#include <cuda_runtime.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

namespace dsp {

constexpr int kBlock = 512;

__global__ void gainKernel(const float* in, float* out, const float* gain) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kBlock) out[i] = in[i] * *gain;
}

__global__ void peakKernel(const float* in, float* peak) {
  float m = 0.0f;
  for (int i = 0; i < kBlock; ++i) m = fmaxf(m, fabsf(in[i]));
  *peak = m;
}

enum class Phase { Idle, Recording, Recorded, Running, Faulted };

class GainPlugin {
 public:
  GainPlugin() {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMalloc(&in_, kBlock * sizeof(float));
    cudaMalloc(&out_, kBlock * sizeof(float));
    cudaMalloc(&gain_, sizeof(float));
    setGain(1.0f);
  }
  ~GainPlugin() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(in_);
    cudaFree(out_);
    cudaFree(gain_);
    cudaStreamDestroy(stream_);
  }

  void setGain(float g) {
    cudaMemcpyAsync(gain_, &g, sizeof g, cudaMemcpyHostToDevice, stream_);
    cudaStreamSynchronize(stream_);
  }

  void tick() {
    switch (phase_.load()) {
      case Phase::Idle:
        last_ = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed);
        phase_ = last_ == cudaSuccess ? Phase::Recording : Phase::Faulted;
        break;
      case Phase::Recording:
        gainKernel<<<kBlock / 128, 128, 0, stream_>>>(in_, out_, gain_);
        phase_ = Phase::Recorded;
        break;
      case Phase::Recorded: {
        cudaGraph_t g = nullptr;
        last_ = cudaStreamEndCapture(stream_, &g);
        if (last_ == cudaSuccess) last_ = cudaGraphInstantiate(&exec_, g, 0);
        if (g) cudaGraphDestroy(g);
        phase_ = last_ == cudaSuccess ? Phase::Running : Phase::Faulted;
        break;
      }
      case Phase::Running:
        last_ = cudaGraphLaunch(exec_, stream_);
        if (last_ == cudaSuccess) last_ = cudaStreamSynchronize(stream_);
        break;
      case Phase::Faulted:
        break;
    }
  }

  void feed(float level) {
    std::vector<float> block(kBlock, level);
    cudaMemcpyAsync(in_, block.data(), kBlock * sizeof(float), cudaMemcpyHostToDevice, stream_);
    cudaStreamSynchronize(stream_);
  }
  float sample(int i) const {
    float v = 0.0f;
    cudaMemcpy(&v, out_ + i, sizeof v, cudaMemcpyDeviceToHost);
    return v;
  }
  Phase phase() const { return phase_; }
  cudaError_t last() const { return last_; }
  const float* output() const { return out_; }

 private:
  std::atomic<Phase> phase_{Phase::Idle};
  cudaError_t last_ = cudaSuccess;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *in_ = nullptr, *out_ = nullptr, *gain_ = nullptr;
};

class MeterBridge {
 public:
  explicit MeterBridge(const float* tap) : tap_(tap) {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMalloc(&peak_, sizeof(float));
    cudaHostAlloc(&hold_, sizeof(float), cudaHostAllocDefault);
  }
  ~MeterBridge() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(peak_);
    if (hold_) cudaFreeHost(hold_);
    cudaStreamDestroy(stream_);
  }
  cudaError_t arm() {
    cudaGraph_t g = nullptr;
    cudaError_t e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess) return e;
    peakKernel<<<1, 1, 0, stream_>>>(tap_, peak_);
    cudaMemcpyAsync(hold_, peak_, sizeof(float), cudaMemcpyDeviceToHost, stream_);
    e = cudaStreamEndCapture(stream_, &g);
    if (e == cudaSuccess) e = cudaGraphInstantiate(&exec_, g, 0);
    if (g) cudaGraphDestroy(g);
    return e;
  }
  cudaError_t read(float& peak) {
    cudaError_t e = cudaGraphLaunch(exec_, stream_);
    if (e == cudaSuccess) e = cudaStreamSynchronize(stream_);
    peak = *hold_;
    return e;
  }

 private:
  const float* tap_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *peak_ = nullptr, *hold_ = nullptr;
};

}  // namespace dsp

int main() {
  dsp::GainPlugin plugin;
  dsp::MeterBridge meter(plugin.output());
  const cudaError_t armed = meter.arm();
  (void)cudaGetLastError();
  plugin.tick();
  plugin.tick();
  std::thread audio([&] { plugin.tick(); });
  audio.join();
  bool ok = armed == cudaSuccess && plugin.phase() == dsp::Phase::Running;
  for (int k = 1; k <= 3 && ok; ++k) {
    plugin.feed(0.25f * k);
    plugin.setGain(2.0f);
    std::thread block([&] { plugin.tick(); });
    block.join();
    float peak = 0.0f;
    ok = plugin.last() == cudaSuccess && meter.read(peak) == cudaSuccess && peak == 0.5f * k && plugin.sample(7) == 0.5f * k;
  }
  if (ok) std::printf("LABEL CONFIRMED\n");
  else std::printf("LABEL REFUTED armed=%d phase=%d last=%d\n", armed, static_cast<int>(plugin.phase()), plugin.last());
  return 0;
}
