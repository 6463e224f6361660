// Software radio front end: mix a real sample stream with a repeating local oscillator, keep a ring of
// mixed blocks on the device and run a FIR channel filter whose history crosses block borders.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

namespace sdr {

constexpr int kBlock = 256;
constexpr int kSlots = 4;
constexpr int kRing = kBlock * kSlots;
constexpr int kTaps = 31;
constexpr int kLoPeriod = 7;

__constant__ float cTaps[kTaps];
__constant__ float cLo[kLoPeriod];

struct LoState {
  int phase;
};

__global__ void mixInto(const float* in, float* ringSlot, const LoState* lo) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < kBlock) ringSlot[i] = in[i] * cLo[(lo->phase + i) % kLoPeriod];
}
__global__ void channelFir(const float* ring, int base, float* out) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= kBlock) return;
  float acc = 0.0f;
  for (int t = 0; t < kTaps; ++t) acc += cTaps[t] * ring[(base + i - t + kRing) % kRing];
  out[i] = acc;
}
__global__ void advanceLo(LoState* lo) { lo->phase = (lo->phase + kBlock) % kLoPeriod; }

class Errors {
 public:
  bool operator<<(cudaError_t e) {
    if (e != cudaSuccess) {
      std::printf("sdr: %s\n", cudaGetErrorString(e));
      ++count_;
    }
    return e == cudaSuccess;
  }
  int count() const { return count_; }

 private:
  int count_ = 0;
};

// Write position of the sample ring, in whole blocks.
class RingCursor {
 public:
  int slot() const { return slot_; }
  int base() const { return slot_ * kBlock; }
  void advance() { slot_ = (slot_ + 1) % kSlots; }

 private:
  int slot_ = 0;
};

class ToneTracker {
 public:
  explicit ToneTracker(Errors& err) : err_(err) {
    err_ << cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    err_ << cudaMallocHost(&hostIn_, kBlock * sizeof(float));
    err_ << cudaMallocHost(&hostOut_, kBlock * sizeof(float));
    err_ << cudaMalloc(&in_, kBlock * sizeof(float));
    err_ << cudaMalloc(&out_, kBlock * sizeof(float));
    err_ << cudaMalloc(&ring_, kRing * sizeof(float));
    err_ << cudaMalloc(&lo_, sizeof(LoState));
    err_ << cudaMemsetAsync(ring_, 0, kRing * sizeof(float), stream_);
    err_ << cudaMemsetAsync(lo_, 0, sizeof(LoState), stream_);
    err_ << cudaStreamSynchronize(stream_);
  }
  ~ToneTracker() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaStreamDestroy(stream_);
    cudaFreeHost(hostIn_);
    cudaFreeHost(hostOut_);
    cudaFree(in_);
    cudaFree(out_);
    cudaFree(ring_);
    cudaFree(lo_);
  }

  void prepare() {
    exec_ = record([this] { processBlock(); });
  }

  const float* feed(const float* samples) {
    std::memcpy(hostIn_, samples, kBlock * sizeof(float));
    err_ << cudaGraphLaunch(exec_, stream_);
    err_ << cudaStreamSynchronize(stream_);
    return hostOut_;
  }

 private:
  cudaGraphExec_t record(const std::function<void()>& body) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    if (!(err_ << cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal))) return nullptr;
    body();
    if (err_ << cudaStreamEndCapture(stream_, &graph)) {
      err_ << cudaGraphInstantiate(&exec, graph, 0);
      err_ << cudaGraphDestroy(graph);
    }
    return exec;
  }

  void processBlock() {
    err_ << cudaMemcpyAsync(in_, hostIn_, kBlock * sizeof(float), cudaMemcpyHostToDevice, stream_);
    mixInto<<<kBlock / 64, 64, 0, stream_>>>(in_, ring_ + cursor_.base(), lo_);  // HAZARD host_logic #cursor
    channelFir<<<kBlock / 64, 64, 0, stream_>>>(ring_, cursor_.base(), out_);  // HAZARD host_logic #cursor
    advanceLo<<<1, 1, 0, stream_>>>(lo_);
    err_ << cudaMemcpyAsync(hostOut_, out_, kBlock * sizeof(float), cudaMemcpyDeviceToHost, stream_);
    cursor_.advance();  // HAZARD host_logic #cursor
  }

  Errors& err_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  RingCursor cursor_;
  float *hostIn_ = nullptr, *hostOut_ = nullptr;
  float *in_ = nullptr, *out_ = nullptr, *ring_ = nullptr;
  LoState* lo_ = nullptr;
};

}  // namespace sdr

int main() {
  using namespace sdr;
  Errors err;
  float taps[kTaps], lo[kLoPeriod];
  for (int t = 0; t < kTaps; ++t) taps[t] = 1.0f / kTaps + 0.01f * t;
  for (int p = 0; p < kLoPeriod; ++p) lo[p] = std::cos(6.2831853f * 2 * p / kLoPeriod);
  err << cudaMemcpyToSymbol(cTaps, taps, sizeof(taps));
  err << cudaMemcpyToSymbol(cLo, lo, sizeof(lo));
  err << cudaDeviceSynchronize();

  const int blocks = 12;
  std::vector<float> signal(blocks * kBlock), mixed(blocks * kBlock);
  for (size_t n = 0; n < signal.size(); ++n) {
    signal[n] = std::sin(0.05f * n) + 0.3f * float(n / 100 % 3);
    mixed[n] = signal[n] * lo[n % kLoPeriod];
  }

  int wrong = 0;
  {
    ToneTracker tracker(err);
    tracker.prepare();
    for (int b = 0; b < blocks && err.count() == 0; ++b) {
      const float* got = tracker.feed(&signal[b * kBlock]);
      for (int i = 0; i < kBlock; ++i) {
        const int n = b * kBlock + i;
        double ref = 0.0;
        for (int t = 0; t < kTaps && t <= n; ++t) ref += double(taps[t]) * mixed[n - t];
        if (std::fabs(got[i] - ref) > 1e-3) ++wrong;
      }
    }
  }
  std::printf("%d wrong samples, %d errors\n", wrong, err.count());
  std::puts(wrong && !err.count() ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
