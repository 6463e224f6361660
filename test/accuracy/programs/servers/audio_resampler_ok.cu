// Integer-factor upsampler for an audio server. Windowed-sinc filters live in a bank that builds a filter when a
// factor is asked for the first time; every open voice owns a graph that renders one period.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <mutex>
#include <vector>

namespace audio {

constexpr int kPeriod = 256;
constexpr int kTapsPerPhase = 8;

struct Outcome {
  cudaError_t error = cudaSuccess;
  const char* step = "";
  bool good() const { return error == cudaSuccess; }
  Outcome& then(cudaError_t e, const char* s) {
    if (error == cudaSuccess && e != cudaSuccess) {
      error = e;
      step = s;
    }
    return *this;
  }
};

static std::vector<float> design(int factor) {
  std::vector<float> h(size_t(factor) * kTapsPerPhase);
  for (int p = 0; p < factor; ++p)
    for (int k = 0; k < kTapsPerPhase; ++k) {
      const double x = k - kTapsPerPhase / 2 + double(p) / factor;
      const double w = 0.5 + 0.5 * std::cos(3.14159265358979 * x / (kTapsPerPhase / 2.0 + 1.0));
      h[size_t(p) * kTapsPerPhase + k] = float(x == 0 ? w : w * std::sin(3.14159265358979 * x) / (3.14159265358979 * x));
    }
  return h;
}

class FilterBank {
 public:
  static FilterBank& instance() {
    static FilterBank bank;
    return bank;
  }

  // Device pointer of the filter for this factor; the filter is designed and uploaded at its first use.
  cudaError_t taps(int factor, const float** out) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto it = filters_.find(factor);
    if (it == filters_.end()) {
      const std::vector<float> h = design(factor);
      float* d = nullptr;
      cudaError_t e = cudaMalloc(&d, h.size() * sizeof(float));
      if (e != cudaSuccess) return e;
      e = cudaMemcpy(d, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
      if (e != cudaSuccess) {
        cudaFree(d);
        return e;
      }
      it = filters_.emplace(factor, d).first;
    }
    *out = it->second;
    return cudaSuccess;
  }

  void clear() {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto& f : filters_) cudaFree(f.second);
    filters_.clear();
  }

 private:
  FilterBank() = default;
  std::mutex mutex_;
  std::map<int, float*> filters_;
};

__global__ void upsample(const float* in, const float* taps, float* out, int factor) {
  const int o = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = o / factor, p = o % factor;
  float acc = 0.0f;
  for (int k = 0; k < kTapsPerPhase; ++k) {
    const int j = i + kTapsPerPhase / 2 - k;
    if (j >= 0 && j < kPeriod) acc += taps[p * kTapsPerPhase + k] * in[j];
  }
  out[o] = acc;
}

class Voice {
 public:
  explicit Voice(int factor) : factor_(factor) {}
  ~Voice() {
    if (exec_) cudaGraphExecDestroy(exec_);
    if (stream_) cudaStreamDestroy(stream_);
    cudaFree(in_);
    cudaFree(out_);
  }
  Voice(const Voice&) = delete;
  Voice& operator=(const Voice&) = delete;

  Outcome open() {
    Outcome r;
    r.then(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    r.then(cudaMalloc(&in_, kPeriod * sizeof(float)), "input");
    r.then(cudaMalloc(&out_, kPeriod * factor_ * sizeof(float)), "output");
    if (!r.good()) return r;
    const float* warm = nullptr;  // makes sure that the bank holds the filter before the capture asks for it
    r.then(FilterBank::instance().taps(factor_, &warm), "filter design");
    r.then(cudaDeviceSynchronize(), "filter upload");
    if (!r.good()) return r;

    if (!r.then(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin capture").good()) return r;
    const float* taps = nullptr;
    r.then(FilterBank::instance().taps(factor_, &taps), "filter");
    if (r.good()) {
      upsample<<<kPeriod * factor_ / 128, 128, 0, stream_>>>(in_, taps, out_, factor_);
      r.then(cudaGetLastError(), "upsample");
    }
    cudaGraph_t graph = nullptr;
    r.then(cudaStreamEndCapture(stream_, &graph), "end capture");
    if (r.good()) r.then(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    if (graph) cudaGraphDestroy(graph);
    return r;
  }

  Outcome render(const std::vector<float>& in, std::vector<float>& out) {
    Outcome r;
    out.resize(size_t(kPeriod) * factor_);
    r.then(cudaMemcpyAsync(in_, in.data(), kPeriod * sizeof(float), cudaMemcpyHostToDevice, stream_), "input");
    r.then(cudaGraphLaunch(exec_, stream_), "launch");
    r.then(cudaMemcpyAsync(out.data(), out_, out.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_), "output");
    r.then(cudaStreamSynchronize(stream_), "period");
    return r;
  }

 private:
  int factor_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *in_ = nullptr, *out_ = nullptr;
};

static bool right(int factor, const std::vector<float>& in, const std::vector<float>& out) {
  const std::vector<float> h = design(factor);
  for (int o = 0; o < kPeriod * factor; ++o) {
    double acc = 0.0;
    for (int k = 0; k < kTapsPerPhase; ++k) {
      const int j = o / factor + kTapsPerPhase / 2 - k;
      if (j >= 0 && j < kPeriod) acc += double(h[size_t(o % factor) * kTapsPerPhase + k]) * in[j];
    }
    if (std::fabs(acc - out[o]) > 1e-4) return false;
  }
  return true;
}

}  // namespace audio

int main() {
  using namespace audio;
  int opened = 0, refused = 0, periods = 0;
  for (int factor : {2, 3, 2}) {
    Voice voice(factor);
    const Outcome o = voice.open();
    if (!o.good()) {
      std::printf("voice x%d: %s: %s\n", factor, o.step, cudaGetErrorString(o.error));
      ++refused;
      continue;
    }
    ++opened;
    for (int t = 0; t < 4; ++t) {
      std::vector<float> in(kPeriod), out;
      for (int i = 0; i < kPeriod; ++i) in[i] = std::sin(0.02f * float(factor) * float(t * kPeriod + i));
      if (voice.render(in, out).good() && right(factor, in, out)) ++periods;
    }
  }
  FilterBank::instance().clear();
  std::printf("%d voices opened, %d refused, %d periods right\n", opened, refused, periods);
  std::puts(refused == 0 && periods == 12 ? "LABEL CONFIRMED" : "LABEL UNOBSERVED");
  return 0;
}
