// Software radio back end: cascaded decimating filters whose power meter is read by the host after every block.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

namespace sdr {

class Error {
 public:
  explicit Error(cudaError_t e, const char* at) : code(e), where(at) {}
  cudaError_t code;
  const char* where;
};
static void expect(cudaError_t e, const char* at) {
  if (e != cudaSuccess) throw Error(e, at);
}

__global__ void decimate(const float* in, float* out, int outSamples) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < outSamples) out[i] = 0.5f * (in[2 * i] + in[2 * i + 1]);
}
__global__ void power(const float* in, float* meter, int n) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 32) sum += in[i] * in[i];
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x == 0) *meter = sum / float(n);
}

// A page-locked slot for values that come back to the host.
class HostSlot {
 public:
  HostSlot() { expect(cudaHostAlloc(reinterpret_cast<void**>(&value_), sizeof(float), cudaHostAllocDefault), "slot"); }
  HostSlot(const HostSlot&) = delete;
  HostSlot& operator=(const HostSlot&) = delete;
  ~HostSlot() { cudaFreeHost(value_); }
  float* get() const { return value_; }

 private:
  float* value_ = nullptr;
};

class Block {
 public:
  virtual ~Block() = default;
  virtual void prepare() {}
  virtual float* process(float* in, int& samples, cudaStream_t s) = 0;
};

class Decimator : public Block {
 public:
  explicit Decimator(int maxSamples) { expect(cudaMalloc(&out_, maxSamples / 2 * sizeof(float)), "decimator"); }
  ~Decimator() override { cudaFree(out_); }
  float* process(float* in, int& samples, cudaStream_t s) override {
    samples /= 2;
    decimate<<<(samples + 127) / 128, 128, 0, s>>>(in, out_, samples);
    return out_;
  }

 private:
  float* out_ = nullptr;
};

class PowerMeter : public Block {
 public:
  PowerMeter() { expect(cudaMalloc(&meter_, sizeof(float)), "meter"); }
  ~PowerMeter() override { cudaFree(meter_); }
  void prepare() override {
    if (!slot_) slot_.emplace();
  }
  float* process(float* in, int& samples, cudaStream_t s) override {
    power<<<1, 32, 0, s>>>(in, meter_, samples);
    expect(cudaMemcpyAsync(slot_->get(), meter_, sizeof(float), cudaMemcpyDeviceToHost, s), "meter copy");
    return in;
  }
  float reading() const { return *slot_->get(); }

 private:
  float* meter_ = nullptr;
  std::optional<HostSlot> slot_;
};

class Receiver {
 public:
  explicit Receiver(int samples) : samples_(samples) {
    expect(cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking), "stream");
    expect(cudaMalloc(&in_, samples * sizeof(float)), "input");
    chain_.push_back(std::make_unique<Decimator>(samples));
    chain_.push_back(std::make_unique<Decimator>(samples / 2));
    auto meter = std::make_unique<PowerMeter>();
    meter_ = meter.get();
    chain_.push_back(std::move(meter));
  }
  ~Receiver() {
    if (exec_) cudaGraphExecDestroy(exec_);
    chain_.clear();
    cudaFree(in_);
    cudaStreamDestroy(s_);
  }
  void start() {
    for (auto& b : chain_) b->prepare();
    expect(cudaStreamBeginCapture(s_, cudaStreamCaptureModeThreadLocal), "begin");
    cudaGraph_t g = nullptr;
    try {
      float* at = in_;
      int samples = samples_;
      for (auto& b : chain_) at = b->process(at, samples, s_);
    } catch (const Error&) {
      cudaStreamEndCapture(s_, &g);
      cudaGetLastError();
      throw;
    }
    expect(cudaStreamEndCapture(s_, &g), "end");
    expect(cudaGraphInstantiate(&exec_, g, 0), "instantiate");
    expect(cudaGraphDestroy(g), "graph");
  }
  float feed(const std::vector<float>& block) {
    expect(cudaMemcpyAsync(in_, block.data(), block.size() * sizeof(float), cudaMemcpyHostToDevice, s_), "feed");
    expect(cudaGraphLaunch(exec_, s_), "launch");
    expect(cudaStreamSynchronize(s_), "block");
    return meter_->reading();
  }

 private:
  int samples_;
  cudaStream_t s_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float* in_ = nullptr;
  std::vector<std::unique_ptr<Block>> chain_;
  PowerMeter* meter_ = nullptr;
};

}  // namespace sdr

int main() {
  bool ready = false, refused = false, right = false;
  try {
    sdr::Receiver rx(4096);
    ready = true;
    rx.start();
    right = true;
    for (int k = 1; k <= 3; ++k) {
      const std::vector<float> block(4096, float(k));
      right = right && std::fabs(rx.feed(block) - float(k * k)) < 1e-3f;
    }
  } catch (const sdr::Error& e) {
    std::fprintf(stderr, "%s: %s\n", e.where, cudaGetErrorName(e.code));
    refused = e.code == cudaErrorStreamCaptureUnsupported;
    right = false;
  }
  std::puts(ready && right && !refused ? "LABEL CONFIRMED" : "LABEL REFUTED");
  return 0;
}
