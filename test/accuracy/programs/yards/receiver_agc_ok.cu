// Block-based receiver: windowing, gain control, decimation. One recorded block is replayed per ADC buffer.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

namespace rx {

inline void ok(cudaError_t e, const char* file, int line) {
  if (e == cudaSuccess) return;
  std::printf("%s:%d: %s\nLABEL WRONG\n", file, line, cudaGetErrorString(e));
  std::exit(EXIT_FAILURE);
}
#define RX_OK(x) ::rx::ok((x), __FILE__, __LINE__)

constexpr int kBlock = 1024;
constexpr int kDecim = 4;

struct AgcConfig {
  float high, low;
};

__host__ __device__ inline float windowAt(int i) { return 0.5f + 0.5f * float(i % 64) / 64.f; }

__global__ void window_kernel(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= windowAt(i);
}

// Gain in 6 dB steps, decided from the peak of the previous block.
__global__ void agc_kernel(const unsigned* peakBits, float* gain, AgcConfig cfg) {
  const float peak = __uint_as_float(*peakBits);
  if (peak > cfg.high) *gain *= 0.5f;
  else if (peak < cfg.low) *gain *= 2.0f;
}

__global__ void gain_kernel(float* x, int n, const float* gain) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= *gain;
}

__global__ void peak_kernel(const float* x, int n, unsigned* peakBits) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(peakBits, __float_as_uint(fabsf(x[i])));
}

__global__ void decimate_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0.f;
  for (int k = 0; k < kDecim; ++k) s += x[i * kDecim + k];
  y[i] = s / kDecim;
}

inline int blocks(int n) { return (n + 127) / 128; }

inline void applyWindow(float* x, int n, cudaStream_t stream) {
  window_kernel<<<blocks(n), 128, 0, stream>>>(x, n);
  RX_OK(cudaGetLastError());
}

inline void applyGain(float* x, int n, const float* gain, cudaStream_t stream) {
  gain_kernel<<<blocks(n), 128, 0, stream>>>(x, n, gain);
  RX_OK(cudaGetLastError());
}

// Gain control whose state stays on the device.
class GainControl {
 public:
  explicit GainControl(AgcConfig cfg) : cfg_(cfg) {
    const float unity = 1.0f;
    RX_OK(cudaMalloc(&gain_, sizeof(float)));
    RX_OK(cudaMemcpy(gain_, &unity, sizeof(float), cudaMemcpyHostToDevice));
  }
  GainControl(const GainControl&) = delete;
  ~GainControl() { cudaFree(gain_); }
  const float* next(const unsigned* peakBits, cudaStream_t stream) {
    agc_kernel<<<1, 1, 0, stream>>>(peakBits, gain_, cfg_);
    RX_OK(cudaGetLastError());
    return gain_;
  }

 private:
  AgcConfig cfg_;
  float* gain_ = nullptr;
};

class Receiver {
 public:
  Receiver(std::optional<AgcConfig> agc, bool windowed) : windowed_(windowed) {
    if (agc) agc_.emplace(*agc);
    RX_OK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    RX_OK(cudaMallocHost(&adc_, kBlock * sizeof(float)));
    RX_OK(cudaMallocHost(&baseband_, kBlock / kDecim * sizeof(float)));
    RX_OK(cudaMallocHost(&peak_, sizeof(float)));
    RX_OK(cudaMalloc(&x_, kBlock * sizeof(float)));
    RX_OK(cudaMalloc(&y_, kBlock / kDecim * sizeof(float)));
    RX_OK(cudaMalloc(&peakBits_, sizeof(unsigned)));
    RX_OK(cudaMemset(x_, 0, kBlock * sizeof(float)));
    *peak_ = 1.0f;
    RX_OK(cudaMemcpy(peakBits_, peak_, sizeof(float), cudaMemcpyHostToDevice));
    RX_OK(cudaDeviceSynchronize());
  }
  Receiver(const Receiver&) = delete;
  ~Receiver() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(x_);
    cudaFree(y_);
    cudaFree(peakBits_);
    cudaFreeHost(adc_);
    cudaFreeHost(baseband_);
    cudaFreeHost(peak_);
    cudaStreamDestroy(stream_);
  }

  float lastPeak() const { return *peak_; }

  std::vector<float> process(const std::vector<float>& samples) {
    std::copy(samples.begin(), samples.end(), adc_);
    if (!exec_) record();
    RX_OK(cudaGraphLaunch(exec_, stream_));
    RX_OK(cudaStreamSynchronize(stream_));
    return {baseband_, baseband_ + kBlock / kDecim};
  }

 private:
  void enqueueBlock() {
    RX_OK(cudaMemcpyAsync(x_, adc_, kBlock * sizeof(float), cudaMemcpyHostToDevice, stream_));
    if (windowed_) applyWindow(x_, kBlock, stream_);
    if (agc_) {
      const float* gain = agc_->next(peakBits_, stream_);
      applyGain(x_, kBlock, gain, stream_);
    }
    RX_OK(cudaMemsetAsync(peakBits_, 0, sizeof(unsigned), stream_));
    peak_kernel<<<blocks(kBlock), 128, 0, stream_>>>(x_, kBlock, peakBits_);
    RX_OK(cudaGetLastError());
    RX_OK(cudaMemcpyAsync(peak_, peakBits_, sizeof(float), cudaMemcpyDeviceToHost, stream_));
    decimate_kernel<<<blocks(kBlock / kDecim), 128, 0, stream_>>>(x_, y_, kBlock / kDecim);
    RX_OK(cudaGetLastError());
    RX_OK(cudaMemcpyAsync(baseband_, y_, kBlock / kDecim * sizeof(float), cudaMemcpyDeviceToHost, stream_));
  }

  void record() {
    cudaGraph_t graph = nullptr;
    RX_OK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    enqueueBlock();
    RX_OK(cudaStreamEndCapture(stream_, &graph));
    RX_OK(cudaGraphInstantiate(&exec_, graph, 0));
    RX_OK(cudaGraphDestroy(graph));
    RX_OK(cudaGraphUpload(exec_, stream_));
    RX_OK(cudaDeviceSynchronize());
  }

  std::optional<GainControl> agc_;
  bool windowed_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *adc_ = nullptr, *baseband_ = nullptr, *peak_ = nullptr;
  float *x_ = nullptr, *y_ = nullptr;
  unsigned* peakBits_ = nullptr;
};

class ReceiverBuilder {
 public:
  ReceiverBuilder& withAgc(AgcConfig cfg) { agc_ = cfg; return *this; }
  ReceiverBuilder& withWindow() { window_ = true; return *this; }
  Receiver build() const { return Receiver(agc_, window_); }

 private:
  std::optional<AgcConfig> agc_;
  bool window_ = false;
};

}  // namespace rx

struct Model {
  bool window, agc;
  rx::AgcConfig cfg;
  float gain = 1.f, peak = 1.f;

  std::vector<float> run(const std::vector<float>& in) {
    if (agc) {
      if (peak > cfg.high) gain *= 0.5f;
      else if (peak < cfg.low) gain *= 2.f;
    }
    std::vector<float> out(in.size() / rx::kDecim, 0.f);
    peak = 0.f;
    for (size_t i = 0; i < in.size(); ++i) {
      float v = in[i] * (window ? rx::windowAt(int(i)) : 1.f) * gain;
      peak = std::max(peak, std::fabs(v));
      out[i / rx::kDecim] += v / rx::kDecim;
    }
    return out;
  }
};

static bool same(const std::vector<float>& a, const std::vector<float>& b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (std::fabs(a[i] - b[i]) > 1e-3f) return false;
  return true;
}

int main() {
  const rx::AgcConfig cfg{2.0f, 0.6f};
  rx::Receiver receiver = rx::ReceiverBuilder().withAgc(cfg).withWindow().build();
  Model right{true, true, cfg}, noWindow{false, true, cfg}, noAgc{true, false, cfg}, neither{false, false, cfg};
  const float amplitude[] = {1.f, 5.f, 5.f, 5.f, 0.5f, 0.5f};
  bool isRight = true, isNoWindow = true, isNoAgc = true, isNeither = true;
  for (float a : amplitude) {
    std::vector<float> block(rx::kBlock);
    for (int i = 0; i < rx::kBlock; ++i) block[i] = a * float((i * 37) % 101 - 50) / 50.f;
    const auto got = receiver.process(block);
    isRight = same(got, right.run(block)) && std::fabs(receiver.lastPeak() - right.peak) < 1e-4f && isRight;
    isNoWindow = same(got, noWindow.run(block)) && isNoWindow;
    isNoAgc = same(got, noAgc.run(block)) && isNoAgc;
    isNeither = same(got, neither.run(block)) && isNeither;
  }
  std::printf("right=%d noWindow=%d noAgc=%d neither=%d\n", isRight, isNoWindow, isNoAgc, isNeither);
  std::puts(isRight && !isNoWindow && !isNoAgc && !isNeither ? "LABEL CONFIRMED" : "LABEL WRONG");
  return 0;
}
