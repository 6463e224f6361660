// Delay-and-sum beamformer for a linear array: shading weights are uploaded with the program, steering is a constant.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace array {

constexpr int kChannels = 32;
constexpr int kSamples = 1024;

__constant__ float steeringGain[1];
__device__ float wantedGain[1];

inline void up(cudaError_t e, const char* what) {
  if (e != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    throw std::runtime_error(what);
  }
}

__global__ void beam(const float* in, const float* shading, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int c = 0; c < kChannels; ++c) sum += shading[c] * in[c * kSamples + i];
  out[i] = steeringGain[0] * sum;
}

inline std::vector<float> hann(int n) {
  std::vector<float> w(n);
  for (int i = 0; i < n; ++i) w[i] = 0.5f - 0.5f * std::cos(6.2831853f * (float(i) + 0.5f) / float(n));
  return w;
}

class Beamformer {
 public:
  Beamformer() {
    up(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    up(cudaMalloc(&in_, kChannels * kSamples * sizeof(float)), "in");
    up(cudaMalloc(&out_, kSamples * sizeof(float)), "out");
    up(cudaMalloc(&shading_, kChannels * sizeof(float)), "shading");
    up(cudaGetSymbolAddress(&pendingGain_, wantedGain), "symbol");
    up(cudaGetSymbolAddress(&activeGain_, steeringGain), "symbol");
  }
  Beamformer(const Beamformer&) = delete;
  Beamformer& operator=(const Beamformer&) = delete;
  ~Beamformer() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaFree(in_);
    cudaFree(out_);
    cudaFree(shading_);
    cudaStreamDestroy(stream_);
  }

  void compile() {
    up(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin");
    uploadShading();
    uploadSteering();
    beam<<<kSamples / 128, 128, 0, stream_>>>(in_, shading_, out_);
    cudaGraph_t graph = nullptr;
    up(cudaStreamEndCapture(stream_, &graph), "end");
    up(cudaGraphInstantiate(&exec_, graph, 0), "instantiate");
    up(cudaGraphDestroy(graph), "graph");
  }

  void steer(float gain) {
    up(cudaMemcpyToSymbolAsync(wantedGain, &gain, sizeof gain, 0, cudaMemcpyHostToDevice, stream_), "steer");
    up(cudaStreamSynchronize(stream_), "steer");
  }

  float sum(const std::vector<float>& channels) {
    float v = 0.0f;
    up(cudaMemcpyAsync(in_, channels.data(), channels.size() * sizeof(float), cudaMemcpyHostToDevice, stream_), "samples");
    up(cudaGraphLaunch(exec_, stream_), "launch");
    up(cudaMemcpyAsync(&v, out_ + 17, sizeof v, cudaMemcpyDeviceToHost, stream_), "out");
    up(cudaStreamSynchronize(stream_), "sync");
    return v;
  }

 private:
  void uploadShading() {
    up(cudaMemcpyAsync(shading_, weights_.data(), weights_.size() * sizeof(float), cudaMemcpyHostToDevice, stream_), "weights");
  }

  void uploadSteering() {
    up(cudaMemcpyAsync(activeGain_, pendingGain_, sizeof(float), cudaMemcpyDeviceToDevice, stream_), "steering");
  }

  const std::vector<float> weights_ = hann(kChannels);

  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
  float *in_ = nullptr, *out_ = nullptr, *shading_ = nullptr;
  void *pendingGain_ = nullptr, *activeGain_ = nullptr;
};

}  // namespace array

int main() {
  try {
    array::Beamformer former;
    former.steer(1.0f);
    former.compile();
    // The heap is used by the rest of the program between compile and replay.
    std::vector<std::vector<float>> others;
    for (int i = 0; i < 64; ++i) others.emplace_back(array::kChannels, -7.0f - float(i));
    const std::vector<float> ones(array::kChannels * array::kSamples, 1.0f);
    bool right = true, followsSteering = true;
    float first = 0.0f;
    for (int k = 1; k <= 3; ++k) {
      const float gain = float(k);
      former.steer(gain);
      const float v = former.sum(ones);
      if (k == 1) first = v;
      right = right && std::fabs(v / gain - 16.0f) < 0.05f;
      followsSteering = followsSteering && std::fabs(v - gain * first) < 0.05f * std::fabs(v) + 1e-3f;
    }
    const bool shadingRight = std::fabs(first - 16.0f) < 0.05f;
    std::puts(right && shadingRight && followsSteering ? "LABEL CONFIRMED" : "LABEL REFUTED");
  } catch (const std::exception&) {
    std::puts("LABEL REFUTED");
  }
  return 0;
}
