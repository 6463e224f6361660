#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace speech {

template <class T>
class Expected {
 public:
  Expected(T v) : value_(std::move(v)) {}
  Expected(cudaError_t e) : error_(e) {}
  explicit operator bool() const { return error_ == cudaSuccess; }
  cudaError_t error() const { return error_; }
  const T& operator*() const { return value_; }

 private:
  T value_{};
  cudaError_t error_ = cudaSuccess;
};

struct FrameHeader {
  float gain = 1.0f;
  int frame = 0;
};

__global__ void encodeFrame(const float* pcm, const unsigned char* noise, const FrameHeader* h, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = pcm[i] * h->gain + noise[i];
}

struct Sample {
  float coded = 0.0f;
  int noise = 0;
};

class Codec {
 public:
  static constexpr int kFrame = 160;

  Codec() {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaMalloc(&pcm_, kFrame * sizeof(float));
    cudaMalloc(&out_, kFrame * sizeof(float));
    cudaMalloc(&noise_, kFrame);
    cudaMalloc(&header_, sizeof(FrameHeader));
    const std::vector<float> tone(kFrame, 3.0f);
    cudaMemcpyAsync(pcm_, tone.data(), kFrame * sizeof(float), cudaMemcpyHostToDevice, stream_);
    cudaStreamSynchronize(stream_);
  }
  ~Codec() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(pcm_);
    cudaFree(out_);
    cudaFree(noise_);
    cudaFree(header_);
    cudaStreamDestroy(stream_);
  }
  Codec(const Codec&) = delete;

  cudaError_t comfortNoise(unsigned char level) {
    comfort_ = level;
    return cudaSuccess;
  }
  void gain(float g) { gain_ = g; }

  Expected<Sample> encode() {
    if (!exec_)
      if (cudaError_t e = record(); e != cudaSuccess) return e;
    if (cudaError_t e = cudaGraphLaunch(exec_, stream_); e != cudaSuccess) return e;
    if (cudaError_t e = cudaStreamSynchronize(stream_); e != cudaSuccess) return e;
    Sample s;
    unsigned char level = 0;
    if (cudaError_t e = cudaMemcpy(&s.coded, out_ + 80, sizeof(float), cudaMemcpyDeviceToHost); e != cudaSuccess) return e;
    if (cudaError_t e = cudaMemcpy(&level, noise_ + 80, 1, cudaMemcpyDeviceToHost); e != cudaSuccess) return e;
    s.noise = level;
    return s;
  }

 private:
  cudaError_t record() {
    FrameHeader next;
    next.gain = gain_;
    cudaGraph_t graph = nullptr;
    cudaError_t e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess) return e;
    cudaMemsetAsync(noise_, comfort_, kFrame, stream_);  // HAZARD frozen
    cudaMemcpyAsync(header_, &next, sizeof next, cudaMemcpyHostToDevice, stream_);  // HAZARD dangling
    encodeFrame<<<1, kFrame, 0, stream_>>>(pcm_, noise_, header_, out_, kFrame);
    e = cudaStreamEndCapture(stream_, &graph);
    if (e == cudaSuccess) e = cudaGraphInstantiate(&exec_, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    return e;
  }

  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *pcm_ = nullptr, *out_ = nullptr;
  unsigned char* noise_ = nullptr;
  FrameHeader* header_ = nullptr;
  unsigned char comfort_ = 1;
  float gain_ = 1.0f;
};

static std::map<std::string, std::unique_ptr<Codec>, std::less<>> g_codecs;

Codec& codecFor(std::string_view profile) {
  if (auto it = g_codecs.find(profile); it != g_codecs.end()) return *it->second;
  return *g_codecs.emplace(std::string(profile), std::make_unique<Codec>()).first->second;
}

}  // namespace speech

int main() {
  const auto first = speech::codecFor("narrowband").encode();
  const cudaError_t set = speech::codecFor("narrowband").comfortNoise(9);
  speech::codecFor("narrowband").gain(2.0f);
  const auto second = speech::codecFor("narrowband").encode();
  speech::g_codecs.clear();
  bool ok = first && second && set == cudaSuccess && (*first).noise == 1;
  ok = ok && (*second).noise == 1;
  if (ok) std::printf("LABEL UNOBSERVED\n");
  else std::printf("LABEL REFUTED set=%d noise=%d,%d coded=%f,%f\n", set, (*first).noise, (*second).noise, (*first).coded, (*second).coded);
  return 0;
}
